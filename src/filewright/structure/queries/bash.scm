(comment) @lead

(function_definition name: (_) @name) @function
((declaration_command "readonly" (variable_assignment name: (_) @name)) @constant
  (#set! in.top "constant") (#set! in.other "-"))
((declaration_command . (word) @_option (variable_assignment name: (_) @name)) @constant
  (#match? @_option "^-\\w*r") (#set! in.top "constant") (#set! in.other "-"))
((declaration_command (variable_assignment name: (_) @name)) @variable
  (#set! upper "constant") (#set! in.top "variable") (#set! in.other "-"))
((variable_assignment name: (variable_name) @name) @variable
  (#set! upper "constant") (#set! in.top "variable") (#set! in.other "-"))
((command name: (_) @_command . argument: (_) @name) @import (#any-of? @_command "source" ".")
  (#set! shown "^['\"]+|['\"]+$ →") (#set! in.top "import") (#set! in.other "-"))
((command name: (_) @_command . argument: (_) @name) @alias (#eq? @_command "alias")
  (#set! shown "=.*$ →") (#set! in.top "alias") (#set! in.other "-"))
(command) @skip
