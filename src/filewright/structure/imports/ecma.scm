(import_statement) @import
(export_statement source: (string)) @import
(call_expression arguments: (arguments . (string) @specifier))
