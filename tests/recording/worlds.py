"""The small workspaces that sessions begin with: code, odd encodings and line ends, links, ignored and protected names."""

from __future__ import annotations

import base64
from random import Random

from tests.recording.sessions import Node, Tree

_PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

APP = '''"""Orders of a small shop."""

import json
from util import total, tax


class Cart:
    """What a customer wants."""

    def __init__(self, owner):
        self.owner = owner
        self.items = []

    def add(self, item, count=1):
        if count < 1:
            raise ValueError("count must be positive")
        self.items.append((item, count))

    def total(self):
        value = 0
        for item, count in self.items:
            value += item.price * count
        return value

    def clear(self):
        self.items = []


def main():
    cart = Cart("me")
    cart.add(None)
    print(json.dumps(cart.total()))


if __name__ == "__main__":
    main()
'''
UTIL = """def total(items):
    value = 0
    for item in items:
        value += item
    return value


def tax(value):
    # rounded down
    return value * 19 // 100


def total_with_tax(items):
    value = total(items)
    return value + tax(value)
"""
WEB = """export class View {
  constructor(name) {
    this.name = name;
  }

  render(list) {
    return list.map((item) => `<li>${item}</li>`).join("");
  }
}

export function start() {
  const view = new View("main");
  document.body.innerHTML = view.render(["a", "b"]);
}
"""
GO = """package main

import "fmt"

func total(items []int) int {
\tvalue := 0
\tfor _, item := range items {
\t\tvalue += item
\t}
\treturn value
}

func main() {
\tfmt.Println(total([]int{1, 2, 3}))
}
"""
README = """# A shop

It sells things. Things are sold by it.

## Install

    make install

## Use

Call `main` - it prints the total…  “Quoted” words and a dash — here.

* one
* two
* three
"""
FRENCH = "Le caf\u00e9 est tr\u00e8s bon.\nL'\u00e9t\u00e9 dernier, \u00e0 No\u00ebl, nous \u00e9tions l\u00e0.\nUne id\u00e9e d\u00e9j\u00e0 re\u00e7ue par le ma\u00eetre.\nfin\n"
JAPANESE = "\u65e5\u672c\u8a9e\u306e\u6587\u7ae0\u3067\u3059\u3002\n\u5546\u54c1\u306e\u5408\u8a08\u3092\u8a08\u7b97\u3057\u307e\u3059\u3002\n\u4fa1\u683c\u306f\u5343\u5186\u3067\u3059\u3002\nend of file\n"
RUSSIAN = "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440! \u042d\u0442\u043e \u0442\u0435\u043a\u0441\u0442 \u043d\u0430 \u0440\u0443\u0441\u0441\u043a\u043e\u043c \u044f\u0437\u044b\u043a\u0435.\n\u0426\u0435\u043d\u0430 \u0442\u043e\u0432\u0430\u0440\u0430 \u043d\u0435\u0438\u0437\u0432\u0435\u0441\u0442\u043d\u0430.\n"
NOTES = "".join(
    f"{number}. note about {word}\n"
    for number, word in enumerate(("bread", "milk", "eggs", "milk", "tea"), 1)
)


