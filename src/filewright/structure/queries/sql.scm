(comment) @lead
(marginalia) @lead
(statement) @wrapper

[
  (create_table) (create_view) (create_materialized_view) (create_function) (create_procedure) (create_index)
  (create_type) (create_schema) (create_database) (create_sequence) (create_trigger)
  (create_extension) (create_role) (create_policy)
] @read.script.created
((column_definition name: (_) @name) @column (#set! in.top "-") (#set! strip "\"`"))
