(comment) @lead
(attribute_list) @lead
(expression_statement) @wrapper
(arguments) @skip

((namespace_definition name: (_) @name body: (_) @in) @module (#set! known "\\\\ → ."))
((namespace_definition !name body: (_) @in) @module (#set! name "(global)"))
((namespace_definition name: (_) @name !body) @package (#set! known "\\\\ → ."))
((namespace_use_declaration) @import (#set! shown "^(?:(?:use|function|const) )+|;+$ →"))
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
((enum_case name: (_) @name) @member (#set! leaf))
((function_definition name: (_) @name) @function (#set! in.types "method"))
(method_declaration name: (_) @name) @method
(const_declaration (const_element . (_) @name)) @constant
((property_declaration (property_element name: (_) @name)) @property (#set! known "^\\$ →"))
((assignment_expression left: (variable_name) @name right: [(anonymous_function) (arrow_function)]) @function
  (#set! known "^\\$ →") (#set! in.code "-") (#set! leaf))
((assignment_expression left: (variable_name) @name right: (object_creation_expression (anonymous_class (declaration_list) @in)))
  @class (#set! known "^\\$ →") (#set! in.code "-"))
((assignment_expression left: (variable_name) @name) @variable
  (#set! known "^\\$ →") (#set! in.top "variable") (#set! in.other "-"))
((function_call_expression function: (_) @when arguments: (arguments . (_) @name)) @constant
  (#set! when "(?i:define)") (#set! shown "^['\"]+|['\"]+$ →"))
