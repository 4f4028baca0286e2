(friend_declaration (declaration) @skip)
(template_declaration) @wrapper
(class_specifier body: (_) @in) @read.c.record
((namespace_definition name: (_) @name) @module (#set! known ":: → ."))
((namespace_definition !name) @module (#set! name "(anonymous)"))
((alias_declaration name: (_) @name) @type (#set! in.code "-"))
(concept_definition name: (_) @name) @type
