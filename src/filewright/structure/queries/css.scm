(comment) @lead

(rule_set) @read.markup.rule
(media_statement) @read.markup.rule
(supports_statement) @read.markup.rule
(keyframes_statement) @read.markup.rule
(at_rule) @read.markup.rule
(scope_statement) @read.markup.rule
(declaration (property_name)) @read.markup.custom_property
(import_statement) @read.markup.css_import
