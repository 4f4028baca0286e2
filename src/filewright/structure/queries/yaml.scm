(comment) @lead
(flow_sequence) @skip

((block_mapping_pair key: (_) @name value: (_) @in) @key (#set! quoted))
((block_mapping_pair key: (_) @name !value) @key (#set! quoted))
((flow_pair key: (_) @name value: (_) @in) @key (#set! quoted))
((flow_pair key: (_) @name !value) @key (#set! quoted))
(block_sequence_item) @read.data.yaml_item
(document) @read.data.yaml_document
