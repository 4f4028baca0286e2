(comment) @comment
[(string) (heredoc_body) (regex) (subshell) (string_array)] @string
(interpolation) @code

((call method: (identifier) @require arguments: (argument_list . (string) @import)) @import)

(class name: [(constant) @definition (scope_resolution name: (_) @definition)])
(module name: [(constant) @definition (scope_resolution name: (_) @definition)])
(method name: (_) @definition)
(singleton_method name: (_) @definition)
(assignment left: [(identifier) (constant) (instance_variable) (class_variable) (global_variable)] @definition)
(left_assignment_list (identifier) @definition)
(method_parameters [(identifier) @definition (_ name: (_) @definition)])
(block_parameters [(identifier) @definition (_ name: (_) @definition)])

(call method: (_) @call)
