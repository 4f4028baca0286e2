(comment) @lead
(enum_member_declaration_list) @list

((using_directive) @import (#set! shown "^(?:(?:global|using|static) )+|;+$| ?=.* →"))
(namespace_declaration name: (_) @name) @module
(file_scoped_namespace_declaration name: (_) @name) @package
(class_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(record_declaration "struct" name: (_) @name) @struct
(record_declaration name: (_) @name) @record
((enum_member_declaration name: (_) @name) @member (#set! leaf))
(delegate_declaration name: (_) @name) @type
((method_declaration (explicit_interface_specifier)? @name name: (_) @name body: (_) @in) @method
  (#set! known "^.*\\. →"))
((method_declaration (explicit_interface_specifier)? @name name: (_) @name !body) @method
  (#set! known "^.*\\. →") (#set! leaf))
(constructor_declaration name: (_) @name) @method
((destructor_declaration name: (_) @name) @method (#set! shown "^ → ~") (#set! leaf))
((operator_declaration operator: _ @name) @method (#set! shown "^ → operator ") (#set! leaf))
((conversion_operator_declaration type: (_) @name) @method (#set! shown "^ → operator ") (#set! leaf))
((indexer_declaration) @property (#set! name "this[]") (#set! known "^.*$ → this"))
(property_declaration name: (_) @name) @property
(event_declaration name: (_) @name) @property
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @property
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (_) @name))) @constant
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @property
(local_function_statement name: (_) @name) @function
