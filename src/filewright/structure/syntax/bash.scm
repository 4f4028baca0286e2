(comment) @comment
[(string) (raw_string) (ansi_c_string) (heredoc_body)] @string
[(simple_expansion) (expansion) (command_substitution)] @code

((command name: (command_name (word) @require) argument: (_) @import) @import)

(function_definition name: (_) @definition)
(variable_assignment name: (variable_name) @definition)

(command name: (command_name (word) @call))
