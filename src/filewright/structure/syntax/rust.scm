[(line_comment) (block_comment)] @comment
[(string_literal) (raw_string_literal) (char_literal)] @string

[(use_declaration) (extern_crate_declaration)] @import

(const_item name: (_) @definition)
(static_item name: (_) @definition)
(struct_item name: (_) @definition)
(enum_item name: (_) @definition)
(enum_variant name: (_) @definition)
(union_item name: (_) @definition)
(trait_item name: (_) @definition)
(type_item name: (_) @definition)
(associated_type name: (_) @definition)
(function_item name: (_) @definition)
(function_signature_item name: (_) @definition)
(mod_item name: (_) @definition)
(macro_definition name: (_) @definition)
(field_declaration name: (_) @definition)
(let_declaration pattern: (identifier) @definition)
(parameter pattern: (identifier) @definition)
(closure_parameters (identifier) @definition)

(call_expression function: [
  (identifier) @call
  (field_expression field: (_) @call)
  (scoped_identifier name: (_) @call)
  (generic_function function: [
    (identifier) @call
    (field_expression field: (_) @call)
    (scoped_identifier name: (_) @call)])])
(macro_invocation macro: [(identifier) @call (scoped_identifier name: (_) @call)])
; The arguments of a macro are not parsed.
(token_tree (identifier) @call . (token_tree . "("))
