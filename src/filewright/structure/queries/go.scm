(comment) @lead
; A declaration without parentheses begins the block of what it declares.
(type_declaration) @wrapper
(const_declaration) @wrapper
(var_declaration) @wrapper

(package_clause (_) @name) @package
((import_declaration (import_spec path: (_) @name)) @import (#set! strip "\"`"))
((import_declaration (import_spec_list (import_spec path: (_) @name))) @import (#set! strip "\"`"))

(function_declaration name: (_) @name body: (_) @in) @function
((function_declaration name: (_) @name !body) @function (#set! leaf))
(method_declaration) @read.brace.go_method

(type_spec name: (_) @name type: (struct_type) @in) @struct
(type_spec name: (_) @name type: (interface_type) @in) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name type: (struct_type) @in) @struct
(type_alias name: (_) @name type: (interface_type) @in) @interface
(type_alias name: (_) @name) @type

((const_spec (identifier) @name) @constant (#set! in.top "constant") (#set! in.other "-") (#set! except "_"))
((var_spec name: (identifier) @name value: (expression_list . (func_literal) .)) @function
  (#set! in.top "function") (#set! in.other "-") (#set! leaf))
((var_spec (identifier) @name) @variable (#set! in.top "variable") (#set! in.other "-") (#set! except "_"))
((field_declaration name: (_) @name) @property (#set! in.code "-") (#set! in.top "-"))
((field_declaration !name type: (_) @name) @property
  (#set! after ".") (#set! strip "*") (#set! in.code "-") (#set! in.top "-"))
((method_elem name: (_) @name) @method (#set! leaf) (#set! in.code "-") (#set! in.top "-"))
