; {name} = \\s*::\\s* → ::\n^(.*\\boperator\\s+(?!new\\b|delete\\b|co_await\\b)[^(]*?)\\s*\\(.*$ → \\1
; shop::Cart<T>::value is found as shop.Cart.value.
; {plain} = <(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*> →\n^((?!.*operator)[^<]*)<.*$ → \\1\n:: → .\n^[. ]+|[. ]+$ →
(comment) @lead
(pointer_declarator) @cast
(reference_declarator) @cast
(block_pointer_declarator) @cast
(function_declarator) @cast
(array_declarator) @cast
(init_declarator) @cast
(parenthesized_declarator) @cast
(attributed_declarator) @cast
(variadic_declarator) @cast
(type_qualifier) @aside
(ERROR) @aside
(ms_call_modifier) @aside
(ms_pointer_modifier) @aside
(enumerator_list) @list

; Most functions are not worth a look.
((function_definition declarator: (_) @called body: (_) @in @when) @function (#set! in.types "method")
  (#set! when ".*?\\b(?:struct|class|enum|union)\\b[^;(){}]{0,200}\\{.*")
  (#set! shown "{name}") (#set! known "{plain}") (#set! of.method "qualified_identifier"))
((function_definition declarator: (_) @called) @function (#set! in.types "method") (#set! leaf)
  (#set! shown "{name}") (#set! known "{plain}") (#set! of.method "qualified_identifier"))
((struct_specifier name: (_) @name body: (_) @in) @struct (#set! known "{plain}"))
([(declaration type: (struct_specifier name: (_) @name body: (_) @in) declarator: (_))
  (field_declaration type: (struct_specifier name: (_) @name body: (_) @in) declarator: (_))
  (type_definition type: (struct_specifier name: (_) @name body: (_) @in))] @struct (#set! known "{plain}"))
((type_definition type: (struct_specifier !name body: (_) @in) . declarator: (_) @called) @struct)
([(declaration type: (struct_specifier !name body: (_) @in) !declarator)
  (field_declaration type: (struct_specifier !name body: (_) @in) !declarator)] @struct (#set! name "(anonymous)"))
((union_specifier name: (_) @name body: (_) @in) @union (#set! known "{plain}"))
([(declaration type: (union_specifier name: (_) @name body: (_) @in) declarator: (_))
  (field_declaration type: (union_specifier name: (_) @name body: (_) @in) declarator: (_))
  (type_definition type: (union_specifier name: (_) @name body: (_) @in))] @union (#set! known "{plain}"))
((type_definition type: (union_specifier !name body: (_) @in) . declarator: (_) @called) @union)
([(declaration type: (union_specifier !name body: (_) @in) !declarator)
  (field_declaration type: (union_specifier !name body: (_) @in) !declarator)] @union (#set! name "(anonymous)"))
((enum_specifier name: (_) @name body: (_) @in) @enum (#set! known "{plain}"))
([(declaration type: (enum_specifier name: (_) @name body: (_) @in) declarator: (_))
  (field_declaration type: (enum_specifier name: (_) @name body: (_) @in) declarator: (_))
  (type_definition type: (enum_specifier name: (_) @name body: (_) @in))] @enum (#set! known "{plain}"))
((type_definition type: (enum_specifier !name body: (_) @in) . declarator: (_) @called) @enum)
([(declaration type: (enum_specifier !name body: (_) @in) !declarator)
  (field_declaration type: (enum_specifier !name body: (_) @in) !declarator)] @enum (#set! name "(anonymous)"))
((type_definition declarator: (_) @called) @type (#set! fresh) (#set! shown "{name}") (#set! in.code "-"))
; A pointer between the parameter list and the name makes it a variable: int (*handler)(int).
([(declaration declarator: (_) @called) (field_declaration declarator: (_) @called)] @prototype
  (#set! only) (#set! of "function_declarator operator_cast")
  (#set! "of.-" "pointer_declarator reference_declarator block_pointer_declarator")
  (#set! shown "{name}") (#set! known "{plain}") (#set! in.types "method") (#set! in.code "-"))
([(declaration (type_qualifier) @when declarator: (_) @called) (field_declaration (type_qualifier) @when declarator: (_) @called)]
  @constant (#set! when "const|constexpr|constinit") (#set! shown "{name}") (#set! known "{plain}") (#set! in.code "-"))
([(declaration declarator: (_) @called) (field_declaration declarator: (_) @called)] @variable (#set! "of.-" "ms_call_modifier")
  (#set! shown "{name}") (#set! known "{plain}") (#set! in.types "property") (#set! in.code "-"))
((enumerator name: (_) @name) @constant (#set! in.enum "member"))
; A macro without a value only guards a header, if it has the name for that.
(preproc_def name: (_) @name value: (_)) @macro
((preproc_def name: (_) @name !value) @macro
  (#set! when "(?!.*_(?:H|HH|HPP|HXX|H_INCLUDED|INCLUDED|INC)_*$|_+[A-Z0-9_]+_H_*$).*"))
(preproc_function_def name: (_) @name) @macro
((preproc_include path: (_) @name) @import (#set! shown "^[<>\"]+|[<>\"]+$ →"))
