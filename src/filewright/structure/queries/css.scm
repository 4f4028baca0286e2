(comment) @lead

([(rule_set (block) @in) (media_statement (block) @in) (supports_statement (block) @in) (at_rule (block)? @in)
  (scope_statement (block) @in) (keyframes_statement (keyframe_block_list) @in)] @rule (#set! shown "[; ]+$ →"))
((declaration (property_name) @name) @property (#set! when "--.*"))
((import_statement) @import (#set! shown "^@import (?:url\\()?[('\"]*|[)'\"]*[; ]*$ →"))
