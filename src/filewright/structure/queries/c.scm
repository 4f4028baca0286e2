(comment) @lead

(function_definition) @read.c.function
(declaration) @read.c.declaration
(field_declaration) @read.c.declaration
(type_definition) @read.c.typedef
(struct_specifier body: (_) @in) @read.c.record
(union_specifier body: (_) @in) @read.c.record
(enum_specifier body: (_) @in) @read.c.record
((enumerator name: (_) @name) @constant (#set! in.enum "member"))
(preproc_def) @read.c.macro
(preproc_function_def name: (_) @name) @macro
((preproc_include path: (_) @name) @import (#set! strip "<>\""))
