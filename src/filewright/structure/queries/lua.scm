(comment) @lead
(variable_declaration) @wrapper

((function_declaration name: (method_index_expression) @name body: (_) @in) @method (#set! known ": → ."))
((function_declaration name: (method_index_expression) @name !body) @method (#set! known ": → .") (#set! leaf))
((function_declaration name: (_) @name body: (_) @in) @function (#set! known ": → ."))
((function_declaration name: (_) @name !body) @function (#set! known ": → .") (#set! leaf))
(assignment_statement) @read.lua.assignment
((field name: (_) @name value: (function_definition body: (_) @in)) @function (#set! shown "^[]'\"[]+|[]'\"[]+$ →"))
((field name: (_) @name value: (function_definition !body)) @function (#set! shown "^[]'\"[]+|[]'\"[]+$ →") (#set! leaf))
((field name: (_) @name value: (table_constructor) @in) @property (#set! shown "^[]'\"[]+|[]'\"[]+$ →") (#set! filled))
