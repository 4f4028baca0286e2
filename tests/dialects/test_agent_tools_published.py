"""The inputs of the agent-tools repository's own tests, and what they want of the answer and the files.

The original can be installed from no registry, so what it does is taken from its tests. Where this dialect
does something else, `differs` names the row of the moving guide that says so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.dialects.conftest import furnish

from filewright import Workspace

GUIDE = Path(__file__).parents[2] / "docs" / "moving.md"

KIND = "| `list_dir` of a file, `apply_patch` that creates below one |"
NUMBERS = "| `edit_file`, a pasted line number |"
INDENT = "| `edit_file`, text that differs in indentation |"
PART = "| `edit_file`, spaces around a part of a line |"
LINES = "| `edit_file`, two blocks that are alike but for each line's indentation |"
GRAMMAR = "| `write_file` of TypeScript that does not parse |"
EVERYWHERE = "| `replace` without `path` and `glob` |"
"""The beginnings of the guide's rows."""


@dataclass(frozen=True)
class Published:
    """A call, and what the original's test wants of it."""

    name: str
    tool: str
    arguments: dict[str, Any]
    files: dict[str, Any]
    text: str | None = None
    has: str = ""
    lacks: str | None = None
    error: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    after: dict[str, str | None] = field(default_factory=dict)
    differs: str | None = None


