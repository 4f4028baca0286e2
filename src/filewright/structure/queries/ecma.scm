; What JavaScript and TypeScript have in common.
(comment) @lead
(decorator) @lead
(parenthesized_expression) @cast
(export_statement) @wrapper
(arrow_function) @callable
(function_expression) @callable
(generator_function) @callable
(expression_statement) @wrapper
(object) @list
(lexical_declaration) @list
(variable_declaration) @list

(class_declaration name: (_) @name) @class
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(function_expression name: (_) @name body: (_) @in) @function
((method_definition name: (_) @name body: (_) @in) @method (#set! shown "^['\"]+|['\"]+$ →"))

; What is bound to a name, by its value.
((pair key: (_) @name value: (_) @value) @property (#set! shown "^['\"]+|['\"]+$ →") (#set! in.other "-")
  (#set! of.method "callable") (#set! of.class "class") (#set! "of.?property" "object"))
((variable_declarator value: (call_expression function: (_) @when arguments: (arguments . (string) @name))) @import
  (#set! alone) (#set! first) (#set! when "(?:[\\w.]*\\.)?require") (#set! shown "^['\"]+|['\"]+$ →")
  (#set! in.top "import") (#set! in.module "import") (#set! in.other "-"))
((variable_declarator name: (identifier) @name value: (call_expression function: (_) @when
    arguments: (arguments [(arrow_function) (function_expression) (generator_function)] @value))) @function
  (#set! alone) (#set! first) (#set! of.function "callable")
  (#set! when "(?:[\\w.]*\\.)?(?:memo|forwardRef|observer|lazy|useCallback|debounce|throttle|defineComponent|createReactClass)(?:\\(.*)?"))
((variable_declarator name: (identifier) @name value: (_)? @value) @variable
  (#set! alone) (#set! first) (#set! of.function "callable") (#set! of.class "class") (#set! of "object call_expression")
  (#set! upper "constant") (#set! in.top "variable") (#set! in.module "variable") (#set! in.other "-"))
((variable_declarator name: [(object_pattern) (array_pattern)]) @skip (#set! alone))
; Cart.prototype.total = function () {} is found as Cart.total.
((assignment_expression left: (member_expression object: (member_expression property: (_) @when)) @name right: (_) @value)
  @property (#set! when "prototype") (#set! known "^(?:module\\.)?exports\\.|\\.prototype(?=\\.) →")
  (#set! of.method "callable") (#set! of.class "class") (#set! "of.?variable" "object"))
((assignment_expression left: [(member_expression) (identifier)] @name right: (_) @value) @function
  (#set! only) (#set! known "^(?:module\\.)?exports\\. →")
  (#set! of.function "callable") (#set! of.class "class") (#set! "of.?variable" "object"))
((export_statement source: (_) @name) @import (#set! shown "^['\"]+|['\"]+$ →"))
([(export_statement value: [(function_expression name: (_) @name) (class name: (_) @name)] @value)
  (export_statement value: (parenthesized_expression [(function_expression name: (_) @name) (class name: (_) @name)] @value))] @function
  (#set! first) (#set! only) (#set! of.function "callable") (#set! of.class "class"))
((export_statement value: (_) @value) @function (#set! first) (#set! only) (#set! name "default")
  (#set! of.function "callable") (#set! of.class "class") (#set! "of.?variable" "object"))
; describe("name", …), it.only(…), test.each`…`("name", …), Deno.test(…)
((call_expression
    function: [(identifier) (member_expression) (call_expression)] @when
    arguments: (arguments . [(string) (template_string)] @name (_)+ @in)) @test
  (#set! when "(?:describe|context|suite|it|test|specify|bench|beforeEach|afterEach|beforeAll|afterAll|xit|xdescribe)(?:[.(].*)?|(?:test|Deno|QUnit)\\.(?:[^(]*\\.)?(?:describe|context|suite|it|test|specify|bench|beforeEach|afterEach|beforeAll|afterAll|xit|xdescribe)(?:\\(.*)?")
  (#set! shown "^['\"`]+|['\"`]+$ →"))
((import_statement source: (_) @name) @import (#set! shown "^['\"]+|['\"]+$ →"))
(array) @skip
(ternary_expression) @skip
(binary_expression) @skip
