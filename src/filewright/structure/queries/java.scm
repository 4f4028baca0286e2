(line_comment) @lead
(block_comment) @lead
(enum_body) @list

((package_declaration (_) @name .) @package)
((import_declaration) @import (#set! shown "^(?:(?:import|static) )+|;+$ →"))
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(record_declaration name: (_) @name) @record
(annotation_type_declaration name: (_) @name) @annotation
((module_declaration name: (_) @name) @module (#set! leaf))
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(compact_constructor_declaration name: (_) @name) @method
((annotation_type_element_declaration name: (_) @name) @method (#set! leaf))
(enum_constant name: (_) @name) @member
((constant_declaration declarator: (_ name: (_) @name)) @constant)
(field_declaration (modifiers "static" "final") declarator: (_ name: (_) @name)) @constant
(field_declaration (modifiers "final" "static") declarator: (_ name: (_) @name)) @constant
(field_declaration declarator: (_ name: (_) @name)) @property
; What an anonymous class holds is read with the code around it.
(object_creation_expression (class_body) @skip)
