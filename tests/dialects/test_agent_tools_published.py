"""The inputs of the agent-tools repository's own tests, and what they want of the answer and the files.

The original can be installed from no registry, so what it does is taken from its tests. Where this dialect
does something else, `differs` names the row of the moving guide that says so.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.dialects.conftest import furnish

from filewright import Workspace
from filewright.settings import Settings
from filewright.tools.result import ToolResult

GUIDE = Path(__file__).parent / "differences.md"

NUMBERS = "| `edit_file`, a pasted line number |"
INDENT = "| `edit_file`, text that differs in indentation |"
PART = "| `edit_file`, spaces around a part of a line |"
GRAMMAR = "| `write_file` of TypeScript that does not parse |"
LARGE = "| `check_syntax`, `outline` and `grep` of large files |"
KIND = "| a file where a folder should be |"
JUDGE = "| `check_syntax` of Python, JSON and TOML |"
MORE_LANGUAGES = "| `outline` of other languages |"
"""The beginnings of the guide's rows."""


@dataclass(frozen=True)
class Published:
    """A call, and what the original's test wants of it."""

    name: str
    tool: str
    arguments: dict[str, Any]
    files: dict[str, Any]
    text: str | None = None
    has: str | tuple[str, ...] = ""
    lacks: str | None = None
    error: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    after: dict[str, str | None] = field(default_factory=dict)
    settings: dict[str, int] = field(default_factory=dict)
    times: dict[str, int] = field(default_factory=dict)
    widest: int | None = None
    image: str | None = None
    differs: str | None = None


