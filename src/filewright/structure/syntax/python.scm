(comment) @comment
(string) @string
(interpolation) @code
; A string that is a statement by itself documents what is around it.
(expression_statement . [(string) (concatenated_string)] @comment .)

[(import_statement) (import_from_statement) (future_import_statement)] @import

(function_definition name: (_) @definition)
(class_definition name: (_) @definition)
(type_alias_statement left: (type (identifier) @definition))
(assignment left: [(identifier) @definition (attribute attribute: (_) @definition)])
; `a, b = c` and `(a, [b, c]) = d`. The names in `a[b] = c` and the `a` in `a.b = c` are uses.
(assignment left: [
  (pattern_list [(identifier) @definition (attribute attribute: (_) @definition)])
  (tuple_pattern [(identifier) @definition (attribute attribute: (_) @definition)])
  (list_pattern [(identifier) @definition (attribute attribute: (_) @definition)])])
(assignment left: (_ [
  (tuple_pattern (identifier) @definition)
  (list_pattern (identifier) @definition)
  (list_splat_pattern (identifier) @definition)]))
(named_expression name: (_) @definition)
(for_statement left: [
  (identifier) @definition
  (pattern_list [(identifier) @definition (tuple_pattern (identifier) @definition)])
  (tuple_pattern (identifier) @definition)
  (list_pattern (identifier) @definition)])
(as_pattern_target (identifier) @definition)
(parameters [(identifier) @definition (_ . (identifier) @definition)])
(lambda_parameters [(identifier) @definition (_ . (identifier) @definition)])

(call function: [(identifier) @call (attribute attribute: (_) @call)])
(decorator [(identifier) @call (attribute attribute: (_) @call)])
