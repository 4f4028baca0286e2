(variable_declarator name: (identifier) @bound)
(function_declaration name: (identifier) @bound)
(function_expression name: (identifier) @bound)
(generator_function_declaration name: (identifier) @bound)
(class_declaration name: (_) @bound)
(class name: (_) @bound)
(arrow_function parameter: (identifier) @bound)
(assignment_pattern left: (identifier) @bound)
(array_pattern (identifier) @bound)
(rest_pattern (identifier) @bound)
(pair_pattern value: (identifier) @bound)
(shorthand_property_identifier_pattern) @bound
(catch_clause parameter: (identifier) @bound)
(for_in_statement left: (identifier) @bound)
(labeled_statement label: (statement_identifier) @bound)

(assignment_expression left: (identifier) @assigned)
(augmented_assignment_expression left: (identifier) @assigned)
(update_expression argument: (identifier) @assigned)

[(identifier) (shorthand_property_identifier)] @used
