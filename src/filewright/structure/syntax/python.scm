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
(assignment left: (_ (identifier) @definition))
(assignment left: (_ (_ (identifier) @definition)))
(named_expression name: (_) @definition)
(for_statement left: [(identifier) @definition (_ (identifier) @definition)])
(as_pattern_target (identifier) @definition)
(parameters [(identifier) @definition (_ . (identifier) @definition)])
(lambda_parameters [(identifier) @definition (_ . (identifier) @definition)])

(call function: [(identifier) @call (attribute attribute: (_) @call)])
(decorator [(identifier) @call (attribute attribute: (_) @call)])
