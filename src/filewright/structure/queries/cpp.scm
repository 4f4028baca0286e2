(friend_declaration (declaration) @skip)
(template_declaration) @wrapper
((class_specifier name: (_) @name body: (_) @in) @class (#set! known "{plain}"))
([(declaration type: (class_specifier name: (_) @name body: (_) @in) declarator: (_))
  (field_declaration type: (class_specifier name: (_) @name body: (_) @in) declarator: (_))
  (type_definition type: (class_specifier name: (_) @name body: (_) @in))] @class (#set! known "{plain}"))
((type_definition type: (class_specifier !name body: (_) @in) . declarator: (_) @called) @class)
([(declaration type: (class_specifier !name body: (_) @in) !declarator)
  (field_declaration type: (class_specifier !name body: (_) @in) !declarator)] @class (#set! name "(anonymous)"))
((namespace_definition name: (_) @name) @module (#set! known ":: → ."))
((namespace_definition !name) @module (#set! name "(anonymous)"))
((alias_declaration name: (_) @name) @type (#set! in.code "-"))
(concept_definition name: (_) @name) @type
