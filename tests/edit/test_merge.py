"""Exact matches are literal: the replacement is written as sent.

Some edits look damaged and are meant, others are damaged. Nothing in a request tells them apart, so both are written
as sent; the answer notes the second kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import pytest
from tests.edit.cases import (
    Case,
    Desk,
    Editor,
    case_id,
    check_plan,
    literal,
    short_id,
)
from tests.samples import one_in

from filewright.edit.indentation import Indentation
from filewright.edit.merge import merge_match
from filewright.edit.model import ByteRange, EditMatch, HunkPart, Tier
from filewright.edit.request import TextEdit
from filewright.edit.source import Source
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices

PYTHON = 'def f():\n    """Add.\n\n    More.\n    """\n    return 1\n'


FENCES = [
    literal("a.py", PYTHON, "    More.\n", "    More::\n\n    ```python\n    f()\n    ```\n"),
    literal("a.py", PYTHON, "    More.\n", "    ```\n    f()\n    ```\n"),
    literal("a.ex", '  @doc """\n  Adds.\n  """\n', "  Adds.\n", "  Adds.\n\n  ```\n  add(1)\n  ```\n"),
    literal("a.rs", "/// Adds.\nfn add() {}\n", "/// Adds.\n", "/// Adds.\n///\n/// ```\n/// add();\n/// ```\n"),
    literal("a.jl", '"""\nAdds.\n"""\nf() = 1\n', "Adds.\n", "Adds.\n\n```julia\nf()\n```\n"),
    literal("A.kt", "/**\n * Adds.\n */\nfun a() {}\n", " * Adds.\n", " * Adds.\n * ```\n * a()\n * ```\n"),
    literal("a.swift", "/// Adds.\nfunc a() {}\n", "/// Adds.\n", "/// Adds.\n/// ```swift\n/// a()\n/// ```\n"),
    literal("a.md", "One.\n\nTwo.\n", "One.\n", "One:\n\n```sh\nmake\n```\n"),
    literal("a.md", "One.\n\nTwo.\n", "One.", "```sh\nmake\n```"),
    literal("README.md", "Configure it.\n", "Configure it.\n", "Configure it:\n\n```py\nclass A:\n    ...\n```\n"),
    literal("a.mdc", "Use tabs.\n", "Use tabs.\n", "```ts\nok\n```\n"),
    literal("a.mdx", "Use tabs.\n", "Use tabs.", "```jsx\n<A />\n```"),
    literal("a.txt", "Use tabs.\n", "Use tabs.", "```\nok\n```"),
    literal("bug.yml", "x: |\n        Steps\n", "        Steps\n", "        Steps\n        ```\n        command\n        ```\n"),
    literal("prompt.ts", "const p = `\nSay it.\n`;\n", "Say it.\n", "Answer in:\n\\`\\`\\`json\n{}\n\\`\\`\\`\n"),
    literal("a.rst", "One.\n", "One.\n", "One.\n\n.. code::\n\n   ```\n"),
    literal("a.adoc", "One.\n", "One.\n", "```ruby\nputs 1\n```\n"),
    literal("a.go", "// Adds.\nfunc a() {}\n", "// Adds.\n", "// Adds.\n//\n// ```\n// a()\n// ```\n"),
]  # fmt: skip


ESCAPES = [
    # A newline as two characters, where the language has strings that are not the usual ones.
    literal("p.py", "print(f'\\n  Got: {x}')\n", "print(f'\\n  Got: {x}')", "print(f'\\n  Has: {x}\\n')"),
    *(
        literal("p.py", f"x = {prefix}'a'\n", f"{prefix}'a'", f"{prefix}'a\\n'")
        for prefix in ("f", "F", "r", "R", "b", "B", "u", "rb", "bR", "fr", "")
    ),
    *(
        literal("p.py", f'x = {prefix}"a"\n', f'{prefix}"a"', f'{prefix}"\\ta\\n"')
        for prefix in ("f", "r", "b", "u", "rb", "fr", "")
    ),
    literal("p.py", "P = re.compile(r'a\\nb')\n", "r'a\\nb'", "r'a\\n+b'"),
    literal("p.py", "x = '''a\nb'''\n", "'''a\n", "'''a\\n\n"),
    literal("p.py", "a = 'ready'\n", "ready", "ready\\n"),
    literal("p.py", "a = r'end'\n", "r'end", "r'end\\n"),
    literal("a.js", "s.match(/'\\n/);\n", "s.match(/'\\n/);", "s.match(/'\\n+/);"),
    literal("a.js", "s.split(/,/);\n", "/,/", "/\\r?\\n/"),
    literal("a.js", "function f(){return'a'}\n", "return'a'", "return'a\\n'"),
    literal("a.js", "const a = `x`;\n", "`x`", "`x\\n${y}\\t`"),
    literal("a.ts", "const s = 'hi';\n", "const s = 'hi';", "const s = 'say \\\"hi\\\"';"),
    literal("a.dart", "RegExp(r'a\\n');\n", "RegExp(r'a\\n');", "RegExp(r'b\\n');"),
    literal("a.m", "fprintf('%d\\n', A');\n", "fprintf('%d\\n', A');", "fprintf('%d\\n', B');"),
    literal("a.hs", 'x = foldl\' f "a"\n', "foldl' f \"a\"", "foldl' f \"a\\n\""),
    literal("a.ini", "note = it's on\n", "it's on", "it's on\\noff"),
    literal("m.properties", "a=one\n", "a=one", "a=one\\nzwei"),
    literal("a.json", '{"a": "one"}\n', "one", "one\\n"),
    literal("a.json", '{"a": "one"}\n', '"one"', '"say \\"one\\"\\n"'),
    literal("a.sql", "select E'a';\n", "E'a", "E'a\\n"),
    literal("a.pl", "print 'a';\n", "print 'a';", 'print "a\\n";'),
    literal("a.rb", "puts 'a'\n", "puts 'a'", 'puts "a\\n\\tb"'),
    literal("a.php", "<?php\necho 'a';\n", "echo 'a';", 'echo "a\\n";'),
    literal("a.c", 'puts("a");\n', 'puts("a");', 'printf("a\\n\\tb\\r\\n");'),
    literal("a.cpp", 'auto s = "a";\n', '"a"', 'R"(a\\n)"'),
    literal("a.rs", 'p("a");\n', '"a"', 'r#"a\\n"b"#'),
    literal("a.go", "p(`a`)\n", "`a`", "`a\\n`"),
    literal("a.lua", 'print("a")\n', '"a"', '"a\\n\\065"'),
    literal("a.sh", "echo a\n", "echo a", "printf 'a\\n\\tb\\n'"),
    literal("a.sh", "echo a\n", "echo a", "echo $'a\\nb'"),
    literal("a.ps1", "echo a\n", "echo a", 'echo "a`nb"'),
    literal("a.awk", "{ print }\n", "print", 'printf "%s\\n", $0'),
    literal("a.vim", "echo 'a'\n", "'a'", '"a\\n"'),
    literal("a.el", '(message "a")\n', '"a"', '"a\\n"'),
    literal("a.tex", "a\n", "a", "\\newline b \\textbf{c}"),
    literal("a.tex", "a\n", "a", "\\nu \\tau \\rho"),
    literal("a.md", "say hi\n", "say hi", 'say \\"hi\\" and \\*not bold\\*'),
    literal("a.txt", "C: drive\n", "C: drive", "C:\\new\\table\\run"),
    literal("a.bat", "cd x\n", "cd x", "cd C:\\new\\table"),
    literal("a.r", "cat('a')\n", "'a'", "'a\\n'"),
    literal("a.jl", 'println("a")\n', '"a"', 'raw"a\\n"'),
    literal("a.swift", 'print("a")\n', '"a"', '#"a\\n"#'),
    literal("A.kt", 'val s = "a"\n', '"a"', '"""a\\n"""'),
    literal("A.cs", 'var s = "a";\n', '"a"', '@"a\\n"'),
    literal("A.scala", 'val s = "a"\n', '"a"', 'raw"a\\n"'),
    literal("A.java", 'String s = "a";\n', '"a"', '"a\\n" + "\\t\\"b\\""'),
    # Quotes that the language or the shell behind it wants escaped.
    literal("Makefile", "CFLAGS += -DV=1\n", "CFLAGS += -DV=1", 'CFLAGS += -DNAME=\\"pump\\" -DV=1'),
    literal("CMakeLists.txt", "add_definitions(-DV=1)\n", "add_definitions(-DV=1)", 'add_definitions(-DNAME=\\"pump\\")'),
    literal("a.ini", "cmd = echo\n", "cmd = echo", 'cmd = echo \\"hi\\"'),
    literal("nginx.conf", "http {\n  log_format m '$a';\n}\n", "  log_format m '$a';", "  log_format m escape=json '{\\\"a\\\": $a}';"),
    literal("ci.yml", "steps:\n  - run: echo hi\n", "  - run: echo hi", '  - run: echo \\"hi\\"'),
    literal("a.yaml", 'a: "b"\n', '"b"', '"say \\"b\\"\\n"'),
    literal("a.toml", 'a = "b"\n', '"b"', '"say \\"b\\"\\n"'),
    literal("Dockerfile", "CMD a\n", "CMD a", 'CMD ["sh", "-c", "echo \\"a\\""]'),
    literal("a.tf", 'a = "b"\n', '"b"', '"say \\"b\\""'),
    literal("a.css", "a { content: 'x' }\n", "'x'", "'\\201C\\n'"),
    literal("a.html", "<a onclick='f()'>\n", "f()", 'f(\\"a\\")'),
    literal(".env", "A=b\n", "A=b", 'A="say \\"b\\"\\n"'),
    literal("a.groovy", "sh 'x'\n", "'x'", '"x \\"y\\""'),
    literal("a.service", "ExecStart=a\n", "ExecStart=a", 'ExecStart=/bin/sh -c \\"a\\"'),
    literal("a.graphql", '"Doc."\ntype A\n', "Doc.", 'Doc \\"a\\".'),
]  # fmt: skip


ENTITIES = [
    literal("a.md", "less than ten\n", "less than ten", "R&amp;D costs more"),
    literal("a.md", "less than ten\n", "less than ten", "Write `&lt;` for a less-than sign."),
    literal("a.md", "less than ten\n", "less than ten", "`a &lt; b` is less than ten &amp; more"),
    literal("api.md", "| List | a list |\n", "| List | a list |", "| List&lt;T&gt; | a list |"),
    literal("a.html", "<p>a</p>\n", "<p>a</p>", "<p>a &lt; b</p>"),
    literal("a.html", "<p>a</p>\n", "<p>a</p>", "<pre>&lt;p&gt;a&lt;/p&gt;</pre>"),
    literal("A.hbs", "<p>\n  less\n</p>\n", "  less", "  a &lt; b"),
    literal("A.java", "/**\n * A list of names.\n */\n", " * A list of names.", " * A {@code List&lt;String&gt;} of names, a &lt; b."),
    literal("A.cs", "/// <summary>A list.</summary>\n", "A list.", "A List&lt;T&gt; &amp; more."),
    literal("el.ts", "html`\n    <p>less</p>\n`\n", "    <p>less</p>", "    <p>${this.a} &lt; ${this.b}</p>"),
    literal("t.py", 'T = "<p>less</p>"\n', "<p>less</p>", "<p>a &lt; b</p>"),
    literal("a.tsx", "<p>less</p>\n", "less", "a &lt; b &amp;&amp; c"),
    literal("a.vue", "<template>\n  <p>x</p>\n</template>\n", "x", "a &lt; b"),
    literal("a.svelte", "<p>x</p>\n", "x", "&quot;a&quot;"),
    literal("a.xml", "<a>x</a>\n", "x", "&lt;b&gt; &amp; &#60;"),
    literal("a.svg", "<text>y</text>\n", "y", "a &amp; b"),
    literal("a.php", "<p>x</p>\n", "x", "&copy; a &gt; b"),
    literal("a.erb", "<p>x</p>\n", "x", "<%= a %> &lt; b"),
    literal("a.rst", "less\n", "less", "``&lt;``"),
    literal("strings.xml", "<string>x</string>\n", "x", "it\\'s &lt;b&gt;"),
    literal("a.js", "const a = 'x';\n", "'x'", "'&lt;' + \"&amp;\""),
    literal("a.py", "x = y.replace('a')\n", ".replace('a')", '.replace("&", "&amp;").replace("<", "&lt;")'),
]  # fmt: skip


SIGNS = [
    # Bullets, operators and columns that look like a diff, a gutter or numbers of lines.
    literal("a.md", "- a\n- b\n", "- a\n- b", "+ a\n+ b"),
    literal("a.md", "- a\n- b\n", "- b", "+ b\n+ c"),
    literal("calc.js", "const a = x\n  * 2\n", "const a = x\n  * 2\n", "const a = x\n+ y\n+ z\n"),
    literal("a.js", "x = a\n  + b;\n", "  + b;", "  + b\n  + c;"),
    literal("a.py", "x = (a\n+ b)\n", "+ b)", "+ b\n- c)"),
    literal("a.yaml", "a:\n- x\n", "- x\n", "- x\n- -y\n"),
    literal("a.diff", " a\n-b\n", "-b\n", "-b\n+c\n"),
    literal("a.txt", "rows\n", "rows\n", "1 | Ada\n2 | Bob\n3 | Cid\n"),
    literal("todo.txt", "wash\ndry\n", "wash\ndry\n", "1. wash\n2. dry\n"),
    literal("d.tsv", "id\tname\n7\tZed\n", "7\tZed", "1\tAda\n2\tBob\n3\tCid"),
    literal("d.csv", "id,name\n7,Zed\n", "7,Zed", "1,Ada\n2,Bob"),
    literal("a.md", "Steps\n", "Steps", "1. one\n2. two\n3. three"),
    literal("a.py", "codes = None\n", "codes = None", "codes = {\n    1: a,\n    2: b,\n    3: c,\n}"),
    literal("a.py", "codes = {\n    1: a,\n}\n", "    1: a,", "    1: a,\n    2: b,\n    3: c,"),
    literal("a.c", "switch (a) {\n}\n", "{\n}", "{\n  case 1: a(); break;\n  case 2: b(); break;\n}"),
    literal("a.bas", "10 END\n", "10 END", '10 PRINT "A"\n20 GOTO 10\n30 END'),
    literal("a.f", "      END\n", "      END", "   10 CONTINUE\n   20 CONTINUE\n      END"),
    literal("a.asm", "nop\n", "nop", "1: dec ax\n2: jnz 1b\n3: ret"),
    literal("a.md", "Text.\n", "Text.", "> Text.\n> More."),
    literal("a.eml", "Text.\n", "Text.", "> Text.\n> More."),
    literal("a.log", "x\n", "x", "12:00:01 a\n12:00:02 b"),
    literal("a.txt", "x\n", "x", "a.py:1: error\na.py:2: error"),
    literal("a.md", "x\n", "x", "| a | b |\n|---|---|\n| 1 | 2 |"),
    literal("a.sql", "select 1\n", "select 1", "select 1 -- a\n-- b\n-- c"),
    literal("a.hs", "x = 1\n", "x = 1", "-- | Doc.\nx = 1"),
    literal("a.md", "x\n", "x", "-----\nx\n====="),
    literal("a.rst", "x\n", "x", ">>> f()\n1\n>>> g()"),
    literal("a.py", "x = 1\n", "x = 1", "# >>> conda\nx = 1\n# <<< conda"),
    literal("a.md", "x\n", "x", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x"),
    literal("a.sh", "cat <<EOF\nx\nEOF\n", "x\n", "@@ -1 +1 @@\n-a\n+b\n"),
    literal("a.snap", "x\n", "x", "- Expected\n+ Received\n\n- a\n+ b"),
]  # fmt: skip


TYPOGRAPHY = [
    literal("a.md", "say it\n", "say it", "say “it” – it’s… done"),
    literal("a.py", "x = 1\n", "x = 1", "# a “word”\nx = 1"),
    literal("a.py", "x = 1\n", "x = 1", 'x = "“"'),
    literal("a.py", 'p("a")\n', '"a"', '"it’s – done"'),
    literal("i18n.ts", "  hello: 'ready',\n", "'ready'", "'It’s all ready – now…'"),
    literal("de.json", '{"a": "x"}\n', "x", "„x“ – ‚y‘"),
    literal("fr.po", 'msgstr "x"\n', "x", "«\u00a0x\u00a0» !"),
    literal("a.rst", "x\n", "x", "x\u00a0km — “y”"),
    literal("a.html", "<p>x</p>\n", "x", "“x”\u00a0– y"),
    literal("a.tex", "x\n", "x", "“x” – y"),
    literal("a.css", "a { content: 'x' }\n", "'x'", "'→\u00a0'"),
    literal("a.jl", "f(x) = 1\n", "1", "x ≤ 2 ? x × 2 : 0"),
    literal("a.agda", "x = 1\n", "x = 1", "x : ℕ → ℕ"),
    literal("a.hs", "f :: a\n", ":: a", "∷ a → b"),
    literal("a.md", "x\n", "x", "a\u200bb 👩\u200d💻 é e\u0301"),
    literal("a.fa.md", "x\n", "x", "می\u200cخواهم"),
]  # fmt: skip


CODE = [
    # Dots that are code.
    literal("a.pyi", "def f(): pass\n", "pass", "..."),
    literal("a.py", "def f():\n    pass\n", "    pass\n", "    ...\n"),
    literal("a.py", "class P(Protocol):\n    x: int\n", "    x: int\n", "    def f(self) -> int:\n        ...\n"),
    literal("a.py", "x = a[0]\n", "a[0]", "a[..., 0]"),
    literal("a.py", "def f(x: tuple[int]) -> None: pass\n", "tuple[int]", "tuple[int, ...]"),
    literal("a.js", "const a = {\n  b,\n  c,\n};\n", "  b,\n  c,\n", "  ...rest,\n"),
    literal("a.ts", "f(a, b);\n", "f(a, b);", "f(...args);"),
    literal("a.tsx", "<A\n  b={b}\n  c={c}\n/>\n", "  b={b}\n  c={c}\n", "  {...props}\n"),
    literal("a.go", "f(a, b)\n", "a, b", "args..."),
    literal("a.go", "func f(a int) {}\n", "a int", "a ...int"),
    literal("A.java", "void f(String a) {}\n", "String a", "String... a"),
    literal("a.c", "void f(int a);\n", "int a", "const char *f, ..."),
    literal("a.cpp", "template <class T> void f(T t);\n", "class T", "class... T"),
    literal("a.rs", "let P { a, b } = p;\n", "a, b", "a, .."),
    literal("a.rs", "for i in it {}\n", "it", "0..=9"),
    literal("a.rb", "a = b[1]\n", "[1]", "[1...3]"),
    literal("a.php", "<?php f($a, $b);\n", "$a, $b", "...$args"),
    literal("a.lua", "function f(a)\nend\n", "(a)", "(...)\n  local a = ..."),
    literal("a.kt", "for (i in a) {}\n", "in a", "in 0..9"),
    literal("a.swift", "for i in a {}\n", "in a", "in 0...9"),
    literal("a.dart", "x = [a, b];\n", "a, b", "...a, ...?b"),
    literal("a.ex", "x = [1, 2]\n", "[1, 2]", "1..2"),
    literal("a.pl", "sub f { 1 }\n", "1", "..."),
    literal("a.r", "f <- function(a) a\n", "(a) a", "(...) g(...)"),
    literal("a.scala", "f(a)\n", "f(a)", "f(a: _*) // ..."),
    literal("a.md", "Wait.\n", "Wait.", "Wait ..."),
    literal("a.txt", "one\ntwo\n", "one\n", "one\n...\n"),
    literal("a.yaml", "---\na: 1\n", "a: 1\n", "a: 1\n...\n"),
    # Comments about what exists already, where no line goes.
    literal("a.py", "x = 1\n", "x = 1", "# other imports\nx = 1"),
    literal("a.py", "x = 1\n", "x = 1", "# keeps the existing code\nx = 1"),
    literal("a.js", "a();\n", "a();", "// The rest of the list is unchanged.\na();"),
    literal("STYLE.md", "Never shorten code.\n", "Never shorten code.", "Never shorten code with lines such as:\n\n    // ... existing code ..."),
]  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [*FENCES, *ESCAPES, *ENTITIES, *SIGNS, *TYPOGRAPHY, *CODE],
    ids=case_id,
)
def test_writes_text_as_sent(editor: Editor, case: Case) -> None:
    editor.check(case)


@pytest.mark.parametrize(
    "case",
    one_in(6, [*FENCES, *ESCAPES, *ENTITIES, *SIGNS, *TYPOGRAPHY, *CODE]),
    ids=case_id,
)
def test_writes_text_as_sent_without_fuzzy(desk: Desk, case: Case) -> None:
    desk.check(case, fuzzy=False)


TWO = "a = 0\nb = 2\n"


CALL = "a();\nb();\n"


DAMAGED = [
    # Numbers of lines, on all lines or on a part.
    literal("a.py", TWO, "a = 0", "38: a = 1", noted=True),
    literal("a.py", TWO, "a = 0\nb = 2", "38: a = 1\n39: b = 2", noted=True),
    literal("a.py", TWO, "a = 0\nb = 2", "a = 1\n2: b = 5", noted=True),
    literal("a.py", TWO, "a = 0\nb = 2", "a = 1\n2→b = 5", noted=True),
    literal("a.py", TWO, "a = 0\nb = 2", "     1\ta = 1\n     2\tb = 2", noted=True),
    literal("a.py", TWO, "a = 0\nb = 2", "  1 | a = 1\n> 2 | b = 5", noted=True),
    literal("a.js", CALL, "a();\nb();", "12│ a();\n13│ c();", noted=True),
    literal("f.py", TWO, "a = 0\nb = 2", "f.py:1: a = 1\nf.py:2: b = 2", noted=True),
    literal("a.js", CALL, "a();\nb();", "12- a();\n13- c();", noted=True),
    # Fences.
    literal("a.py", TWO, "a = 0", "```python\na = 1\n```", noted=True),
    literal("a.py", TWO, "a = 0", "```\na = 1", noted=True),
    literal("a.py", TWO, "a = 0\n", "a = 1\n```\n", noted=True),
    literal("a.py", TWO, "a = 0\n", "a = 1\n```\n\nThis sets a.\n", noted=True),
    literal("a.c", "c();\n", "c();", "~~~c\nd();\n~~~", noted=True),
    # Escaped newlines, tabs, quotes.
    literal("a.py", TWO, "a = 0\nb = 2", "a = 1\\nb = 3", noted=True),
    literal("a.js", CALL, "a();\nb();", "a();\\n\nc();\\n", noted=True),
    literal("a.js", CALL, "a();\nb();", "a();\\r\\nc();", noted=True),
    literal("a.js", CALL, "a();\nb();", "a();\\r\nc();\\r", noted=True),
    literal("a.py", "go()\n", "go()", "go(1)\\n", noted=True),
    literal("a.go", "func f() {\n\tgo()\n}\n", "\tgo()", "\\thalt()", noted=True),
    literal("a.py", 'p("a")\nq()\n', 'p("a")', 'p(\\"b\\")', noted=True),
    literal("a.py", "p('a')\nq()\n", "p('a')", "p(\\'b\\')", noted=True),
    literal("a.js", "a(`x`);\n", "a(`x`);", "a(\\`y\\`);", noted=True),
    literal("a.js", "if (a < b) {}\n", "if (a < b)", "if (a \\u003c c)", noted=True),
    # Entities in code, and tags as entities in markup.
    literal("a.py", "if a < b:\n    go()\n", "if a < b:", "if a &lt; c:", noted=True),
    literal("a.ts", "if (a && b) {}\n", "if (a && b)", "if (a &amp;&amp; c)", noted=True),
    literal("a.c", "if (a < b) {}\n", "if (a < b)", "if (a &#60; c)", noted=True),
    literal("a.c", "if (a < b) {}\n", "if (a < b)", "if (a &#x3C; c)", noted=True),
    literal("a.html", "<p>a</p>\n", "<p>a</p>", "&lt;p&gt;a&lt;/p&gt;", noted=True),
    literal("a.tsx", "<p>a</p>\n", "<p>a</p>", "&lt;p&gt;a&lt;/p&gt;", noted=True),
    literal("a.vue", "<p>a</p>\n", "<p>a</p>", "&lt;p&gt;a&lt;/p&gt;", noted=True),
    literal("a.xml", "<p>a</p>\n", "<p>a</p>", "&lt;p&gt;a&lt;/p&gt;", noted=True),
    # Typographic quotes, blanks and operators in code.
    literal("a.py", "p(b)\nq()\n", "p(b)", "p(“b”)", noted=True),
    literal("a.py", 'p("a")\nq()\n', 'p("a")', "p(“b”)", noted=True),
    literal("a.js", CALL, "a();", "a(‘b’);", noted=True),
    literal("A.cs", CALL, "a();", "a(“b”);", noted=True),
    literal("a.css", "a { b: c }\n", "c", "“c”", noted=True),
    literal("a.toml", "a = 1\n", "1", "“b”", noted=True),
    literal("a.py", "def f():\n    go()\n", "    go()", "\u00a0\u00a0\u00a0\u00a0go(1)", noted=True),
    literal("a.py", "a = b - c\n", "a = b - c", "a = b – d", noted=True),
    literal("a.py", "a = b - c\n", "a = b - c", "a = b − d", noted=True),
    literal("a.js", CALL, "a();", "a（）;", noted=True),
    literal("a.ts", "f = (a) => b;\n", "(a) => b", "(a) → c", noted=True),
    literal("a.py", TWO, "a = 0", "a\u200b = 1", noted=True),
    literal("a.py", TWO, "a = 0", "\ufeffa = 1", noted=True),
    # What an agent's own call left in the text.
    *(
        literal("a.py", TWO, "a = 0\nb = 2", f"a = 1\nb = 2{tag}", noted=True)
        for tag in (
            "</new_string>", "\n</new_string>", "\n</parameter>\n</invoke>", "</parameter>", "\n>>>>>>> REPLACE", "<|endoftext|>",
            "</replace>", "\n</content>", "<|im_end|>", "\n</function>", "\n*** End Patch", "\n=======",
        )
    ),
    literal("a.py", TWO, "a = 0", "<![CDATA[a = 1]]>", noted=True),
    literal("a.py", TWO, "a = 0", "<new_string>a = 1", noted=True),
    literal("a.py", TWO, "a = 0", "<<<<<<< SEARCH\na = 0\n=======\na = 1\n>>>>>>> REPLACE", noted=True),
    # Diffs.
    literal("a.js", CALL, "a();", "a();\n+c();", noted=True),
    literal("a.js", CALL, "a();\nb();", " a();\n-b();\n+c();", noted=True),
    literal("a.js", "a();\n{\nb();\n", "a();\n{\nb();", "@@ -1,3 +1,2 @@\n a();\n-{\n b();", noted=True),
    literal("a.js", CALL, "a();\nb();", "--- a/a.js\n+++ b/a.js\n@@ -1,2 +1,2 @@\n a();\n-b();\n+c();", noted=True),
    # JSON texts, and doubled signs of a format.
    literal("a.py", TWO, "a = 0", '"a = 1"', noted=True),
    literal("a.js", CALL, "a();\nb();", '"a();\\nc();"', noted=True),
    literal("a.py", 'p("%d" % a)\n', 'p("%d" % a)', 'p("%%d" %% b)', noted=True),
    literal("a.js", "f({ a: 1 });\n", "f({ a: 1 });", "f({{ a: 2 }});", noted=True),
    # The replacement goes on with what stands behind the text.
    literal("a.js", "const a = 1;\nb();\n", "const a = 1", "const a = 2;", noted=True),
    literal("a.js", "if (x) {\n  a();\n}\n", "if (x)", "if (x && z) {", noted=True),
    literal("a.js", "function f() {\n  a();\n  b();\n}\n", "function f() {\n  a();\n  b();", "function f() {\n  a();\n  c();\n}", noted=True),
]  # fmt: skip


@pytest.mark.parametrize("case", DAMAGED, ids=case_id)
def test_notes_damage(editor: Editor, case: Case) -> None:
    editor.check(case)


@pytest.mark.parametrize(
    "table", [FENCES, ESCAPES, ENTITIES, SIGNS, TYPOGRAPHY, CODE, DAMAGED]
)
def test_replaces_all_as_sent(editor: Editor, table: list[Case]) -> None:
    for case in table:
        twice = f"{case.file}{case.file}"
        edits = [
            {
                "search": case.search,
                "replace": case.replace,
                "replace_all": True,
            }
        ]
        result = editor.edit(case.name, twice, edits)
        assert result.text == twice.replace(case.search, case.replace), (
            f"{case}: {result.answer}"
        )


def unified(case: Case) -> str:
    """The case as a hunk that names whole lines."""
    old, new = case.file.splitlines(), (case.expected or "").splitlines()
    rows = [f"-{line}" for line in old] + [f"+{line}" for line in new]
    head = f"--- a/{case.name}\n+++ b/{case.name}\n@@ -1,{len(old)} +1,{len(new)} @@\n"
    return head + "\n".join(rows) + "\n"


def envelope(case: Case) -> str:
    """The case as models that write patches send it."""
    rows = [f"-{line}" for line in case.file.splitlines()]
    rows += [f"+{line}" for line in (case.expected or "").splitlines()]
    return "\n".join(
        [
            "*** Begin Patch",
            f"*** Update File: {case.name}",
            "@@",
            *rows,
            "*** End Patch",
            "",
        ]
    )


@pytest.mark.parametrize("notation", [unified, envelope])
@pytest.mark.parametrize(
    "case",
    one_in(10, [*FENCES, *ESCAPES, *ENTITIES, *SIGNS, *TYPOGRAPHY, *CODE]),
    ids=case_id,
)
def test_patch_writes_lines_as_sent(
    desk: Desk, notation: Callable[[Case], str], case: Case
) -> None:
    result = desk.patch(case.name, case.file, notation(case))
    assert result.text == case.expected, result.answer


@pytest.mark.parametrize(
    "case",
    one_in(
        8, [*FENCES, *ESCAPES, *ENTITIES, *SIGNS, *TYPOGRAPHY, *CODE, *DAMAGED]
    ),
    ids=case_id,
)
def test_replace_writes_text_as_sent(desk: Desk, case: Case) -> None:
    result = desk.replace(case.name, case.file, case.search, case.replace)
    assert result.text == case.expected, result.answer


@pytest.mark.parametrize(
    "case",
    one_in(8, [*FENCES, *ESCAPES, *ENTITIES, *SIGNS, *TYPOGRAPHY, *CODE]),
    ids=case_id,
)
def test_named_lines_take_text_as_sent(desk: Desk, case: Case) -> None:
    path = desk.put(case.name, case.file)
    name = desk.named(path)
    desk.workspace.read(name)
    edits = [
        {
            "start_line": 1,
            "end_line": len(case.file.splitlines()),
            "replace": case.expected,
        }
    ]
    result = desk.call(path, "edit", name, edits)
    assert result.text == case.expected, result.answer


CELLS = [
    ("m1", "# Title", "# Title\n\n```sh\nmake\n```"),
    ("m1", "# Title", "# R&amp;D – “it”"),
    ("c1", "x = 'a'", "x = f'a\\n{b}'"),
]


@pytest.mark.parametrize(("cell", "search", "replace"), CELLS, ids=short_id)
def test_cell_takes_text_as_sent(
    desk: Desk, cell: str, search: str, replace: str
) -> None:
    nbformat = pytest.importorskip("nbformat")
    v4 = nbformat.v4
    book = v4.new_notebook(
        cells=[
            v4.new_markdown_cell("# Title", id="m1"),
            v4.new_code_cell("x = 'a'", id="c1"),
        ]
    )
    text = nbformat.writes(book) + "\n"
    edits = [{"search": search, "replace": replace}]
    result = desk.edit("b.ipynb", text, edits, cell=cell)
    assert result.text is not None, result.answer
    sources = {
        each.id: each.source for each in nbformat.reads(result.text, 4).cells
    }
    assert sources[cell] == replace


def test_note_names_line_of_sixth_stretch(desk: Desk) -> None:
    calls = [f"step_{number}();" for number in range(6)]
    file = "\nother();\n".join(calls) + "\n"
    search = "\n// ...\n".join(calls)
    replace = search.replace(calls[-1], "step_5(&quot;);")
    result = desk.edit("a.js", file, [{"search": search, "replace": replace}])
    assert result.text == file.replace(calls[-1], "step_5(&quot;);")
    assert "line 11 now contains the entity &quot;" in result.answer


class Number(int):
    """The number of a line, which counts how often it is compared."""

    compared: ClassVar = 0
    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        Number.compared += 1
        return int(self) == other


def comparisons(count: int) -> int:
    """How often line numbers are compared where `count` lines stay, and a line in their midst is changed."""
    file = "".join(f"  line {number}\n" for number in range(count))
    old = tuple(f"line {number}" for number in range(count))
    new = (*old[: count // 2], "another", *old[count // 2 + 1 :])
    kept = {Number(at): Number(at) for at in range(count) if at != count // 2}
    source = Source(Snapshot(file.encode()))
    span = ByteRange(0, len(file))
    part = HunkPart(
        tuple(source.rows()), span, old, new, kept, Indentation.of([("", "  ")])
    )
    edit = TextEdit("\n".join(old), "\n".join(new))
    Number.compared = 0
    splices = merge_match(source, EditMatch(edit, Tier.INDENT, (part,))).splices
    assert apply_splices(file.encode(), splices).decode() == file.replace(
        f"line {count // 2}\n", "another\n"
    )
    return Number.compared


def test_compares_kept_lines_in_linear_work() -> None:
    assert comparisons(4_000) < 6 * comparisons(1_000)


# A part of a line, or of a word, that the replacement has all of.

PARTS = [
    # The replacement has the whole indentation.
    Case(
        "a.py",
        "def f():\n    go()\n",
        "  go()",
        "    gone()",
        "def f():\n    gone()\n",
    ),
    Case(
        "a.py",
        "def f():\n    go()\n",
        "go()",
        "    gone()",
        "def f():\n    gone()\n",
    ),
    # Exact is literal, and what is there twice then is noted.
    Case(
        "a.py",
        "def f():\n    go()\n",
        "ef f():",
        "def g():",
        "ddef g():\n    go()\n",
    ),
    Case("a.py", "foo(bar)\n", "foo(ba", "foo(bar", "foo(barr)\n"),
    Case(
        "a.py",
        "def f():\n    go()\n",
        "go()",
        "gone()",
        "def f():\n    gone()\n",
    ),
    Case("a.py", "foobar = 1\n", "bar", "baz", "foobaz = 1\n"),
]


@pytest.mark.parametrize("case", PARTS, ids=case_id)
def test_replaces_part_of_line_literally(case: Case) -> None:
    check_plan(case)
