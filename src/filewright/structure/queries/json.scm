(comment) @lead
(array) @skip

(pair) @read.data.json_pair