def world(random: Random, *, second: bool) -> tuple[Tree, dict[str, str]]:
    """A workspace: always some code and notes, and about two thirds of everything else; its hard links."""
    files: dict[str, bytes | str | Node] = {
        "src/app.py": APP,
        "src/util.py": UTIL,
        "notes.txt": NOTES,
        "README.md": README,
    }
    often: dict[str, bytes | str | Node] = {
        "src/deep/er/total.go": GO,
        "web/view.js": WEB,
        "web/style.css": ".cart { color: red; }\n.cart li { margin: 0 }\n",
        "data/config.json": '{\n  "name": "shop",\n  "tax": 19,\n  "items": [1, 2, 3]\n}\n',
        "data/config.yaml": "name: shop\ntax: 19\nitems:\n  - 1\n  - 2\n",
        "data/table.csv": "id,name,price\n1,bread,3\n2,milk,1\n3,eggs,2\n",
        "Makefile": "all: build\n\ninstall:\n\tcp app /usr/bin\n\nbuild:\n\tpython -m build\n",
        "script.sh": Node("file", 0o755, "#!/bin/sh\nset -e\necho total\n"),
        "locked.txt": Node("file", 0o444, "cannot be\nwritten\n"),
        "latin1.txt": FRENCH.encode("latin-1"),
        "sjis.txt": JAPANESE.encode("shift_jis"),
        "koi8.txt": RUSSIAN.encode("koi8-r"),
        "utf16le.txt": b"\xff\xfe" + FRENCH.encode("utf-16-le"),
        "utf16be.txt": b"\xfe\xff" + "one\r\ntwo\r\nthree\r\n".encode("utf-16-be"),
        "bom.txt": b"\xef\xbb\xbf" + FRENCH.encode(),
        "bom-crlf.txt": b"\xef\xbb\xbf" + FRENCH.replace("\n", "\r\n").encode(),
        "invalid.txt": b"good line\nbad \xff\xfe line\ncaf\xc3\xa9\nlast \xc3\n",
        "crlf.txt": NOTES.replace("\n", "\r\n"),
        "crlf.py": UTIL.replace("\n", "\r\n"),
        "mixed.txt": b"unix one\ndos two\r\nunix three\nmac four\rdos five\r\nlast",
        "cr.txt": NOTES.replace("\n", "\r"),
        "unfinished.txt": "alpha\nbeta\ngamma",
        "empty.txt": "",
        "blank.txt": "\n\n\n  \n",
        "form\x0cfeed.txt": "one\x0ctwo\nthree\x0bfour\x85five\u2028six\n",
        "long.txt": "start " + "abcdefghij " * 300 + "end\nshort\n",
        "many.txt": "".join(f"line {number} of many, {number % 7}\n" for number in range(1, 301)),
        "nul.bin": b"\0\1\2\3some bytes\0\xff" * 9,
        "dot.png": _PNG,
        "text-with-nul.txt": b"plain\nwith \0 inside\nend\n",
        "with space.txt": "a name with a space\n",
        "\u00fcml\u00e4ut.txt": "gr\u00fc\u00dfe\n",
        "bad\udcff.txt": "a name that is not UTF-8\n",
        "new\nline.txt": "a name with a line break\n",
        "-dash.txt": "a name with a dash\n",
        ".hidden": "not shown\n",
        ".env": "KEY=value\n",
        ".gitignore": "build/\n*.log\n!keep.log\n/secret*\n",
        ".ignore": "vendor/\n",
        "build/out.txt": "total made\n",
        "vendor/lib.py": "def total(): pass\n",
        "a.log": "total 1\ntotal 2\n",
        "keep.log": "total 3\n",
        "secret.txt": "total 4\n",
        "sub/.gitignore": "*.tmp\n",
        "sub/x.tmp": "total 5\n",
        "sub/y.txt": "total 6\nTotal 7\nTOTAL 8\n",
        ".git/HEAD": "ref: refs/heads/main\n",
        ".git/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
        ".git/refs/heads/.keep": "",
        ".git/objects/.keep": "",
        "other.git/x.txt": "not protected\n",
        "to-notes": Node("link", 0, "notes.txt"),
        "to-src": Node("link", 0, "src"),
        "to-nothing": Node("link", 0, "missing"),
        "to-outside": Node("link", 0, "/etc"),
        "to-itself": Node("link", 0, "to-itself"),
        "src/to-up": Node("link", 0, "../data"),
        "pipe": Node("pipe", 0o644),
        "full/a/b/c.txt": "c\n",
        "full/a/d.txt": "d\n",
        "full/e.txt": "e\n",
        "hollow": Node("folder", 0o755),
        "private": Node("folder", 0o700),
        "private/key.txt": Node("file", 0o600, "key\n"),
    }
    files |= {name: node for name, node in often.items() if random.random() < 0.65}
    tree = _tree("root", files)
    twins = {"root/twin.txt": "root/notes.txt"} if random.random() < 0.4 else {}
    tree |= {name: tree[other] for name, other in twins.items()}
    if second:
        tree |= _tree("other", {"o.txt": "other\ntotal\n", "deep/p.py": UTIL, "notes.txt": NOTES})
    return tree, twins


def _tree(root: str, files: dict[str, bytes | str | Node]) -> Tree:
    made: Tree = {root: Node("folder", 0o755)}
    for name, content in files.items():
        parts = name.split("/")
        for depth in range(1, len(parts)):
            made.setdefault("/".join([root, *parts[:depth]]), Node("folder", 0o755))
        if isinstance(content, Node):
            made[f"{root}/{name}"] = content
        else:
            data = content if isinstance(content, bytes) else content.encode()
            made[f"{root}/{name}"] = Node("file", 0o644, data.decode("latin-1"))
    return made
