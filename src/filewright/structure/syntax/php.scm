(comment) @comment
[(string) (encapsed_string) (heredoc) (nowdoc) (shell_command_expression) (text)] @string
(encapsed_string [(variable_name) (member_access_expression) (member_call_expression)
  (subscript_expression) (dynamic_variable_name)] @code)
(heredoc_body [(variable_name) (member_access_expression) (member_call_expression)
  (subscript_expression) (dynamic_variable_name)] @code)

(namespace_use_declaration) @import
([(require_expression (_) @import) (require_once_expression (_) @import)
  (include_expression (_) @import) (include_once_expression (_) @import)] @import)

(namespace_definition name: (_) @definition)
(const_element . (name) @definition)
(class_declaration name: (_) @definition)
(interface_declaration name: (_) @definition)
(trait_declaration name: (_) @definition)
(enum_declaration name: (_) @definition)
(enum_case name: (_) @definition)
(method_declaration name: (_) @definition)
(function_definition name: (_) @definition)
(property_element name: (_) @definition)
(simple_parameter name: (_) @definition)
(assignment_expression left: (variable_name) @definition)

(function_call_expression function: [(name) @call (qualified_name (name) @call)])
(member_call_expression name: (name) @call)
(nullsafe_member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(object_creation_expression [(name) @call (qualified_name (name) @call)])
