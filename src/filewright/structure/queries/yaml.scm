(comment) @lead
(flow_sequence) @skip

((block_mapping_pair key: (_) @name value: (_) @in) @key (#set! shown "^(['\"])(.*)\\1$ → \\2"))
((block_mapping_pair key: (_) @name !value) @key (#set! shown "^(['\"])(.*)\\1$ → \\2"))
((flow_pair key: (_) @name value: (_) @in) @key (#set! shown "^(['\"])(.*)\\1$ → \\2"))
((flow_pair key: (_) @name !value) @key (#set! shown "^(['\"])(.*)\\1$ → \\2"))
(block_sequence_item) @read.data.yaml_item
(document) @read.data.yaml_document
