(formal_parameters (identifier) @definition)
(field_definition property: (_) @definition)
