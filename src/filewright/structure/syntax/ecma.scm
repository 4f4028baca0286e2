(comment) @comment
[(string) (template_string) (regex)] @string
(template_substitution) @code

(import_statement) @import
(import_statement source: (string) @import)
((export_statement source: (string) @import) @import)
(call_expression function: (import) arguments: (arguments . (string) @import))
((variable_declarator value: [
    (call_expression function: (import) arguments: (arguments . (string) @import))
    (await_expression (call_expression function: (import) arguments: (arguments . (string) @import)))]) @import)
((variable_declarator value: [
    (call_expression function: (identifier) @require arguments: (arguments . (string) @import))
    (member_expression object: (call_expression function: (identifier) @require arguments: (arguments . (string) @import)))]) @import)
((expression_statement (call_expression function: (identifier) @require arguments: (arguments . (string) @import))) @import)

(variable_declarator name: (identifier) @definition)
(shorthand_property_identifier_pattern) @definition
(pair_pattern value: (identifier) @definition)
(rest_pattern (identifier) @definition)
(array_pattern (identifier) @definition)
(assignment_pattern left: (identifier) @definition)
(arrow_function parameter: (identifier) @definition)
(catch_clause parameter: (identifier) @definition)
(for_in_statement kind: _ left: (identifier) @definition)
(function_declaration name: (_) @definition)
(generator_function_declaration name: (_) @definition)
(function_expression name: (_) @definition)
(generator_function name: (_) @definition)
(class_declaration name: (_) @definition)
(class name: (_) @definition)
(method_definition name: (_) @definition)
(pair key: (property_identifier) @definition value: [(arrow_function) (function_expression) (generator_function)])
(assignment_expression
  left: (member_expression property: (_) @definition)
  right: [(arrow_function) (function_expression) (generator_function) (class)])

(call_expression function: [(identifier) @call (member_expression property: (_) @call)])
(new_expression constructor: [(identifier) @call (member_expression property: (_) @call)])
(decorator [(identifier) @call (member_expression property: (_) @call)])
