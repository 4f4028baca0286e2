(comment) @comment
[(interpreted_string_literal) (raw_string_literal) (rune_literal)] @string

(import_declaration) @import
(import_spec path: (_) @import)

(const_spec name: (_) @definition)
(var_spec name: (_) @definition)
(type_spec name: (_) @definition)
(type_alias name: (_) @definition)
(function_declaration name: (_) @definition)
(method_declaration name: (_) @definition)
(method_elem name: (_) @definition)
(parameter_declaration name: (_) @definition)
(variadic_parameter_declaration name: (_) @definition)
(field_declaration name: (_) @definition)
(short_var_declaration left: (expression_list (identifier) @definition))
(range_clause left: (expression_list (identifier) @definition))

(call_expression function: [(identifier) @call (selector_expression field: (_) @call)])
; A call with one type argument is written as a conversion is.
(type_conversion_expression type: (generic_type type: (type_identifier) @call))
