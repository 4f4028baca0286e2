(comment) @lead
(multiline_comment) @lead
(lambda_literal) @skip

(import_declaration (identifier) @name) @import
((class_declaration "class" name: (_) @name body: (_) @in) @class (#set! known "<.*$ →"))
((class_declaration "struct" name: (_) @name body: (_) @in) @struct (#set! known "<.*$ →"))
((class_declaration "enum" name: (_) @name body: (_) @in) @enum (#set! known "<.*$ →"))
((class_declaration "extension" name: (_) @name body: (_) @in) @extension (#set! known "<.*$ →"))
((class_declaration "actor" name: (_) @name body: (_) @in) @actor (#set! known "<.*$ →"))
(protocol_declaration name: (_) @name) @interface
; A function's result type is a `name` too: the first one is its own.
((function_declaration name: _ @name) @function (#set! in.types "method") (#set! first))
((protocol_function_declaration name: _ @name) @function (#set! in.types "method") (#set! first) (#set! leaf))
((init_declaration) @method (#set! name "init"))
((deinit_declaration) @method (#set! name "deinit"))
((subscript_declaration) @method (#set! name "subscript") (#set! leaf))
((property_declaration (value_binding_pattern mutability: "let") name: (pattern bound_identifier: (_) @name)) @property
  (#set! in.top "constant") (#set! in.types "property") (#set! in.other "-"))
((property_declaration name: (pattern bound_identifier: (_) @name)) @property
  (#set! in.top "variable") (#set! in.types "property") (#set! in.other "-"))
((protocol_property_declaration name: (pattern bound_identifier: (_) @name)) @property)
(enum_entry name: (_) @name) @member
((typealias_declaration name: (_) @name) @type (#set! first))
((associatedtype_declaration name: (_) @name) @type (#set! first))
(macro_declaration name: (_) @name) @macro
