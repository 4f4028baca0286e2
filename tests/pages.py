"""Pages of the documentation that are made from the code: `python -m tests.pages` writes them anew."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

from filewright import errors, settings
from filewright.cli.serve import serve

DOCS = Path(__file__).parents[1] / "docs"
_SIZES = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))


def settings_table() -> str:
    """Every setting below the heading it has in `settings.py`, with its flag of `serve`."""
    flags = {option.name: option.opts[-1] for option in serve.params if option.opts[-1].startswith("--")}
    flags["landlock"] = flags["no_landlock"]
    lines: list[str] = []
    for line in inspect.getsource(settings.Settings).splitlines():
        if heading := re.fullmatch(r"    # (.*)", line):
            lines += [
                "",
                f"## {heading[1]}",
                "",
                "| variable | flag | default | meaning |",
                "|---|---|---|---|",
            ]
        if name := re.match(r"    (\w+): .*Field\(", line):
            found = settings.Settings.model_fields[name[1]]
            flag = f"`{flags[name[1]]}`" if name[1] in flags else ""
            lines.append(
                f"| `FILEWRIGHT_{name[1].upper()}` | {flag} | {_shown(name[1], found.default)} | {found.description} |"
            )
    return "\n".join(lines).strip() + "\n"


def _shown(name: str, value: Any) -> str:
    if value is None or value == ():
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if name.endswith("bytes") and value:
        size, unit = next(((size, unit) for size, unit in _SIZES if value % size == 0), (1, "bytes"))
        return f"{value // size:,} {unit}"
    if name.endswith("seconds"):
        return f"{value:g} s"
    return f"{value:,}" if isinstance(value, int) else str(value)


def errors_table() -> str:
    """The table that `errors.py` begins with."""
    rows = re.findall(r"^(\w+) {2,}(.+?) {2,}(.+)$", inspect.getdoc(errors) or "", re.MULTILINE)
    return "\n".join(
        ["| code | meaning | what to do |", "|---|---|---|"]
        + [f"| `{code}` | {meaning} | {then} |" for code, meaning, then in rows if code != "code"]
    )


TABLES = {"settings.md": settings_table, "errors.md": errors_table}


def with_table(name: str) -> str:
    """The page with its table made anew, between the two marks."""
    before, _, rest = (DOCS / name).read_text(encoding="utf-8").partition("<!-- made from the code -->\n")
    _, end, after = rest.partition("<!-- end -->\n")
    return f"{before}<!-- made from the code -->\n\n{TABLES[name]().strip()}\n\n{end}{after}"


if __name__ == "__main__":
    from tests.typed_stub import STUB, typed_stub

    STUB.write_text(typed_stub(), encoding="utf-8")
    for page in TABLES:
        (DOCS / page).write_text(with_table(page), encoding="utf-8")
