(comment) @lead
(object) @list
(array) @skip

((pair key: (_) @name value: (object) @in) @key (#set! escaped))
((pair key: (_) @name) @key (#set! escaped))
