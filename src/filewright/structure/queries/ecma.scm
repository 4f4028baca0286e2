; What JavaScript and TypeScript have in common.
(comment) @lead
(decorator) @lead
(export_statement) @wrapper
(expression_statement) @wrapper

(class_declaration name: (_) @name) @class
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(function_expression name: (_) @name body: (_) @in) @function
((method_definition name: (_) @name body: (_) @in) @method (#set! shown "^['\"]+|['\"]+$ →"))
(pair) @read.ecma.member
(lexical_declaration) @read.ecma.variables
(variable_declaration) @read.ecma.variables
(assignment_expression) @read.ecma.assignment
(export_statement) @read.ecma.export
(call_expression arguments: (arguments . [(string) (template_string)] . (_))) @read.ecma.test
((import_statement source: (_) @name) @import (#set! shown "^['\"]+|['\"]+$ →"))
(array) @skip
(ternary_expression) @skip
(binary_expression) @skip
