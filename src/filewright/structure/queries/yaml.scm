(comment) @lead
(flow_mapping) @list
(flow_sequence) @skip

((block_mapping_pair key: (_) @name value: (_) @in) @key (#set! shown "^(['\"])(.*)\\1$ → \\2"))
((block_mapping_pair key: (_) @name !value) @key (#set! shown "^(['\"])(.*)\\1$ → \\2"))
((flow_pair key: (_) @name value: (_) @in) @key (#set! shown "^(['\"])(.*)\\1$ → \\2"))
((flow_pair key: (_) @name !value) @key (#set! shown "^(['\"])(.*)\\1$ → \\2"))
; A list item that is a mapping, and each document of several, is named by its first pair.
((block_sequence_item (block_node (block_mapping . (block_mapping_pair value: [(flow_node)
  (block_node [(block_mapping . (block_mapping_pair value: (flow_node)) .) (block_sequence . (block_sequence_item (flow_node)) .)])]) @name))) @item
  (#set! first) (#set! nests) (#set! shown "^(.{0,60}?: .{59}).{2,} → \\1…"))
((block_sequence_item (block_node (block_mapping . (block_mapping_pair key: (_) @name)))) @item
  (#set! first) (#set! nests) (#set! shown "$ → :"))
((document (block_node (block_mapping . (block_mapping_pair value: [(flow_node)
  (block_node [(block_mapping . (block_mapping_pair value: (flow_node)) .) (block_sequence . (block_sequence_item (flow_node)) .)])]) @name))) @document
  (#set! first) (#set! nests) (#set! several) (#set! shown "^(.{0,60}?: .{59}).{2,} → \\1…"))
((document (block_node (block_mapping . (block_mapping_pair key: (_) @name)))) @document
  (#set! first) (#set! nests) (#set! several) (#set! shown "$ → :"))
((document) @document (#set! nests) (#set! several) (#set! name "---"))
(block_sequence_item) @skip
