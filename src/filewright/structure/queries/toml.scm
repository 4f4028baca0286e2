(comment) @lead
(inline_table) @list
(array) @skip

([(table . [(bare_key) (quoted_key) (dotted_key)] @name) (table_array_element . [(bare_key) (quoted_key) (dotted_key)] @name)]
  @table (#set! shown "[\"']| (?=\\.)|(?<=\\.)\\s →") (#set! nests))
((pair . (_) @name (inline_table) @in) @key (#set! shown "[\"']| (?=\\.)|(?<=\\.)\\s →"))
((pair . (_) @name) @key (#set! shown "[\"']| (?=\\.)|(?<=\\.)\\s →"))
