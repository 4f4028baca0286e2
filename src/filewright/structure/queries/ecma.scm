; What JavaScript and TypeScript have in common.
(comment) @lead
(decorator) @lead
(export_statement) @wrapper
(expression_statement) @wrapper

(class_declaration name: (_) @name) @class
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(function_expression name: (_) @name body: (_) @in) @function
((method_definition name: (_) @name body: (_) @in) @method (#set! shown "^['\"]+|['\"]+$ →"))
(pair) @read.ecma.member
(lexical_declaration) @read.ecma.variables
(variable_declaration) @read.ecma.variables
(assignment_expression) @read.ecma.assignment
((export_statement source: (_) @name) @import (#set! shown "^['\"]+|['\"]+$ →"))
(export_statement !source) @read.ecma.export
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
