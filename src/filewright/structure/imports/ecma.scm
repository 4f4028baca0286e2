(import_statement) @import
(export_statement source: (string)) @import
(call_expression arguments: (arguments . (string) @specifier))
((lexical_declaration (variable_declarator value: (_) @value)) @import
  (#match? @value "^require\\("))
((variable_declaration (variable_declarator value: (_) @value)) @import
  (#match? @value "^require\\("))
