(comment) @lead

(function_definition name: (_) @name) @function
((declaration_command "readonly" (variable_assignment name: (_) @name)) @constant
  (#set! in.top "constant") (#set! in.other "-"))
((declaration_command . (word) @when (variable_assignment name: (_) @name)) @constant
  (#set! when "-\\w*r\\w*") (#set! in.top "constant") (#set! in.other "-"))
((declaration_command (variable_assignment name: (_) @name)) @variable
  (#set! upper "constant") (#set! in.top "variable") (#set! in.other "-"))
((variable_assignment name: (variable_name) @name) @variable
  (#set! upper "constant") (#set! in.top "variable") (#set! in.other "-"))
((command name: (_) @when . argument: (_) @name) @import (#set! when "source|\\.")
  (#set! shown "^['\"]+|['\"]+$ →") (#set! in.top "import") (#set! in.other "-"))
((command name: (_) @when . argument: (_) @name) @alias (#set! when "alias")
  (#set! shown "=.*$ →") (#set! in.top "alias") (#set! in.other "-"))
(command) @skip
