(comment) @lead
(variable_declaration) @wrapper

(function_declaration) @read.script.lua_function
(assignment_statement) @read.script.lua_assignment
(field) @read.script.lua_field
