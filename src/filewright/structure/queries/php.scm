(comment) @lead
(attribute_list) @lead
(expression_statement) @wrapper
(arguments) @skip

((namespace_definition name: (_) @name body: (_) @in) @module (#set! dots "\\"))
((namespace_definition !name body: (_) @in) @module (#set! name "(global)"))
((namespace_definition name: (_) @name !body) @package (#set! dots "\\"))
((namespace_use_declaration) @import (#set! without "use function const"))
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
((enum_case name: (_) @name) @member (#set! leaf))
((function_definition name: (_) @name) @function (#set! in.types "method"))
(method_declaration name: (_) @name) @method
(const_declaration (const_element . (_) @name)) @constant
((property_declaration (property_element name: (_) @name)) @property (#set! bare "$"))
(assignment_expression left: (variable_name)) @read.brace.php_assignment
(function_call_expression) @read.brace.php_define