given = Published
PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAAMBAQAY3Y2wAAAAAElFTkSuQmCC"
)
WIDE = "\ufeffhello\nworld\n"
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
    given('alike twice', 'edit_file', {'path': 'f', 'old_string': 'a\nb', 'new_string': 'Q'}, {'f': '  a\n    b\nx\n  a\n    b\n'}, error='ambiguous_match'),
    given('a genuine miss', 'edit_file', {'path': 'f', 'old_string': 'zzz\nyyy', 'new_string': 'Q'}, {'f': 'alpha\nbeta\n'}, error='no_match'),
    given('multi', 'multi_edit', {'path': 'f', 'edits': [{'old_string': 'foo', 'new_string': 'bar'}, {'old_string': 'bar', 'new_string': 'baz'}]}, {'f': 'foo'}, after={'f': 'baz'}),
    given('multi fail', 'multi_edit', {'path': 'f', 'edits': [{'old_string': 'hello', 'new_string': 'hi'}, {'old_string': 'zzz', 'new_string': 'x'}]}, {'f': 'hello world'}, error='no_match', fields={'index': 1}),
    given('multi empty', 'multi_edit', {'path': 'f', 'edits': [{'old_string': 'hello', 'new_string': 'hi'}, {'old_string': '', 'new_string': 'x'}]}, {'f': 'hello world'}, error='invalid_input', fields={'index': 1}),
    given('multi none', 'multi_edit', {'path': 'f', 'edits': []}, {'f': 'x'}, error='invalid_input'),
    given('multi: indented', 'multi_edit', {'path': 'f', 'edits': [{'old_string': 'a\nb', 'new_string': 'X'}]}, {'f': '  a\n  b\n'}, after={'f': 'X\n'}, differs=INDENT),
    given('multi: alike twice', 'multi_edit', {'path': 'f', 'edits': [{'old_string': 'x', 'new_string': 'Y'}, {'old_string': 'a\nb', 'new_string': 'Q'}]}, {'f': '  a\n    b\nx\n  a\n    b\n'}, error='ambiguous_match', fields={'index': 1}),
    given('write_file 1', 'write_file', {'path': 'x/y/z.txt', 'content': 'hi'}, {}, has='created', after={'x/y/z.txt': 'hi'}),
    given('write_file 2', 'write_file', {'path': 'f', 'content': 'new'}, {'f': 'old'}, has='overwritten', after={'f': 'new'}),
    given('write_file 3', 'write_file', {'path': 'f/child', 'content': 'x'}, {'f': 'intact'}, error='not_a_file', after={'f': 'intact'}, differs=KIND),
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
    given('replace 15', 'replace', {'pattern': 'foo', 'replacement': 'bar'}, {}, error='invalid_input'),
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
    given('read utf-16', 'read_file', {'path': 'u'}, {'u': WIDE.encode('utf-16-le')}, text='     1\thello\n     2\tworld'),
    given('read utf-16be', 'read_file', {'path': 'u'}, {'u': WIDE.encode('utf-16-be')}, text='     1\thello\n     2\tworld'),
    given('read too large', 'read_file', {'path': 'f'}, {'f': 'x' * 2048}, settings={'agent_input_bytes': 1024}, error='too_large', fields={'size': 2048, 'limit': 1024}),
    given('read as large as allowed', 'read_file', {'path': 'f'}, {'f': 'x' * 1024}, settings={'agent_input_bytes': 1024}, has='     1\tx'),
    given('read within the bytes', 'read_file', {'path': 'f'}, {'f': ''.join(f'line number {n} with text\n' for n in range(1, 101))}, settings={'agent_output_bytes': 1024}, has='lines shown; continue with offset=', lacks='line number 100'),
    given('read, a pair at the cut', 'read_file', {'path': 'f'}, {'f': 'a' * 1999 + '😀' + 'b' * 3000 + '\n'}, has='line truncated', lacks='\ufffd'),
    given('read', 'read_file', {'path': 'f'}, {'f': 'alpha\nbeta\ngamma\n'}, text='     1\talpha\n     2\tbeta\n     3\tgamma'),
    given('read part', 'read_file', {'path': 'f', 'offset': 2, 'limit': 2}, {'f': 'l1\nl2\nl3\nl4\nl5\n'}, text='     2\tl2\n     3\tl3\n[... 2 of 5 lines shown; continue with offset=4 ...]'),
    given('read to the end', 'read_file', {'path': 'f', 'offset': 2}, {'f': 'l1\nl2\nl3\n'}, text='     2\tl2\n     3\tl3'),
    given('read 2500', 'read_file', {'path': 'f'}, {'f': ''.join(f'line{n}\n' for n in range(1, 2501))}, has='\tline2000\n[... 2000 of 2500 lines shown; continue with offset=2001 ...]'),
    given('read crlf', 'read_file', {'path': 'f'}, {'f': '\ufeffalpha\r\nbeta\r\n'}, text='     1\talpha\n     2\tbeta'),
    given('read a long line', 'read_file', {'path': 'f'}, {'f': 'x' * 2500 + '\n'}, has='x' * 2000 + ' [... line truncated', lacks='x' * 2001),
    given('read missing', 'read_file', {'path': 'missing'}, {}, error='not_found'),
    given('read a folder', 'read_file', {'path': 'd'}, {'d/in': 'x'}, error='not_a_file'),
    given('read binary', 'read_file', {'path': 'b'}, {'b': b'abc\0def'}, error='is_binary'),
    given('read past the end', 'read_file', {'path': 'f', 'offset': 99}, {'f': 'one\ntwo\n'}, error='invalid_input', fields={'line_count': 2}),
    given('read the last two', 'read_file', {'path': 'f', 'offset': -2}, {'f': 'l1\nl2\nl3\nl4\nl5\n'}, text='     4\tl4\n     5\tl5'),
    given('read more than there is', 'read_file', {'path': 'f', 'offset': -100}, {'f': 'l1\nl2\nl3\n'}, text='     1\tl1\n     2\tl2\n     3\tl3'),
    given('read from zero', 'read_file', {'path': 'f', 'offset': 0}, {'f': 'l1\n'}, error='invalid_input'),
    given('read, an unknown field', 'read_file', {'path': 'f', 'bogus': 1}, {'f': 'x\n'}, has='     1\tx'),
    given('read nothing named', 'read_file', {}, {}, error='invalid_input'),
    given('read, a number as path', 'read_file', {'path': 123}, {}, error='invalid_input', lacks='"message": "invalid arguments"'),
    given('read one line within the bytes', 'read_file', {'path': 'f'}, {'f': 'x' * 1900 + '\ny\n'}, settings={'agent_output_bytes': 1024}, has='[... line truncated', widest=1024),
    given('read wide letters within the bytes', 'read_file', {'path': 'f'}, {'f': '€' * 600 + '\n'}, settings={'agent_output_bytes': 1024}, has='line truncated', lacks='\ufffd', widest=1024),
    given('read wide letters within odd bytes', 'read_file', {'path': 'f'}, {'f': '€' * 600 + '\n'}, settings={'agent_output_bytes': 1025}, has='line truncated', lacks='\ufffd', widest=1025),
    given('read an empty file', 'read_file', {'path': 'f'}, {'f': ''}, text='(empty file)'),
    given('read a line without text', 'read_file', {'path': 'f'}, {'f': '\n'}, lacks='(empty file)'),
    given('read through a link', 'read_file', {'path': 'link'}, {'real': 'original\n', 'link': ('real',)}, has='original'),
    given('edit through a link', 'edit_file', {'path': 'link', 'old_string': 'original', 'new_string': 'changed'}, {'real': 'original\n', 'link': ('real',)}, error='invalid_input', after={'real': 'original\n'}),
    given('files', 'read_files', {'paths': ['a', 'b']}, {'a': 'alpha\nbeta\n', 'b': 'gamma\n'}, has=('==> a <==', '     1\talpha\n     2\tbeta', '==> b <==', '     1\tgamma')),
    given('files: empty', 'read_files', {'paths': ['e']}, {'e': ''}, has=('==> e <==', '(empty file)')),
    given('files: some fail', 'read_files', {'paths': ['missing', 'b', 'ok']}, {'b': b'a\0b', 'ok': 'fine\n'}, has=('==> missing — not_found', '==> b — is_binary', '     1\tfine')),
    given('files: a folder', 'read_files', {'paths': ['d']}, {'d/x': 'hi\n'}, has='==> d — not_a_file'),
    given('files: outside', 'read_files', {'paths': ['../secret']}, {}, has='==> ../secret — path_escape'),
    given('files: utf-16', 'read_files', {'paths': ['u']}, {'u': WIDE.encode('utf-16-le')}, has='     1\thello'),
    given('files: too much', 'read_files', {'paths': [f'f{n}' for n in range(6)]}, {f'f{n}': ('x' * 400 + '\n') * 20 for n in range(6)}, settings={'agent_output_bytes': 2000}, has='more file(s) not shown'),
    given('files: none', 'read_files', {'paths': []}, {}, error='invalid_input'),
    given('files: 65', 'read_files', {'paths': [f'f{n}' for n in range(65)]}, {}, error='invalid_input'),
    given('syntax: right', 'check_syntax', {'path': 'a.ts'}, {'a.ts': 'export const x: number = 1;\n'}, fields={'path': 'a.ts', 'language': 'typescript', 'ok': True, 'errors': [], 'error_count': 0, 'truncated': False}),
    given('syntax: wrong', 'check_syntax', {'path': 'b.ts'}, {'b.ts': 'const ok = 1;\nconst x = = 1;\n'}, fields={'ok': False}, has=('"kind": "error", "line": 2', 'const x = = 1;')),
    given('syntax: missing', 'check_syntax', {'path': 'c.py'}, {'c.py': 'def f(:\n  pass\n'}, fields={'ok': False}, has='"kind": "missing"', differs=JUDGE),
    given('syntax: ruby', 'check_syntax', {'path': 'a.rb'}, {'a.rb': 'class Foo\n  def bar\n  end\nend\n'}, fields={'ok': True}),
    given('syntax: wrong ruby', 'check_syntax', {'path': 'a.rb'}, {'a.rb': 'class Foo\n  def bar\n'}, fields={'ok': False}),
    given('syntax: shell', 'check_syntax', {'path': 'a.sh'}, {'a.sh': 'echo hi\n'}, fields={'language': 'bash', 'ok': True}),
    given('syntax: css', 'check_syntax', {'path': 'a.css'}, {'a.css': 'a { color: red; }\n'}, fields={'language': 'css', 'ok': True}),
    given('syntax: text', 'check_syntax', {'path': 'notes.txt'}, {'notes.txt': 'hello\n'}, error='invalid_input'),
    given('syntax: Makefile', 'check_syntax', {'path': 'Makefile'}, {'Makefile': 'all:\n'}, error='invalid_input'),
    given('syntax: no file', 'check_syntax', {'path': 'nope.ts'}, {}, error='not_found'),
    given('syntax: binary', 'check_syntax', {'path': 'b.ts'}, {'b.ts': b'a\0b'}, error='is_binary'),
    given('syntax: utf-16', 'check_syntax', {'path': 'u.ts'}, {'u.ts': '\ufeffconst x = 1;\n'.encode('utf-16-le')}, fields={'ok': True}),
    given('syntax: too large', 'check_syntax', {'path': 'big.py'}, {'big.py': 'x = "' + 'a' * 2_000_001 + '"\n'}, error='too_large', differs=LARGE),
    given('syntax: outside', 'check_syntax', {'path': '../o.ts'}, {}, error='path_escape'),
    given('copy', 'copy', {'source': 'a.txt', 'destination': 'b.txt'}, {'a.txt': 'hello'}, text='Copied a.txt → b.txt.', after={'a.txt': 'hello', 'b.txt': 'hello'}),
    given('copy bytes', 'copy', {'source': 'a', 'destination': 'b'}, {'a': b'a\0b'}, after={'b': 'a\0b'}),
    given('copy into a new folder', 'copy', {'source': 'a', 'destination': 'x/y/b'}, {'a': 'x'}, after={'x/y/b': 'x'}),
    given('copy onto', 'copy', {'source': 'a', 'destination': 'b'}, {'a': 's', 'b': 'd'}, error='invalid_input', after={'b': 'd'}),
    given('copy over', 'copy', {'source': 'a', 'destination': 'b', 'overwrite': True}, {'a': 's', 'b': 'd'}, has='overwritten', after={'b': 's'}),
    given('copy nothing', 'copy', {'source': 'nope', 'destination': 'b'}, {}, error='not_found'),
    given('copy a folder', 'copy', {'source': 'd', 'destination': 'e'}, {'d': None}, error='not_a_file'),
    given('copy onto a folder', 'copy', {'source': 'a', 'destination': 'd', 'overwrite': True}, {'a': 'x', 'd': None}, error='not_a_file'),
    given('copy onto itself', 'copy', {'source': 'a', 'destination': 'a'}, {'a': 'x'}, error='invalid_input', has='same'),
    given('copy a link', 'copy', {'source': 'link', 'destination': 'b'}, {'real': 'x', 'link': ('real',)}, error='invalid_input', has='symlink'),
    given('copy onto a link', 'copy', {'source': 'a', 'destination': 'b', 'overwrite': True}, {'a': 'x', 'real': 'y', 'b': ('real',)}, error='invalid_input', has='symlink', after={'real': 'y'}),
    given('copy outside', 'copy', {'source': 'a', 'destination': '../b'}, {'a': 'x'}, error='path_escape'),
    given('move', 'move', {'source': 'a.txt', 'destination': 'b.txt'}, {'a.txt': 'hello'}, text='Moved a.txt → b.txt.', after={'a.txt': None, 'b.txt': 'hello'}),
    given('move into a new folder', 'move', {'source': 'a', 'destination': 'x/y/b'}, {'a': 'x'}, after={'x/y/b': 'x'}),
    given('move onto', 'move', {'source': 'a', 'destination': 'b'}, {'a': 's', 'b': 'd'}, error='invalid_input', has='already exists', after={'a': 's', 'b': 'd'}),
    given('move over', 'move', {'source': 'a', 'destination': 'b', 'overwrite': True}, {'a': 's', 'b': 'd'}, has='overwritten', after={'a': None, 'b': 's'}),
    given('move nothing', 'move', {'source': 'nope', 'destination': 'b'}, {}, error='not_found'),
    given('move a folder', 'move', {'source': 'd', 'destination': 'e'}, {'d': None}, error='not_a_file'),
    given('move onto a folder', 'move', {'source': 'a', 'destination': 'd', 'overwrite': True}, {'a': 'x', 'd': None}, error='not_a_file'),
    given('move onto itself', 'move', {'source': 'a', 'destination': 'a'}, {'a': 'x'}, error='invalid_input', has='same'),
    given('move a link', 'move', {'source': 'link', 'destination': 'b'}, {'real': 'x', 'link': ('real',)}, error='invalid_input', has='symlink'),
    given('move onto a link', 'move', {'source': 'a', 'destination': 'b', 'overwrite': True}, {'a': 'x', 'real': 'y', 'b': ('real',)}, error='invalid_input', has='symlink', after={'real': 'y'}),
    given('move outside', 'move', {'source': 'a', 'destination': '../b'}, {'a': 'x'}, error='path_escape'),
    given('move, an unknown field', 'move', {'source': 'a', 'destination': 'b', 'bogus': 1}, {'a': 'x'}, after={'a': None, 'b': 'x'}),
    given('remove', 'remove', {'path': 'a.txt'}, {'a.txt': 'x'}, text='Removed a.txt.', after={'a.txt': None}),
    given('remove nothing', 'remove', {'path': 'nope'}, {}, error='not_found'),
    given('remove a folder', 'remove', {'path': 'd'}, {'d': None}, error='not_a_file'),
    given('remove a link', 'remove', {'path': 'link'}, {'real': 'x', 'link': ('real',)}, error='invalid_input', has='symlink', after={'link': 'x'}),
    given('remove outside', 'remove', {'path': '../a'}, {}, error='path_escape'),
    given('mkdir', 'mkdir', {'path': 'a/b/c'}, {}, text='Created directory a/b/c.'),
    given('mkdir again', 'mkdir', {'path': 'd'}, {'d': None}, text='Directory already exists: d.'),
    given('mkdir on a file', 'mkdir', {'path': 'f'}, {'f': 'x'}, error='not_a_file', differs=KIND),
    given('mkdir below a file', 'mkdir', {'path': 'f/sub'}, {'f': 'x'}, error='not_a_file', differs=KIND),
    given('mkdir outside', 'mkdir', {'path': '../e'}, {}, error='path_escape'),
    given('mkdir, an unknown field', 'mkdir', {'path': 'a', 'bogus': True}, {}, has='reated'),
    given('diff', 'diff', {'from': 'a', 'to': 'b'}, {'a': 'x\ny\nz\n', 'b': 'x\nY\nz\n'}, has=('--- a', '+++ b', '@@', '-y', '+Y')),
    given('diff same', 'diff', {'from': 'a', 'to': 'b'}, {'a': 's\n', 'b': 's\n'}, text='(no differences)'),
    given('diff crlf', 'diff', {'from': 'a', 'to': 'b'}, {'a': 'a\nb\n', 'b': 'a\r\nb\r\n'}, text='(no differences)'),
    given('diff missing', 'diff', {'from': 'a', 'to': 'm'}, {'a': 'x\n'}, error='not_found'),
    given('diff binary', 'diff', {'from': 'a', 'to': 'b'}, {'a': 'x\n', 'b': b'a\0b'}, error='is_binary'),
    given('diff too large', 'diff', {'from': 'a', 'to': 'b'}, {'a': 'x\n', 'b': 'y\n' * 600}, settings={'agent_input_bytes': 1024}, error='too_large'),
    given('diff huge', 'diff', {'from': 'a', 'to': 'b'}, {'a': '', 'b': ''.join(f'line {n}\n' for n in range(5000))}, settings={'agent_output_bytes': 1024}, has='truncated'),
    given('stat', 'file_stat', {'path': 'a.txt'}, {'a.txt': 'hello'}, fields={'path': 'a.txt', 'type': 'file', 'size': 5, 'binary': False, 'mime': None}, has=('"mode": "0', '"mtime": "')),
    given('stat binary', 'file_stat', {'path': 'b'}, {'b': b'a\0b'}, fields={'binary': True}),
    given('stat png', 'file_stat', {'path': 'i.png'}, {'i.png': PNG}, fields={'type': 'file', 'mime': 'image/png', 'binary': True}),
    given('stat folder', 'file_stat', {'path': 'd'}, {'d': None}, fields={'type': 'directory'}),
    given('stat link', 'file_stat', {'path': 'link'}, {'real': 'x', 'link': ('real',)}, fields={'type': 'symlink', 'symlink_target': 'real'}),
    given('stat large', 'file_stat', {'path': 'big'}, {'big': 'a' * 4096}, settings={'agent_input_bytes': 1024}, fields={'type': 'file', 'size': 4096, 'binary': False}),
    given('stat pipe', 'file_stat', {'path': 'p'}, {'p': ('fifo',)}, fields={'type': 'other'}),
    given('stat missing', 'file_stat', {'path': 'nope'}, {}, error='not_found'),
    given('stat outside', 'file_stat', {'path': '../x'}, {}, error='path_escape'),
    given('stat, an unknown field', 'file_stat', {'path': 'a', 'bogus': True}, {'a': 'x'}, fields={'type': 'file'}),
    given('glob newest', 'glob', {'pattern': '**/*.ts'}, {'old.ts': 'a', 'new.ts': 'b'}, times={'old.ts': 1, 'new.ts': 2}, text='new.ts\nold.ts'),
    given('glob equals', 'glob', {'pattern': '**/*.ts', 'respect_gitignore': False}, {'c.ts': '1', 'a.ts': '2', 'b.ts': '3'}, times={'a.ts': 9, 'b.ts': 9, 'c.ts': 9}, text='a.ts\nb.ts\nc.ts'),
    given('glob ignored', 'glob', {'pattern': '**/*.ts'}, {'keep.ts': 'a', '.gitignore': 'node_modules/\n', 'node_modules/dep.ts': 'b'}, text='keep.ts'),
    given('glob all', 'glob', {'pattern': '**/*.ts', 'respect_gitignore': False}, {'keep.ts': 'a', '.gitignore': 'node_modules/\n', 'node_modules/dep.ts': 'b'}, times={'keep.ts': 2, 'node_modules/dep.ts': 1}, text='keep.ts\nnode_modules/dep.ts'),
    given('glob nothing', 'glob', {'pattern': '**/*.ts'}, {'a.js': 'x'}, text='(no matches)'),
    given('glob nowhere', 'glob', {'pattern': '*', 'path': 'nope'}, {}, error='not_found'),
    given('glob, an unknown field', 'glob', {'pattern': '*', 'bogus': 1}, {'a': 'x'}, has='a'),
    given('tree', 'tree', {}, {'src/a.ts': 'xx', 'b.txt': 'y'}, text='.\n├── src/\n│   └── a.ts\t2\n└── b.txt\t1'),
    given('tree ignored', 'tree', {}, {'keep.txt': 'y', '.gitignore': 'ignored.txt\n', 'ignored.txt': 'z'}, has='keep.txt', lacks='ignored.txt'),
    given('tree all', 'tree', {'respect_gitignore': False}, {'keep.txt': 'y', '.gitignore': 'ignored.txt\n', 'ignored.txt': 'z'}, has='ignored.txt'),
    given('tree 1', 'tree', {'depth': 1}, {'a/b/c.txt': 'x'}, has='a/', lacks='b/'),
    given('tree 2', 'tree', {'depth': 2}, {'a/b/c.txt': 'x'}, has='b/', lacks='c.txt'),
    given('tree link', 'tree', {}, {'realdir/inner.txt': 'x', 'linkdir': ('realdir',)}, has='linkdir@'),
    given('tree empty', 'tree', {'path': 'e'}, {'e': None}, text='e\n(no entries)'),
    given('tree nowhere', 'tree', {'path': 'nope'}, {}, error='not_found'),
    given('tree file', 'tree', {'path': 'f'}, {'f': 'x'}, error='not_a_file', differs=KIND),
    given('tree 0', 'tree', {'depth': 0}, {'a/b/c.txt': 'x'}, has=('a/', 'b/', 'c.txt')),
    given('tree, an unknown field', 'tree', {'bogus': True}, {}, has='(no entries)'),
    given('image', 'read_image', {'path': 'p.png'}, {'p.png': PNG}, text='', image='image/png'),
    given('image of text', 'read_image', {'path': 'n.txt'}, {'n.txt': 'text'}, error='not_an_image'),
    given('image missing', 'read_image', {'path': 'm.png'}, {}, error='not_found'),
    given('image outside', 'read_image', {'path': '../o.png'}, {}, error='path_escape'),
    given('grep count', 'grep', {'pattern': 'foo', 'output_mode': 'count'}, {'a.txt': 'foo\nfoo\n', 'b.txt': 'foo\n'}, text='a.txt:2\nb.txt:1'),
    given('grep count page', 'grep', {'pattern': 'hit', 'output_mode': 'count', 'head_limit': 2}, {'a.txt': 'hit\n', 'b.txt': 'hit\n', 'c.txt': 'hit\n'}, has=('a.txt:1\nb.txt:1\n', 'offset=2')),
    given('grep footer', 'grep', {'pattern': 'hit', 'output_mode': 'count', 'head_limit': 2}, {'a.txt': 'hit\n', 'b.txt': 'hit\n', 'c.txt': 'hit\n'}, has='showing 0..2 of 3'),
    given('grep a small page', 'grep', {'pattern': 'hit', 'output_mode': 'content'}, {'s.txt': 'hit\n'}, text='s.txt:1:hit'),
    given('grep a large page', 'grep', {'pattern': 'x', 'output_mode': 'content'}, {'f.txt': 'x\n' * 400}, settings={'agent_output_bytes': 1024}, has='was cut'),
    given('grep large files', 'grep', {'pattern': 'foo'}, {'small.txt': 'foo here\n', 'big.txt': 'foo ' + 'a' * 4096}, settings={'agent_input_bytes': 1024}, text='small.txt', differs=LARGE),
    given('grep hidden', 'grep', {'pattern': 'foo'}, {'.git/HEAD': 'ref: refs/heads/main\n', '.gitignore': 'ignored.txt\n', '.env': 'foo\n', '.github/ci.yml': 'foo\n', '.git/config': 'foo\n', 'ignored.txt': 'foo\n', 'sub/.gitignore': 'n.txt\n', 'sub/n.txt': 'foo\n', 'sub/kept.txt': 'foo\n'}, text='.env\n.github/ci.yml\nsub/kept.txt'),
    given('grep words', 'grep', {'pattern': '\\bfoo\\b', 'output_mode': 'content'}, {'a.txt': 'foo\nfood\n'}, text='a.txt:1:foo'),
    given('grep over lines, files', 'grep', {'pattern': 'ALPHA\\nBETA', 'multiline': True}, {'m.txt': 'ALPHA\nBETA\n'}, text='m.txt'),
    given('grep over lines, count', 'grep', {'pattern': 'ALPHA\\nBETA', 'multiline': True, 'output_mode': 'count'}, {'m.txt': 'ALPHA\nBETA\nGAMMA\n'}, text='m.txt:1'),
    given('grep over lines, dot', 'grep', {'pattern': 'START.*END', 'multiline': True, 'output_mode': 'count'}, {'m.txt': 'START here\nmiddle\nthe END\n'}, text='m.txt:1'),
    given('grep over lines, anchors', 'grep', {'pattern': '^ONE$\\n^TWO$', 'multiline': True, 'output_mode': 'count'}, {'m.txt': 'ONE\nTWO\nthree\n'}, text='m.txt:1'),
    given('no tool', 'no_such_tool', {}, {}, error='not_found'),
    given('list_dir within the bytes', 'list_dir', {}, {f'file-with-a-fairly-long-name-{n}.txt': 'x' for n in range(60)}, settings={'agent_output_bytes': 1024}, has='output truncated'),
    given('outline ruby', 'outline', {'path': 'a.rb'}, {'a.rb': 'class Foo\nend\n'}, error='invalid_input', differs=MORE_LANGUAGES),
    given('outline text', 'outline', {'path': 'n.txt'}, {'n.txt': 'hello\n'}, error='invalid_input'),
    given('outline missing', 'outline', {'path': 'nope.py'}, {}, error='not_found'),
    given('outline nothing', 'outline', {'path': 'e.ts'}, {'e.ts': '// nothing here\n'}, has='(no symbols found)'),
    given('outline broken', 'outline', {'path': 'b.ts'}, {'b.ts': 'export class Ok {}\nconst x = = 1;\n'}, has=('class Ok', 'syntax errors')),
)
# fmt: on


