(line_comment) @lead
(block_comment) @lead
(enum_class_body) @list
(class_parameters) @list
(anonymous_initializer) @skip
(getter) @skip
(setter) @skip
(lambda_literal) @skip

((package_header) @package (#set! shown "^(?:package )+|;+$ →"))
((import) @import (#set! shown "^(?:import )+|;+$ →"))
(class_declaration "interface" name: (_) @name) @interface
(class_declaration (modifiers (class_modifier "enum")) name: (_) @name) @enum
(class_declaration (modifiers (class_modifier "annotation")) name: (_) @name) @annotation
(class_declaration name: (_) @name) @class
(object_declaration name: (_) @name) @object
(companion_object name: (_) @name) @object
((companion_object !name) @object (#set! name "Companion"))
((function_declaration (_) @name . "." . name: (_) @name (function_body) @in) @function
  (#set! in.types "method") (#set! in.member "method") (#set! known "[?`] →"))
((function_declaration (_) @name . "." . name: (_) @name) @function
  (#set! in.types "method") (#set! in.member "method") (#set! known "[?`] →") (#set! leaf))
((function_declaration name: (_) @name (function_body) @in) @function
  (#set! in.types "method") (#set! in.member "method") (#set! known "[?`] →"))
((function_declaration name: (_) @name) @function
  (#set! in.types "method") (#set! in.member "method") (#set! known "[?`] →") (#set! leaf))
((secondary_constructor) @method (#set! name "constructor") (#set! leaf))
((property_declaration (modifiers (property_modifier "const")) (variable_declaration . (_) @name)) @constant
  (#set! in.code "-"))
((property_declaration (_) @name . "." . (variable_declaration . (_) @name)) @property
  (#set! in.top "variable") (#set! in.code "-"))
((property_declaration (variable_declaration . (_) @name)) @property (#set! in.top "variable") (#set! in.code "-"))
((class_parameter ["val" "var"] (identifier) @name) @property (#set! first))
((enum_entry (identifier) @name) @member (#set! nests))
((type_alias type: (_) @name) @type)
