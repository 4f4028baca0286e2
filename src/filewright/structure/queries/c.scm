(comment) @lead

(function_definition) @read.c.function
(declaration) @read.c.declaration
(field_declaration) @read.c.declaration
(type_definition) @read.c.typedef
(struct_specifier body: (_) @in) @read.c.record
(union_specifier body: (_) @in) @read.c.record
(enum_specifier body: (_) @in) @read.c.record
((enumerator name: (_) @name) @constant (#set! in.enum "member"))
; A macro without a value only guards a header, if it has the name for that.
(preproc_def name: (_) @name value: (_)) @macro
((preproc_def name: (_) @name !value) @macro
  (#set! when "(?!.*_(?:H|HH|HPP|HXX|H_INCLUDED|INCLUDED|INC)_*$|_+[A-Z0-9_]+_H_*$).*"))
(preproc_function_def name: (_) @name) @macro
((preproc_include path: (_) @name) @import (#set! shown "^[<>\"]+|[<>\"]+$ →"))
