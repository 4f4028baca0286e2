[(line_comment) (block_comment)] @comment
[(string_literal) (multiline_string_literal) (character_literal)] @string
(string_literal) @interpolated
(interpolation) @code

(import) @import

(class_declaration name: (_) @definition)
(object_declaration name: (_) @definition)
(function_declaration name: (_) @definition)
(type_alias type: (identifier) @definition)
(enum_entry (identifier) @definition)
(variable_declaration . (identifier) @definition)
(class_parameter (identifier) @definition)
(parameter . (identifier) @definition)

(call_expression . [(identifier) @call (navigation_expression (identifier) @call .)])
(constructor_invocation (user_type (identifier) @call .))
