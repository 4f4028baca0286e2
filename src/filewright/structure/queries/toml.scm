(comment) @lead
(array) @skip

(table) @read.data.toml_table
(table_array_element) @read.data.toml_table
(pair) @read.data.toml_pair
