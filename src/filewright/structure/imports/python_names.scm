(function_definition name: (identifier) @bound)
(class_definition name: (identifier) @bound)
(assignment left: (identifier) @bound)
(augmented_assignment left: (identifier) @bound)
(pattern_list (identifier) @bound)
(tuple_pattern (identifier) @bound)
(list_pattern (identifier) @bound)
(list_splat_pattern (identifier) @bound)
(dictionary_splat_pattern (identifier) @bound)
(for_statement left: (identifier) @bound)
(for_in_clause left: (identifier) @bound)
(named_expression name: (identifier) @bound)
(as_pattern_target (identifier) @bound)
(as_pattern_target (tuple (identifier) @bound))
(parameters (identifier) @bound)
(lambda_parameters (identifier) @bound)
(typed_parameter (identifier) @bound)
(default_parameter name: (identifier) @bound)
(typed_default_parameter name: (identifier) @bound)
; The brackets of `list[T]` are `type_parameter` too, and bind nothing.
(_ type_parameters: (type_parameter (type [
  (identifier) @bound
  (constrained_type . (type (identifier) @bound))
  (splat_type (identifier) @bound)
])))
(type_alias_statement left: (type (generic_type (type_parameter (type [
  (identifier) @bound
  (constrained_type . (type (identifier) @bound))
  (splat_type (identifier) @bound)
])))))
(type_alias_statement left: (type (identifier) @bound))
(type_alias_statement left: (type (generic_type (identifier) @bound)))
(case_pattern (dotted_name . (identifier) @bound .))
(splat_pattern (identifier) @bound)
(as_pattern (identifier) @bound .)
(keyword_pattern (dotted_name . (identifier) @bound .))
(global_statement (identifier) @global)

(identifier) @used
