(ambient_declaration) @wrapper
(as_expression) @cast
(satisfies_expression) @cast
(non_null_expression) @cast
(type_assertion) @cast
(type_arguments) @aside
(enum_body) @list

((import_statement (import_require_clause source: (_) @name)) @import (#set! shown "^['\"]+|['\"]+$ →"))

(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
((type_alias_declaration name: (_) @name) @type (#set! nests))
(enum_declaration name: (_) @name) @enum
((enum_assignment name: (_) @name) @member (#set! shown "^['\"]+|['\"]+$ →"))
(enum_body (property_identifier) @name @member)
((enum_body (string) @name @member) (#set! shown "^['\"]+|['\"]+$ →"))
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @method
((construct_signature) @method (#set! name "new") (#set! leaf))
(abstract_method_signature name: (_) @name) @method
(interface_body (property_signature name: (_) @name) @property)
((property_signature name: (_) @name) @property (#set! in.top "-") (#set! in.other "-") (#set! in.type "property"))
((public_field_definition name: (_) @name value: (_)? @value) @property (#set! shown "^['\"]+|['\"]+$ →")
  (#set! of.method "callable") (#set! of.class "class"))
((internal_module name: (_) @name body: (_) @in) @module (#set! shown "^['\"]+|['\"]+$ →"))
((module name: (_) @name body: (_) @in) @module (#set! shown "^['\"]+|['\"]+$ →"))
((module name: (_) @name !body) @module (#set! shown "^['\"]+|['\"]+$ →") (#set! leaf))
