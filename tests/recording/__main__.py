"""`python -m tests.recording`: what differs, one call before and now, or a new recording."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.recording.calls import written
from tests.recording.comparison import Difference, compare, lines_of, tell
from tests.recording.sessions import SURFACES, load, replayed, save

SESSIONS = {"native": 90, "agent-tools": 26, "largefile": 26, "filesystem": 26}
LENGTH = 18


def main(arguments: list[str]) -> int:
    """Do what the arguments say; 1 if something is not explained."""
    match arguments:
        case []:
            report = compare()
            print(tell(report))
            return int(bool(report.unexplained or report.stale))
        case ["record", file]:
            save(
                [
                    written(surface, number, LENGTH)
                    for surface in SURFACES
                    for number in range(SESSIONS[surface])
                ],
                Path(file),
            )
        case [identifier]:
            show(identifier)
        case _:
            print("usage: python -m tests.recording [CALL | record FILE]", file=sys.stderr)
            return 2
    return 0


def show(identifier: str) -> None:
    """One call before and now, with the calls that came before it in its session."""
    name = identifier.split(".", maxsplit=1)[0]
    (session,) = (each for each in load() if each.name == name)
    print(f"{name}: roots {session.roots}, settings {session.settings}")
    for then, now in replayed(session):
        print(
            f"{then.id} {then.tool} {json.dumps(then.arguments)[:2000]} -> {then.code} {[*(then.changed or {})]}"
        )
        if then.id == identifier:
            same = (then.text, then.code, then.tree) == (now.text, now.code, now.tree)
            print(f"--- recorded: {then.code}\n{then.text}\n--- now: {now.code}\n{now.text}")
            print("(the same)" if same else f"--- differs in\n{lines_of(Difference(then, now), most=400)}")
            return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
