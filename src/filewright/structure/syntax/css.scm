(comment) @comment
(string_value) @string

(import_statement) @import
(import_statement (string_value) @import)

(keyframes_name) @definition

(function_name) @call
