(comment) @lead
(variable_declaration) @wrapper
(table_constructor) @list

((function_declaration name: (method_index_expression) @name body: (_) @in) @method (#set! known ": → ."))
((function_declaration name: (method_index_expression) @name !body) @method (#set! known ": → .") (#set! leaf))
((function_declaration name: (_) @name body: (_) @in) @function (#set! known ": → ."))
((function_declaration name: (_) @name !body) @function (#set! known ": → .") (#set! leaf))
; What an assignment declares: each of the first two names by its value.
((assignment_statement (variable_list . name: (_) @name) (expression_list . value: (function_definition body: (_) @in))) @function (#set! known "\\[['\"]?(.*?)['\"]?\\]$ → .\\1"))
((assignment_statement (variable_list . name: (_) @name) (expression_list . value: (function_definition !body))) @function (#set! leaf) (#set! known "\\[['\"]?(.*?)['\"]?\\]$ → .\\1"))
((assignment_statement (variable_list . name: (identifier) @name) (expression_list . value: (table_constructor) @in)) @variable (#set! upper "constant") (#set! in.top "variable") (#set! in.other "?variable"))
((assignment_statement (variable_list . name: (_) @name) (expression_list . value: (table_constructor) @in)) @variable (#set! filled) (#set! known "\\[['\"]?(.*?)['\"]?\\]$ → .\\1"))
((assignment_statement (variable_list . name: (_)) (expression_list . value: (function_call name: (identifier) @when arguments: (_) @name))) @import
  (#set! when "require") (#set! in.top "import") (#set! in.other "-") (#set! shown "^[]()'\"[ ]+|[]()'\"[ ]+$ →"))
((assignment_statement (variable_list . (_) . name: (_) @name) (expression_list . (_) . value: (function_definition body: (_) @in))) @function (#set! known "\\[['\"]?(.*?)['\"]?\\]$ → .\\1"))
((assignment_statement (variable_list . (_) . name: (_) @name) (expression_list . (_) . value: (function_definition !body))) @function (#set! leaf) (#set! known "\\[['\"]?(.*?)['\"]?\\]$ → .\\1"))
((assignment_statement (variable_list . (_) . name: (identifier) @name) (expression_list . (_) . value: (table_constructor) @in)) @variable (#set! upper "constant") (#set! in.top "variable") (#set! in.other "?variable"))
((assignment_statement (variable_list . (_) . name: (_) @name) (expression_list . (_) . value: (table_constructor) @in)) @variable (#set! filled) (#set! known "\\[['\"]?(.*?)['\"]?\\]$ → .\\1"))
((assignment_statement (variable_list . (_) . name: (_)) (expression_list . (_) . value: (function_call name: (identifier) @when arguments: (_) @name))) @import
  (#set! when "require") (#set! in.top "import") (#set! in.other "-") (#set! shown "^[]()'\"[ ]+|[]()'\"[ ]+$ →"))
((assignment_statement (variable_list name: (identifier) @name) (expression_list value: (_) @when)) @variable
  (#set! when "(?!require\\b).*") (#set! upper "constant") (#set! in.top "variable") (#set! in.other "-"))
((assignment_statement (variable_list name: (_) @name)) @variable (#set! in.top "-") (#set! in.other "-"))
((field name: (_) @name value: (function_definition body: (_) @in)) @function (#set! shown "^[]'\"[]+|[]'\"[]+$ →"))
((field name: (_) @name value: (function_definition !body)) @function (#set! shown "^[]'\"[]+|[]'\"[]+$ →") (#set! leaf))
((field name: (_) @name value: (table_constructor) @in) @property (#set! shown "^[]'\"[]+|[]'\"[]+$ →") (#set! filled))
