(jsx_text) @string
; A tag runs its component: the name is changed at both ends.
(jsx_opening_element name: [(identifier) @call (member_expression property: (_) @call)])
(jsx_closing_element name: [(identifier) @call (member_expression property: (_) @call)])
(jsx_self_closing_element name: [(identifier) @call (member_expression property: (_) @call)])
