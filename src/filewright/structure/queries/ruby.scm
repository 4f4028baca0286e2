(comment) @lead

((class name: (_) @name) @class (#set! known ":: → ."))
((module name: (_) @name) @module (#set! known ":: → ."))
((method name: (_) @name) @function (#set! in.types "method") (#set! in.module "method") (#set! in.method "method"))
((singleton_method object: (_) @name name: (_) @name) @method (#set! known "^.*\\. →") (#set! leaf))
((assignment left: [(constant) (scope_resolution)] @name right: (call receiver: (_) @when method: (_) @when
  block: (_) @in)) @class
  (#set! when "(?:Struct|Class|Data)\\.(?:new|define)") (#set! in.method "-"))
((assignment left: [(constant) (scope_resolution)] @name right: (call receiver: (_) @when method: (_) @when
  !block)) @class
  (#set! when "(?:Struct|Class|Data)\\.(?:new|define)") (#set! in.method "-") (#set! leaf))
((assignment left: [(constant) (scope_resolution)] @name right: (call receiver: (_) @when method: (_) @when
  block: (_) @in)) @module (#set! when "Module\\.new") (#set! in.method "-"))
((assignment left: [(constant) (scope_resolution)] @name right: (call receiver: (_) @when method: (_) @when
  !block)) @module (#set! when "Module\\.new") (#set! in.method "-") (#set! leaf))
((assignment left: [(constant) (scope_resolution)] @name) @constant (#set! in.method "-"))

((call method: (_) @when arguments: (argument_list (_) @name .)) @import
  (#set! when "require|require_relative|load|autoload")
  (#set! shown "^['\":]+|['\":]+$ →") (#set! in.top "import") (#set! in.other "-"))
((call method: (_) @when arguments: (argument_list [(simple_symbol) (string)] @name)) @property
  (#set! when "attr_(?:reader|writer|accessor)|attribute|[cm]attr_accessor")
  (#set! shown "^['\":]+|['\":]+$ →") (#set! in.method "-"))
((call method: (_) @when arguments: (argument_list . (_) @name)) @method
  (#set! when "define_method|define_singleton_method")
  (#set! shown "^['\":]+|['\":]+$ →") (#set! in.method "-") (#set! leaf))
((call method: (_) @when arguments: (argument_list . (_) @name) block: (_) @in) @test
  (#set! when "describe|context|it|specify|feature|scenario|shared_(?:examples|context)|test|task|namespace")
  (#set! shown "^['\":]+|['\":]+$ →") (#set! in.method "-"))
((alias name: (_) @name) @method (#set! shown "^[:]+|[:]+$ →") (#set! in.method "-") (#set! leaf))
