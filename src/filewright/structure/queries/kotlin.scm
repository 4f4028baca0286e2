(line_comment) @lead
(block_comment) @lead
(anonymous_initializer) @skip
(getter) @skip
(setter) @skip
(lambda_literal) @skip

((package_header) @package (#set! without "package"))
((import) @import (#set! without "import"))
(class_declaration "interface" name: (_) @name) @interface
(class_declaration (modifiers (class_modifier "enum")) name: (_) @name) @enum
(class_declaration (modifiers (class_modifier "annotation")) name: (_) @name) @annotation
(class_declaration name: (_) @name) @class
(object_declaration name: (_) @name) @object
(companion_object name: (_) @name) @object
((companion_object !name) @object (#set! name "Companion"))
(function_declaration) @read.brace.kotlin_function
((secondary_constructor) @method (#set! name "constructor") (#set! leaf))
(property_declaration) @read.brace.kotlin_property
((class_parameter ["val" "var"] (identifier) @name) @property (#set! first))
((enum_entry (identifier) @name) @member (#set! nests))
((type_alias type: (_) @name) @type)
