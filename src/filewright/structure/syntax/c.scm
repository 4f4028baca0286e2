(comment) @comment
[(string_literal) (char_literal)] @string
(preproc_arg) @macro

(preproc_include) @import
(preproc_include path: (_) @import)

(preproc_def name: (_) @definition)
(preproc_function_def name: (_) @definition)
(struct_specifier name: (_) @definition body: (_))
(union_specifier name: (_) @definition body: (_))
(enum_specifier name: (_) @definition body: (_))
(enumerator name: (_) @definition)
(type_definition declarator: (type_identifier) @definition)
(function_declarator declarator: [(identifier) (field_identifier)] @definition)
(init_declarator declarator: (identifier) @definition)
(pointer_declarator declarator: [(identifier) (field_identifier) (type_identifier)] @definition)
(array_declarator declarator: [(identifier) (field_identifier)] @definition)
(declaration declarator: (identifier) @definition)
(parameter_declaration declarator: (identifier) @definition)
(field_declaration declarator: (field_identifier) @definition)

(call_expression function: [(identifier) @call (field_expression field: (field_identifier) @call)])
