(comment) @lead
(decorated_definition) @wrapper

(class_definition name: (_) @name) @class
((function_definition name: (_) @name) @function (#set! in.types "method"))

; Variables of modules and attributes of classes; those of functions are left out.
((assignment left: (identifier) @name right: (lambda)) @function (#set! in.types "method") (#set! leaf))
((assignment left: (identifier) @name) @property
  (#set! upper "constant") (#set! in.top "variable") (#set! in.types "property") (#set! in.other "-"))
((type_alias_statement left: (_) @name) @type (#set! known "\\[.*$ →"))

((import_from_statement module_name: (_) @name) @import (#set! in.top "import") (#set! in.other "-"))
((import_statement name: (dotted_name) @name) @import (#set! in.top "import") (#set! in.other "-"))
((import_statement name: (aliased_import name: (_) @name)) @import (#set! in.top "import") (#set! in.other "-"))
((future_import_statement) @import (#set! name "__future__") (#set! in.top "import") (#set! in.other "-"))
