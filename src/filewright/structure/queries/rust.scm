(line_comment) @lead
(block_comment) @lead
(attribute_item) @lead
(field_declaration_list) @list
(enum_variant_list) @list

((function_item name: (_) @name) @function (#set! in.types "method"))
((function_signature_item name: (_) @name) @function (#set! in.types "method"))
(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @union
(enum_item name: (_) @name) @enum
((enum_variant name: (_) @name) @member (#set! leaf))
(field_declaration name: (_) @name) @property
(trait_item name: (_) @name) @trait
; fmt::Display for Point<T> is found as Point.
((impl_item trait: (_) @name type: (_) @name body: (_) @in) @impl
  (#set! known "^.*? for (?:[^<]*::|&*(?:dyn )?)|<.*$ →"))
((impl_item !trait type: (_) @name body: (_) @in) @impl (#set! known "^(?:[^<]*::|&*(?:dyn )?)|<.*$ →"))
(mod_item name: (_) @name) @module
(type_item name: (_) @name) @type
(associated_type name: (_) @name) @type
((const_item name: (_) @name) @constant (#set! in.code "-"))
((static_item name: (_) @name) @variable (#set! in.code "-"))
(macro_definition name: (_) @name) @macro
((use_declaration argument: (_) @name) @import (#set! in.code "-"))
((extern_crate_declaration name: (_) @name) @import (#set! in.code "-"))
