(comment) @lead

((class name: (_) @name) @class (#set! known ":: → ."))
((module name: (_) @name) @module (#set! known ":: → ."))
((method name: (_) @name) @function (#set! in.types "method") (#set! in.module "method") (#set! in.method "method"))
((singleton_method object: (_) @name name: (_) @name) @method (#set! known "^.*\\. →") (#set! leaf))
((assignment left: [(constant) (scope_resolution)] @name right: (call receiver: (_) @_made method: (_) @_maker
  block: (_) @in)) @class
  (#any-of? @_made "Struct" "Class" "Data") (#any-of? @_maker "new" "define") (#set! in.method "-"))
((assignment left: [(constant) (scope_resolution)] @name right: (call receiver: (_) @_made method: (_) @_maker
  !block)) @class
  (#any-of? @_made "Struct" "Class" "Data") (#any-of? @_maker "new" "define") (#set! in.method "-") (#set! leaf))
((assignment left: [(constant) (scope_resolution)] @name right: (call receiver: (_) @_made method: (_) @_maker
  block: (_) @in)) @module (#eq? @_made "Module") (#eq? @_maker "new") (#set! in.method "-"))
((assignment left: [(constant) (scope_resolution)] @name right: (call receiver: (_) @_made method: (_) @_maker
  !block)) @module (#eq? @_made "Module") (#eq? @_maker "new") (#set! in.method "-") (#set! leaf))
((assignment left: [(constant) (scope_resolution)] @name) @constant (#set! in.method "-"))

((call method: (_) @_called arguments: (argument_list (_) @name .)) @import
  (#any-of? @_called "require" "require_relative" "load" "autoload")
  (#set! shown "^['\":]+|['\":]+$ →") (#set! in.top "import") (#set! in.other "-"))
((call method: (_) @_called arguments: (argument_list [(simple_symbol) (string)] @name)) @property
  (#any-of? @_called "attr_reader" "attr_writer" "attr_accessor" "attribute" "cattr_accessor" "mattr_accessor")
  (#set! shown "^['\":]+|['\":]+$ →") (#set! in.method "-"))
((call method: (_) @_called arguments: (argument_list . (_) @name)) @method
  (#any-of? @_called "define_method" "define_singleton_method")
  (#set! shown "^['\":]+|['\":]+$ →") (#set! in.method "-") (#set! leaf))
((call method: (_) @_called arguments: (argument_list . (_) @name) block: (_) @in) @test
  (#any-of? @_called "describe" "context" "it" "specify" "feature" "scenario" "shared_examples" "shared_context"
  "test" "task" "namespace")
  (#set! shown "^['\":]+|['\":]+$ →") (#set! in.method "-"))
((alias name: (_) @name) @method (#set! shown "^[:]+|[:]+$ →") (#set! in.method "-") (#set! leaf))
