(comment) @comment
[(string_literal) (verbatim_string_literal) (raw_string_literal) (interpolated_string_expression)
  (character_literal)] @string
(interpolation) @code

(using_directive) @import

(namespace_declaration name: (_) @definition)
(class_declaration name: (_) @definition)
(struct_declaration name: (_) @definition)
(interface_declaration name: (_) @definition)
(record_declaration name: (_) @definition)
(enum_declaration name: (_) @definition)
(enum_member_declaration name: (_) @definition)
(delegate_declaration name: (_) @definition)
(method_declaration name: (_) @definition)
(constructor_declaration name: (_) @definition)
(local_function_statement name: (_) @definition)
(property_declaration name: (_) @definition)
(variable_declarator name: (_) @definition)
(parameter name: (_) @definition)

(invocation_expression function: [
  (identifier) @call
  (generic_name (identifier) @call)
  (member_access_expression name: [(identifier) @call (generic_name (identifier) @call)])
  (conditional_access_expression (member_binding_expression name: (_) @call))])
(object_creation_expression type: [(identifier) @call (generic_name (identifier) @call)])
