[(line_comment) (block_comment)] @comment
[(string_literal) (character_literal)] @string

(import_declaration) @import

(class_declaration name: (_) @definition)
(interface_declaration name: (_) @definition)
(enum_declaration name: (_) @definition)
(enum_constant name: (_) @definition)
(record_declaration name: (_) @definition)
(annotation_type_declaration name: (_) @definition)
(method_declaration name: (_) @definition)
(constructor_declaration name: (_) @definition)
(variable_declarator name: (_) @definition)
(formal_parameter name: (_) @definition)
(catch_formal_parameter name: (_) @definition)
(lambda_expression parameters: [(identifier) @definition (inferred_parameters (identifier) @definition)])

(method_invocation name: (_) @call)
(object_creation_expression type: [(type_identifier) @call (generic_type (type_identifier) @call)])
