(interface_declaration name: (type_identifier) @bound)
(type_alias_declaration name: (type_identifier) @bound)
(enum_declaration name: (identifier) @bound)
(abstract_class_declaration name: (type_identifier) @bound)
(module name: (identifier) @bound)
(type_parameter name: (type_identifier) @bound)
(required_parameter pattern: (identifier) @bound)
(optional_parameter pattern: (identifier) @bound)
(mapped_type_clause name: (type_identifier) @bound)
(infer_type (type_identifier) @bound)

(type_identifier) @used
