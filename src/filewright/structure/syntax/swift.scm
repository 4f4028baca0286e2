[(comment) (multiline_comment)] @comment
[(line_string_literal) (multi_line_string_literal) (raw_string_literal) (regex_literal)] @string
(interpolated_expression) @code

(import_declaration) @import

(function_declaration name: (simple_identifier) @definition)
(protocol_function_declaration name: (simple_identifier) @definition)
(class_declaration name: (_) @definition)
(protocol_declaration name: (_) @definition)
(typealias_declaration name: (_) @definition)
(enum_entry name: (simple_identifier) @definition)
(pattern bound_identifier: (_) @definition)
(parameter name: (simple_identifier) @definition)

(call_expression . [
  (simple_identifier) @call
  (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @call))])
