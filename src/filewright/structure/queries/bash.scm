(comment) @lead

(function_definition name: (_) @name) @function
(declaration_command) @read.script.bash_declaration
((variable_assignment name: (variable_name) @name) @variable
  (#set! upper "constant") (#set! in.top "variable") (#set! in.other "-"))
(command name: (_) argument: (_)) @read.script.bash_command
