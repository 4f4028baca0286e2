(comment) @lead
(block_comment) @lead
(class_parameters) @list

((package_clause name: (_) @name body: (_) @in) @package)
((package_clause name: (_) @name !body) @package)
((import_declaration) @import (#set! shown "^(?:import )+|;+$ →"))
(class_definition name: (_) @name) @class
(object_definition name: (_) @name) @object
(package_object name: (_) @name) @object
(trait_definition name: (_) @name) @trait
(enum_definition name: (_) @name) @enum
((simple_enum_case name: (_) @name) @member (#set! leaf))
((full_enum_case name: (_) @name) @member (#set! leaf))
((function_definition name: (_) @name) @function (#set! in.types "method"))
((function_declaration name: (_) @name) @function (#set! in.types "method"))
((val_definition pattern: [(identifier) (operator_identifier)] @name) @property
  (#set! upper "constant") (#set! in.object "constant") (#set! in.top "variable") (#set! in.code "-"))
((val_declaration name: [(identifier) (operator_identifier)] @name) @property
  (#set! upper "constant") (#set! in.object "constant") (#set! in.top "variable") (#set! in.code "-"))
((var_definition pattern: [(identifier) (operator_identifier)] @name) @property
  (#set! in.top "variable") (#set! in.code "-"))
((var_declaration name: [(identifier) (operator_identifier)] @name) @property
  (#set! in.top "variable") (#set! in.code "-"))
(type_definition name: (_) @name) @type
((given_definition name: (_) @name) @instance)
((given_definition !name return_type: (_) @name) @instance)
(extension_definition parameters: (_) @name) @extension