given = Published
# fmt: off
CASES = (
    given('modify', 'apply_patch', {'patch': '--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\n line1\n-line2\n+CHANGED\n line3\n'}, {'f.txt': 'line1\nline2\nline3\n'}, after={'f.txt': 'line1\nCHANGED\nline3\n'}),
    given('binary', 'apply_patch', {'patch': '--- a/bin\n+++ b/bin\n@@ -1,1 +1,1 @@\n-a\n+b\n'}, {'bin': b'a\x00b'}, error='is_binary'),
    given('utf16', 'apply_patch', {'patch': '--- a/u\n+++ b/u\n@@ -1,2 +1,2 @@\n-hello\n+HELLO\n world\n'}, {'u': b'\xff\xfeh\x00e\x00l\x00l\x00o\x00\n\x00w\x00o\x00r\x00l\x00d\x00\n\x00'}, error='is_binary'),
    given('create', 'apply_patch', {'patch': '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+hello\n+world\n'}, {}, after={'new.txt': 'hello\nworld\n'}),
    given('clobber', 'apply_patch', {'patch': '--- /dev/null\n+++ b/e\n@@ -0,0 +1,1 @@\n+c\n'}, {'e': 'keep\n'}, error='invalid_input', after={'e': 'keep\n'}),
    given('below file', 'apply_patch', {'patch': '--- /dev/null\n+++ b/nd/c\n@@ -0,0 +1,1 @@\n+x\n'}, {'nd': 'x\n'}, error='not_a_file', differs=KIND),
    given('delete', 'apply_patch', {'patch': '--- a/d\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-bye\n'}, {'d': 'bye\n'}, after={'d': None}),
    given('partial delete', 'apply_patch', {'patch': '--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n'}, {'f': 'a\nb\n'}, error='invalid_input'),
    given('rename', 'apply_patch', {'patch': '--- a/old\n+++ b/new\n'}, {'old': 'hello\n'}, after={'old': None, 'new': 'hello\n'}),
    given('rename+edit', 'apply_patch', {'patch': '--- a/from\n+++ b/to\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n'}, {'from': 'one\ntwo\n'}, after={'from': None, 'to': 'ONE\ntwo\n'}),
    given('rename crlf', 'apply_patch', {'patch': '--- a/old\n+++ b/sub/new\n@@ -1,2 +1,2 @@\n-hello\n+HELLO\n world\n'}, {'old': 'hello\r\nworld\r\n'}, after={'sub/new': 'HELLO\r\nworld\r\n'}),
    given('same', 'apply_patch', {'patch': '--- a/s\n+++ b/./s\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n'}, {'s': 'a\nb\n'}, after={'s': 'A\nb\n'}),
    given('rename onto', 'apply_patch', {'patch': '--- a/old\n+++ b/new\n'}, {'old': 'a\n', 'new': 'k\n'}, error='invalid_input'),
    given('chain', 'apply_patch', {'patch': '--- a/a\n+++ b/b\n--- a/b\n+++ b/c\n'}, {'a': '1\n', 'b': '2\n'}, error='invalid_input'),
    given('rename missing', 'apply_patch', {'patch': '--- a/nope\n+++ b/new\n'}, {}, error='not_found'),
    given('rename dir', 'apply_patch', {'patch': '--- a/dir\n+++ b/dir2\n'}, {'dir': None}, error='not_a_file'),
    given('atomic', 'apply_patch', {'patch': '--- a/ok\n+++ b/ok\n@@ -1,1 +1,1 @@\n-aaa\n+AAA\n--- a/bad\n+++ b/bad\n@@ -1,1 +1,1 @@\n-WRONGCONTEXT\n+X\n'}, {'ok': 'aaa\n', 'bad': 'bbb\n'}, error='patch_failed', fields={'file': 'bad', 'hunk': 1}),
    given('no +++', 'apply_patch', {'patch': '--- a/f\n'}, {}, error='invalid_input'),
    given('no hunks', 'apply_patch', {'patch': '--- a/x\n+++ b/x\n'}, {'x': 'a\n'}, error='invalid_input'),
    given('null null', 'apply_patch', {'patch': '--- /dev/null\n+++ /dev/null\n'}, {}, error='invalid_input'),
    given('null null hunk', 'apply_patch', {'patch': '--- /dev/null\n+++ /dev/null\n@@ -0,0 +1,1 @@\n+x\n'}, {}, error='invalid_input'),
    given('no headers', 'apply_patch', {'patch': '@@ -1,1 +1,1 @@\n-a\n+b\n'}, {}, error='invalid_input'),
    given('tab', 'apply_patch', {'patch': '--- a/ts\t2020-01-01 00:00:00\n+++ b/ts\t2020-01-02 00:00:00\n@@ -1,2 +1,2 @@\n-x\n+X\n y\n'}, {'ts': 'x\ny\n'}, after={'ts': 'X\ny\n'}),
    given('not patch', 'apply_patch', {'patch': 'x', 'bogus': 1}, {}, error='invalid_input'),
    given('twice', 'apply_patch', {'patch': '--- a/g\n+++ b/g\n@@ -1,1 +1,1 @@\n-x1\n+X1\n--- a/g\n+++ b/g\n@@ -3,1 +3,1 @@\n-x3\n+X3\n'}, {'g': 'x1\nx2\nx3\n'}, error='invalid_input'),
    given('rename hunk fail', 'apply_patch', {'patch': '--- a/old\n+++ b/new\n@@ -1,1 +1,1 @@\n-WRONGCONTEXT\n+X\n'}, {'old': 'actual\n'}, error='patch_failed', fields={'file': 'old', 'hunk': 1}),
    given('second hunk', 'apply_patch', {'patch': '--- a/m\n+++ b/m\n@@ -1,1 +1,1 @@\n-1\n+ONE\n@@ -3,1 +3,1 @@\n-WRONGCONTEXT\n+X\n'}, {'m': '1\n2\n3\n4\n5\n'}, error='patch_failed', fields={'file': 'm', 'hunk': 2}),
    given('combined', 'apply_patch', {'patch': '--- a/f\n+++ b/f\n@@ -4,1 +4,1 @@\n-KEY\n+KEY2\n@@ -6,1 +6,1 @@\n-NEEDLE\n+NEEDLE2\n'}, {'f': 'NEEDLE\na\nb\nKEY\nc\nd\n'}, error='patch_failed', fields={'file': 'f'}),
    given('edit', 'edit_file', {'path': 'f', 'old_string': 'beta', 'new_string': 'BETA'}, {'f': 'alpha beta gamma'}, after={'f': 'alpha BETA gamma'}),
    given('all', 'edit_file', {'path': 'f', 'old_string': 'x', 'new_string': 'y', 'replace_all': True}, {'f': 'x x x'}, after={'f': 'y y y'}),
    given('crlf', 'edit_file', {'path': 'f', 'old_string': 'beta\ngamma', 'new_string': 'BETA\nGAMMA'}, {'f': 'alpha\r\nbeta\r\ngamma\r\n'}, after={'f': 'alpha\r\nBETA\r\nGAMMA\r\n'}),
    given('empty', 'edit_file', {'path': 'f', 'old_string': '', 'new_string': 'x'}, {'f': 'h'}, error='invalid_input'),
    given('mixed', 'edit_file', {'path': 'f', 'old_string': 'alpha', 'new_string': 'ALPHA'}, {'f': 'alpha\r\nbeta\r\ngamma\ndelta\r\n'}, after={'f': 'ALPHA\r\nbeta\r\ngamma\ndelta\r\n'}),
    given('utf16e', 'edit_file', {'path': 'f', 'old_string': 'alpha', 'new_string': 'B'}, {'f': b'\xff\xfea\x00l\x00p\x00h\x00a\x00\n\x00'}, error='is_binary'),
    given('absent', 'edit_file', {'path': 'f', 'old_string': 'zzz', 'new_string': 'y'}, {'f': 'hello'}, error='no_match'),
    given('ambiguous', 'edit_file', {'path': 'f', 'old_string': 'dup', 'new_string': 'x'}, {'f': 'dup dup'}, error='ambiguous_match'),
    given('same', 'edit_file', {'path': 'f', 'old_string': 'abc', 'new_string': 'abc'}, {'f': 'abc'}, error='invalid_input'),
    given('bin', 'edit_file', {'path': 'f', 'old_string': 'a', 'new_string': 'c'}, {'f': b'a\x00b'}, error='is_binary'),
    given('nofile', 'edit_file', {'path': 'f', 'old_string': 'a', 'new_string': 'b'}, {}, error='not_found'),
    given('bogus', 'edit_file', {'path': 'f', 'old_string': 'x', 'new_string': 'y', 'bogus': 1}, {'f': 'x'}, after={'f': 'y'}),
    given('prefix', 'edit_file', {'path': 'f', 'old_string': '     2\t  return 1;', 'new_string': '  return 2;'}, {'f': 'function foo() {\n  return 1;\n}\n'}, error='no_match', differs=NUMBERS),
    given('indent', 'edit_file', {'path': 'f', 'old_string': '    return 1;', 'new_string': '    return 9;'}, {'f': 'function foo() {\n  return 1;\n}\n'}, after={'f': 'function foo() {\n    return 9;\n}\n'}, differs=INDENT),
    given('indent all', 'edit_file', {'path': 'f', 'old_string': '    return 1;', 'new_string': '    return 9;', 'replace_all': True}, {'f': 'function foo() {\n  return 1;\n}\n'}, error='no_match'),
    given('lines', 'edit_file', {'path': 'f', 'old_string': 'dup', 'new_string': 'z'}, {'f': 'dup\nx\ndup\ny\ndup\n'}, error='ambiguous_match', has='lines 1, 3, 5'),
    given('cr new', 'edit_file', {'path': 'f', 'old_string': 'line2', 'new_string': 'alpha\r\nbeta'}, {'f': 'line1\nline2\nline3\n'}, after={'f': 'line1\nalpha\nbeta\nline3\n'}),
    given('indented block', 'edit_file', {'path': 'f', 'old_string': 'a\nb', 'new_string': 'X'}, {'f': '  a\n  b\n  c\n'}, after={'f': 'X\n  c\n'}, differs=INDENT),
    given('indented block with its line end', 'edit_file', {'path': 'f', 'old_string': 'a\nb\n', 'new_string': 'X'}, {'f': '  a\n  b\n  c\n'}, after={'f': 'X  c\n'}, differs=INDENT),
    given('relative indentation', 'edit_file', {'path': 'f', 'old_string': 'if (x) {\n  doThing();\n}', 'new_string': 'if (x) {\n    doThing2();\n}'}, {'f': 'if (x) {\n        doThing();\n}\n'}, after={'f': 'if (x) {\n    doThing2();\n}\n'}, differs=INDENT),
    given('inner spacing', 'edit_file', {'path': 'f', 'old_string': 'a + b', 'new_string': 'SUM'}, {'f': 'a   +   b\n'}, after={'f': 'SUM\n'}),
    given('padded part of a line', 'edit_file', {'path': 'f', 'old_string': '  foo(a, b)  ', 'new_string': 'bar(c)'}, {'f': '  result = foo(a, b);\n'}, after={'f': '  result = bar(c);\n'}, differs=PART),
    given('alike twice', 'edit_file', {'path': 'f', 'old_string': 'a\nb', 'new_string': 'Q'}, {'f': '  a\n    b\nx\n  a\n    b\n'}, error='ambiguous_match', differs=LINES),
    given('a genuine miss', 'edit_file', {'path': 'f', 'old_string': 'zzz\nyyy', 'new_string': 'Q'}, {'f': 'alpha\nbeta\n'}, error='no_match'),
    given('multi', 'multi_edit', {'path': 'f', 'edits': [{'old_string': 'foo', 'new_string': 'bar'}, {'old_string': 'bar', 'new_string': 'baz'}]}, {'f': 'foo'}, after={'f': 'baz'}),
    given('multi fail', 'multi_edit', {'path': 'f', 'edits': [{'old_string': 'hello', 'new_string': 'hi'}, {'old_string': 'zzz', 'new_string': 'x'}]}, {'f': 'hello world'}, error='no_match', fields={'index': 1}),
    given('multi empty', 'multi_edit', {'path': 'f', 'edits': [{'old_string': 'hello', 'new_string': 'hi'}, {'old_string': '', 'new_string': 'x'}]}, {'f': 'hello world'}, error='invalid_input', fields={'index': 1}),
    given('multi none', 'multi_edit', {'path': 'f', 'edits': []}, {'f': 'x'}, error='invalid_input'),
    given('multi: indented', 'multi_edit', {'path': 'f', 'edits': [{'old_string': 'a\nb', 'new_string': 'X'}]}, {'f': '  a\n  b\n'}, after={'f': 'X\n'}, differs=INDENT),
    given('multi: alike twice', 'multi_edit', {'path': 'f', 'edits': [{'old_string': 'x', 'new_string': 'Y'}, {'old_string': 'a\nb', 'new_string': 'Q'}]}, {'f': '  a\n    b\nx\n  a\n    b\n'}, error='ambiguous_match', fields={'index': 1}, differs=LINES),
    given('write_file 1', 'write_file', {'path': 'x/y/z.txt', 'content': 'hi'}, {}, has='created', after={'x/y/z.txt': 'hi'}),
    given('write_file 2', 'write_file', {'path': 'f', 'content': 'new'}, {'f': 'old'}, has='overwritten', after={'f': 'new'}),
    given('write_file 3', 'write_file', {'path': 'f/child', 'content': 'x'}, {'f': 'intact'}, error='invalid_input', after={'f': 'intact'}),
    given('write_file 4', 'write_file', {'path': 'link', 'content': 'n'}, {'real': 'o', 'link': ('real',)}, error='invalid_input'),
    given('write_file 5', 'write_file', {'path': 'd', 'content': 'n'}, {'d': None}, error='not_a_file'),
    given('write_file 6', 'write_file', {'path': 'broken.ts', 'content': 'const x = = 1;\n'}, {}, has='warning: ', differs=GRAMMAR),
    given('write_file 7', 'write_file', {'path': 'notes.txt', 'content': 'const x = = 1;\n'}, {}, lacks='warning'),
    given('list_dir 1', 'list_dir', {}, {'sub': None, '.hidden': 'h', 'a.txt': 'aa', 'b.txt': 'bbb'}, text='sub/\n.hidden\t1\na.txt\t2\nb.txt\t3'),
    given('list_dir 2', 'list_dir', {}, {'delta': None, 'beta': None, 'gamma.txt': 'y', 'alpha.txt': 'xx'}, text='beta/\ndelta/\nalpha.txt\t2\ngamma.txt\t1'),
    given('list_dir 3', 'list_dir', {'path': 'e'}, {'e': None}, text='(empty directory)'),
    given('list_dir 4', 'list_dir', {}, {'realdir': None, 'linkdir': ('realdir',), 'plain.txt': 'y'}, text='linkdir/\nrealdir/\nplain.txt\t1'),
    given('list_dir 5', 'list_dir', {}, {'sub': None, 'file.txt': 'aa', 'zlink': ('nope',)}, text='sub/\nfile.txt\t2\nzlink\t0'),
    given('list_dir 6', 'list_dir', {'path': 'nope'}, {}, error='not_found'),
    given('list_dir 7', 'list_dir', {'path': 'f'}, {'f': 'x'}, error='not_a_file', differs=KIND),
    given('replace 1', 'replace', {'pattern': 'foo', 'replacement': 'bar', 'glob': '**/*.ts'}, {'a.ts': 'const foo = 1;\nconst foo2 = foo;\n'}, has='dry run', after={'a.ts': 'const foo = 1;\nconst foo2 = foo;\n'}),
    given('replace 2', 'replace', {'pattern': 'zzz', 'replacement': 'x', 'glob': '**/*.ts'}, {'a.ts': 'hello\n'}, text='(no matches)'),
    given('replace 3', 'replace', {'pattern': 'old', 'replacement': 'renewed', 'glob': '**/*.ts', 'dry_run': False}, {'src/a.ts': 'old();\n', 'src/sub/b.ts': 'old(); old();\n'}, after={'src/a.ts': 'renewed();\n', 'src/sub/b.ts': 'renewed(); renewed();\n'}),
    given('replace 4', 'replace', {'pattern': 'getUser\\((\\w+)\\)', 'replacement': 'fetchUser($1)', 'path': 'a.ts', 'dry_run': False}, {'a.ts': 'getUser(id)\n'}, after={'a.ts': 'fetchUser(id)\n'}),
    given('replace 5', 'replace', {'pattern': 'start.*end', 'replacement': 'X', 'path': 'a.ts', 'multiline': True, 'dry_run': False}, {'a.ts': 'start\nmiddle\nend\n'}, after={'a.ts': 'X\n'}),
    given('replace 6', 'replace', {'pattern': 'foo', 'replacement': 'bar', 'glob': '*.ts', 'dry_run': False}, {'deep/dir/x.ts': 'foo\n'}, after={'deep/dir/x.ts': 'bar\n'}),
    given('replace 7', 'replace', {'pattern': 'foo', 'replacement': 'foo', 'path': 'a.ts'}, {'a.ts': 'foo\n'}, text='(no matches)'),
    given('replace 8', 'replace', {'pattern': 'foo', 'replacement': 'bar', 'glob': '**/*.ts', 'dry_run': False}, {'.git/HEAD': 'ref: x\n', '.gitignore': 'vendor/\n', 'vendor/lib.ts': 'foo\n', 'app.ts': 'foo\n'}, after={'app.ts': 'bar\n', 'vendor/lib.ts': 'foo\n'}),
    given('replace 9', 'replace', {'pattern': 'original', 'replacement': 'changed', 'path': 'link.txt', 'dry_run': False}, {'real.txt': 'original\n', 'link.txt': ('real.txt',)}, error='invalid_input', after={'real.txt': 'original\n'}),
    given('replace 10', 'replace', {'pattern': 'foo', 'replacement': 'bar', 'glob': '**/*.ts', 'dry_run': False}, {'b.ts': b'a\x00b', 'ok.ts': 'foo\n'}, after={'ok.ts': 'bar\n'}),
    given('replace 11', 'replace', {'pattern': 'foo(', 'replacement': 'bar', 'glob': '**/*.ts'}, {}, error='invalid_input'),
    given('replace 12', 'replace', {'pattern': 'x*', 'replacement': 'y', 'glob': '**/*.ts'}, {'a.ts': 'foo\n'}, error='invalid_input'),
    given('replace 13', 'replace', {'pattern': 'foo', 'replacement': 'bar', 'path': 'missing.ts', 'dry_run': False}, {}, error='not_found'),
    given('replace 14', 'replace', {'pattern': '1', 'replacement': '= =', 'path': 'a.ts', 'dry_run': False}, {'a.ts': 'const x = 1;\n'}, has='warning:'),
    given('replace 15', 'replace', {'pattern': 'foo', 'replacement': 'bar'}, {}, error='invalid_input', differs=EVERYWHERE),
    given('grep 1', 'grep', {'pattern': 'foo'}, {'a.txt': 'foo\nbar\nfoo baz\n', 'b.txt': 'nothing here\n'}, text='a.txt'),
    given('grep 2', 'grep', {'pattern': 'foo', 'output_mode': 'content'}, {'a.txt': 'foo\nbar\nfoo baz\n', 'b.txt': 'nothing here\n'}, text='a.txt:1:foo\na.txt:3:foo baz'),
    given('grep 3', 'grep', {'pattern': 'FOO', 'ignore_case': True, 'output_mode': 'count'}, {'a.txt': 'foo\nbar\nfoo baz\n', 'b.txt': 'nothing here\n'}, text='a.txt:2'),
    given('grep 4', 'grep', {'pattern': 'zzz'}, {'a.txt': 'foo\nbar\nfoo baz\n', 'b.txt': 'nothing here\n'}, text='(no matches)'),
    given('grep 5', 'grep', {'pattern': 'foo', 'glob': '*.ts'}, {'top.ts': 'foo\n', 'src/deep/low.ts': 'foo\n', 'skip.js': 'foo\n'}, text='src/deep/low.ts\ntop.ts'),
    given('grep 6', 'grep', {'pattern': 'x', 'path': 'nope'}, {'a.txt': 'foo\nbar\nfoo baz\n', 'b.txt': 'nothing here\n'}, error='not_found'),
    given('grep 7', 'grep', {'pattern': '('}, {'a.txt': 'foo\nbar\nfoo baz\n', 'b.txt': 'nothing here\n'}, error='invalid_input'),
    given('grep 8', 'grep', {'pattern': '(?P<w>foo)', 'output_mode': 'content'}, {'a.txt': 'foo\nbar\nfoo baz\n', 'b.txt': 'nothing here\n'}, text='a.txt:1:foo\na.txt:3:foo baz'),
    given('grep 9', 'grep', {'pattern': 'foo', 'bogus': 1}, {'a.txt': 'foo\nbar\nfoo baz\n', 'b.txt': 'nothing here\n'}, has='a.txt'),
    given('grep 10', 'grep', {'pattern': 'a', 'path': 'blob.bin', 'output_mode': 'content'}, {'blob.bin': b'a\x00'}, text='(no matches)'),
    given('grep 11', 'grep', {'pattern': 'MATCH', 'output_mode': 'content', 'context': 1}, {'a.txt': 'pre\nMATCH\npost\n', 'b.txt': 'before\nMATCH\nafter\n'}, text='a.txt-1-pre\na.txt:2:MATCH\na.txt-3-post\n--\nb.txt-1-before\nb.txt:2:MATCH\nb.txt-3-after'),
    given('grep 12', 'grep', {'pattern': 'MATCH', 'output_mode': 'content', 'after_context': 2}, {'ctx.txt': 'L1\nMATCH\nL3\nL4\nL5\n'}, text='ctx.txt:2:MATCH\nctx.txt-3-L3\nctx.txt-4-L4'),
    given('grep 13', 'grep', {'pattern': 'HIT', 'output_mode': 'content', 'after_context': 1}, {'gap.txt': 'a\nHIT\nc\nd\ne\nf\ng\nh\nHIT\nj\n'}, text='gap.txt:2:HIT\ngap.txt-3-c\n--\ngap.txt:9:HIT\ngap.txt-10-j'),
    given('grep 14', 'grep', {'pattern': 'MATCH', 'output_mode': 'content', 'context': 2, 'after_context': 1}, {'p.txt': 'b2\nb1\nMATCH\na1\na2\na3\n'}, text='p.txt-1-b2\np.txt-2-b1\np.txt:3:MATCH\np.txt-4-a1'),
    given('grep 15', 'grep', {'pattern': 'foo', 'output_mode': 'count', 'offset': 50}, {'one.txt': 'foo\n'}, text='(no results at offset 50; 1 total)'),
    given('grep 16', 'grep', {'pattern': 'foo', 'head_limit': 0}, {'one.txt': 'foo\n'}, text='one.txt'),
    given('grep 17', 'grep', {'pattern': 'needle', 'head_limit': 2, 'offset': 2}, {'f1.txt': 'needle\n', 'f2.txt': 'needle\n', 'f3.txt': 'needle\n', 'f4.txt': 'needle\n', 'f5.txt': 'needle\n'}, has='f3.txt\nf4.txt'),
)
# fmt: on


def _as_there(case: Published, root: Path, text: str, *, failed: bool) -> bool:
    """Whether the answer and the files are what the original's test wants."""
    answer = json.loads(text) if failed else {}
    after = {
        name: (root / name).read_bytes().decode() if (root / name).exists() else None for name in case.after
    }
    return (
        (answer.get("error") if failed else None) == case.error
        and all(answer.get(name) == value for name, value in case.fields.items())
        and (case.text is None or text == case.text)
        and case.has in text
        and (case.lacks is None or case.lacks not in text)
        and after == case.after
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_input_of_the_originals_tests(case: Published, tmp_path: Path) -> None:
    """It is answered as there, or differently as the guide says."""
    root = tmp_path / "root"
    furnish(root, {n: ("link", *v) if isinstance(v, tuple) else v for n, v in case.files.items()})
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        result = workspace.offer("agent-tools").call(case.tool, case.arguments)
    assert _as_there(case, root, result.text, failed=result.is_error) == (case.differs is None), result.text


def test_what_differs_is_in_the_guide() -> None:
    """Each with its row, and each row of ours with an input."""
    guide = GUIDE.read_text(encoding="utf-8")
    for case in CASES:
        assert case.differs is None or case.differs in guide, case.name