def _as_there(case: Published, root: Path, answer: ToolResult) -> bool:
    """Whether the answer and the files are what the original's test wants."""
    text = answer.text
    held = json.loads(text) if case.fields or answer.is_error else {}
    after = {
        name: (root / name).read_bytes().decode()
        if (root / name).exists()
        else None
        for name in case.after
    }
    return (
        (held.get("error") if answer.is_error else None) == case.error
        and all(held.get(name) == value for name, value in case.fields.items())
        and (case.text is None or text == case.text)
        and all(
            part in text
            for part in ((case.has,) if isinstance(case.has, str) else case.has)
        )
        and (case.lacks is None or case.lacks not in text)
        and (
            case.widest is None
            or all(len(row.encode()) <= case.widest for row in text.split("\n"))
        )
        and (
            case.image is None
            or [each.mime for each in answer.images] == [case.image]
        )
        and after == case.after
    )


@pytest.mark.parametrize("case", CASES)
def test_input_of_the_originals_tests(case: Published, tmp_path: Path) -> None:
    """It is answered as there, or differently as the guide says."""
    root = tmp_path / "root"
    furnish(
        root,
        {
            n: ("link", *v) if isinstance(v, tuple) and v != ("fifo",) else v
            for n, v in case.files.items()
        },
    )
    for name, second in case.times.items():
        os.utime(root / name, (second, second))
    settings = Settings(state_dir=tmp_path / "state", **case.settings)
    with Workspace(root, settings=settings) as workspace:
        result = workspace.offer("agent-tools").call(case.tool, case.arguments)
    assert _as_there(case, root, result) == (case.differs is None), result.text


def test_what_differs_is_in_the_guide() -> None:
    """Each with its row, and as many as the guide counts."""
    guide = GUIDE.read_text(encoding="utf-8")
    for case in CASES:
        assert case.differs is None or case.differs in guide, case.name
    agreed = sum(case.differs is None for case in CASES)
    assert (
        f"{len(CASES)} inputs of the original's tests, of which {agreed} are answered as they want"
        in guide
    )


def test_the_guide_counts_them() -> None:
    differing = sum(case.differs is not None for case in CASES)
    counts = (
        f"{len(CASES)} inputs of the original's tests, of which {len(CASES) - differing} are answered as they want "
        f"and {differing} as the rows above say"
    )
    assert counts in " ".join(GUIDE.read_text(encoding="utf-8").split())
