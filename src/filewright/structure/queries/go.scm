(comment) @lead
; A declaration without parentheses begins the block of what it declares.
(type_declaration) @wrapper
(const_declaration) @wrapper
(var_declaration) @wrapper

(package_clause (_) @name) @package
((import_declaration (import_spec path: (_) @name)) @import (#set! shown "^[\"`]+|[\"`]+$ →"))
((import_declaration (import_spec_list (import_spec path: (_) @name))) @import (#set! shown "^[\"`]+|[\"`]+$ →"))

(function_declaration name: (_) @name body: (_) @in) @function
((function_declaration name: (_) @name !body) @function (#set! leaf))
; func (c *Cart[T]) Total() is shown as (*Cart[T]).Total, and found as Cart.Total.
((method_declaration receiver: (_) @name name: (_) @name body: (_) @in) @method
  (#set! shown "^\\((?:\\w+ )?(.*?),?\\) ?(\\w+)$ → (\\1).\\2") (#set! known "^\\([( *]*([\\w.]*).*\\)\\.(\\w+)$ → \\1.\\2"))
((method_declaration receiver: (_) @name name: (_) @name !body) @method (#set! leaf)
  (#set! shown "^\\((?:\\w+ )?(.*?),?\\) ?(\\w+)$ → (\\1).\\2") (#set! known "^\\([( *]*([\\w.]*).*\\)\\.(\\w+)$ → \\1.\\2"))

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
  (#set! shown "^.*\\.|\\* →") (#set! in.code "-") (#set! in.top "-"))
((method_elem name: (_) @name) @method (#set! leaf) (#set! in.code "-") (#set! in.top "-"))
