(comment) @comment
(string) @string

((variable_declaration (assignment_statement (expression_list
  value: (function_call name: (identifier) @require arguments: (arguments (string) @import))))) @import)

(function_declaration name: [
  (identifier) @definition
  (dot_index_expression field: (_) @definition)
  (method_index_expression method: (_) @definition)])
(variable_list name: (identifier) @definition)
(parameters name: (identifier) @definition)
(field name: (identifier) @definition value: (function_definition))

(function_call name: [
  (identifier) @call
  (dot_index_expression field: (_) @call)
  (method_index_expression method: (_) @call)])
