[(comment) (marginalia)] @comment
(literal) @quoted

(create_table (object_reference name: (_) @definition))
(create_view (object_reference name: (_) @definition))
(create_function (object_reference name: (_) @definition))
(column_definition name: (_) @definition)
(function_argument . (identifier) @definition)

(invocation (object_reference name: (_) @call))
