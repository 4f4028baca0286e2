(comment) @lead

((class name: (_) @name) @class (#set! dots "::"))
((module name: (_) @name) @module (#set! dots "::"))
((method name: (_) @name) @function (#set! in.types "method") (#set! in.module "method") (#set! in.method "method"))
(singleton_method) @read.script.ruby_singleton
(assignment left: [(constant) (scope_resolution)]) @read.script.ruby_constant
(call) @read.script.ruby_call
((alias name: (_) @name) @method (#set! strip ":") (#set! in.method "-") (#set! leaf))
