(raw_string_literal) @string

(using_declaration) @import

(class_specifier name: (_) @definition body: (_))
(namespace_definition name: (_) @definition)
(alias_declaration name: (_) @definition)
(reference_declarator (identifier) @definition)
(function_declarator declarator: (qualified_identifier name: (identifier) @definition))
(function_declarator declarator: (qualified_identifier name: (qualified_identifier name: (identifier) @definition)))

(call_expression function: [
  (qualified_identifier name: [(identifier) @call (template_function name: (_) @call)])
  (qualified_identifier name: (qualified_identifier name: [(identifier) @call (template_function name: (_) @call)]))
  (template_function name: (_) @call)
  (field_expression field: (template_method name: (_) @call))])
(new_expression type: [(type_identifier) @call (template_type name: (_) @call) (qualified_identifier name: (_) @call)])
