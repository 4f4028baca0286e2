(comment) @lead
(marginalia) @lead
(statement) @wrapper
(column_definitions) @list

; What is created is found by its name without quotes.
((create_table [(object_reference) (identifier)] @name) @table (#set! known "[\"`\\[\\]] →") (#set! first) (#set! nests))
((create_view [(object_reference) (identifier)] @name) @view (#set! known "[\"`\\[\\]] →") (#set! first) (#set! nests))
((create_materialized_view (object_reference) @name) @view (#set! known "[\"`\\[\\]] →") (#set! first) (#set! nests))
((create_function [(object_reference) (identifier)] @name) @function (#set! known "[\"`\\[\\]] →") (#set! first) (#set! nests))
((create_procedure [(object_reference) (identifier)] @name) @function (#set! known "[\"`\\[\\]] →") (#set! first) (#set! nests))
((create_type [(object_reference) (identifier)] @name) @type (#set! known "[\"`\\[\\]] →") (#set! first) (#set! nests))
((create_schema (identifier) @name) @schema (#set! known "[\"`\\[\\]] →") (#set! first) (#set! nests))
((create_database (identifier) @name) @database (#set! known "[\"`\\[\\]] →") (#set! first) (#set! nests))
((create_sequence (object_reference) @name) @sequence (#set! known "[\"`\\[\\]] →") (#set! first) (#set! nests))
((create_trigger [(object_reference) (identifier)] @name) @trigger (#set! known "[\"`\\[\\]] →") (#set! first) (#set! nests))
((create_extension (identifier) @name) @extension (#set! known "[\"`\\[\\]] →") (#set! first) (#set! nests))
((create_role [(object_reference) (identifier)] @name) @role (#set! known "[\"`\\[\\]] →") (#set! first) (#set! nests))
((create_policy (object_reference) @name) @policy (#set! known "[\"`\\[\\]] →") (#set! first) (#set! nests))
((create_index column: (_) @name) @index (#set! known "[\"`\\[\\]] →") (#set! nests))
((column_definition name: (_) @name) @column (#set! in.top "-") (#set! shown "^[\"`]+|[\"`]+$ →"))
