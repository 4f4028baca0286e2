[(comment) (block_comment)] @comment
[(string) (character_literal) (interpolated_string)] @string
(interpolation) @code

(import_declaration) @import

(class_definition name: (_) @definition)
(object_definition name: (_) @definition)
(trait_definition name: (_) @definition)
(enum_definition name: (_) @definition)
(function_definition name: (_) @definition)
(function_declaration name: (_) @definition)
(val_definition pattern: (identifier) @definition)
(var_definition pattern: (identifier) @definition)
(type_definition name: (_) @definition)
(parameter name: (_) @definition)
(class_parameter name: (_) @definition)

(call_expression function: [
  (identifier) @call
  (field_expression field: (_) @call)
  (generic_function function: [(identifier) @call (field_expression field: (_) @call)])])
(instance_expression [(type_identifier) @call (generic_type type: (type_identifier) @call)])
