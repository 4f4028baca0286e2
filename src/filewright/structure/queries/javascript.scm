((field_definition property: (_) @name value: (_)? @value) @property (#set! shown "^['\"]+|['\"]+$ →")
  (#set! of.method "callable") (#set! of.class "class"))
