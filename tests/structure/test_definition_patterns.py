import pytest

from filewright.languages import PARSED, Language
from filewright.progress import Task
from filewright.structure.definition_patterns import find_definitions
from filewright.text.snapshot import Snapshot


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            Language.TYPESCRIPT,
            "export class A {\n}\nconst go = async (x) => 1\nfunction f() {}\n",
            ["A", "go", "f"],
        ),
        (
            Language.GO,
            "func (c *Cart) Total() int {\n}\ntype Cart struct {\n}\n",
            ["Total", "Cart"],
        ),
        (
            Language.C,
            "static int add(int a,\n        int b)\n{\n}\nif (x) {\nint main(void) {\n",
            ["add", "main"],
        ),
        (
            Language.SQL,
            "CREATE TABLE IF NOT EXISTS [dbo].[Album] (\ncreate view v as\n",
            ["[dbo].[Album]", "v"],
        ),
        (
            Language.JSON,
            '{\n  "name": "x",\n  "inner": {\n      "deep": 1\n',
            ["name", "inner"],
        ),
        (Language.YAML, "name: x\ninner:\n  deep: 1\n", ["name", "inner"]),
        (Language.MARKDOWN, "# One\ntext\n## Two\n", ["One", "Two"]),
        (
            Language.RUST,
            "pub(crate) async fn go() {\nimpl X {\nstruct S;\n",
            ["go", "S"],
        ),
    ],
)
def test_finds_definitions(language, text, expected):
    data = text.encode()
    found = find_definitions(Snapshot(data), language)
    assert [symbol.name for symbol in found] == expected


def test_work_is_linear():
    for language in sorted(PARSED):
        for text in (
            b"a" * 100_000,
            b"int " * 25_000,
            b"(" * 100_000,
            b'"' * 100_000,
            b"{ [ <" * 25_000,
        ):
            find_definitions(Snapshot(text), language, task=Task(seconds=60))
