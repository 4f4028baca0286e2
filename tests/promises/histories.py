"""Random histories of one project, told by several workspaces and a shell, compared with what was seen.

Not a test module. A history is a list of plain tuples, made from a seed; it can be played again and made shorter.
The oracle is simple: the tree is looked at after every change. From then on, whoever rewinds to that change must
find that tree again, byte for byte, with its modes and links, and taking the rewind back must bring back the tree
from before it.

Commands of several workspaces overlap, tools change something while they run, and one workspace has a root within the
others' root. What commands do is done only while one is open that covers it: what a person saves is no one's to undo.

python -m tests.promises.histories [SEED [COUNT]]     plays histories from a seed on, and prints the shortest that fails
python -m tests.promises.histories --seconds 3600     plays new ones for so long
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.method_tools import run_tool

from filewright import FilewrightError, Workspace

Step = tuple[Any, ...]
Tree = dict[str, tuple[Any, ...]]

FILES = ("a", "b", "d/f", "d/g", "e/f", "n/f", "d/h/x", "e/h/y")
FOLDERS = ("d", "e", "d/h", "e/h", "k", "n/m")
_PATHS = FILES + FOLDERS
_TEXTS = (
    "A\n",
    "B\n",
    "one\ntwo\nthree\nfour\nfive\n",
    "long line\n" * 9000,
    "",
    "caf\u00e9\r\nx\r\n",
)
_MODES = ("644", "755", "600", "700")
_SHELL = (
    "mv",
    "mv",
    "cp",
    "rm",
    "write",
    "append",
    "chmod",
    "mkdir",
    "symlink",
    "swap",
    "replace",
    "again",
    "ln",
)
WORKSPACES = ("A", "B", "N", "new")
"""Two on the root; one on its folder `n`; one that is opened anew for each step, as a new process would."""


def made(seed: int) -> list[Step]:
    """A random history: the kind of project, then its steps."""
    rng = random.Random(seed)
    steps: list[Step] = [("project", rng.random() < 0.3, rng.random() < 0.5)]
    overlaps = 12 if rng.random() < 0.7 else 0
    for _ in range(rng.randint(4, 24)):
        kind = rng.choices(
            ("write", "edit", "move", "copy", "delete", "mode", "mkdir", "patch", "shell", "rewind", "undo",
             "undo one", "redo", "restore", "session", "open", "begin", "end", "commands"),
            (8, 6, 8, 3, 5, 3, 2, 2, 14, 7, 4, 4, 3, 3, 2, 2, overlaps, overlaps, overlaps * 2),
        )[0]  # fmt: skip
        who = rng.choices(WORKSPACES, (5, 5, 2, 3))[0]
        if kind == "shell":
            inner = [_command(rng) for _ in range(rng.randint(1, 4))]
            steps.append(("shell", who, rng.random() < 0.15, *inner))
        elif kind == "commands":
            steps.append(
                (
                    "commands",
                    who,
                    *(_command(rng) for _ in range(rng.randint(1, 4))),
                )
            )
        else:
            steps.append(
                (
                    kind,
                    who,
                    rng.choice(_PATHS),
                    rng.choice(_PATHS),
                    rng.randrange(1 << 16),
                )
            )
    if rng.random() < 0.3:
        steps.append(("down", rng.choice("AB"), "", "", 0))
    return steps


def _command(rng: random.Random) -> Step:
    return (
        rng.choice(_SHELL),
        rng.choice(_PATHS),
        rng.choice(_PATHS),
        rng.randrange(1 << 16),
    )


def look(root: Path) -> Tree:
    """Every path below a folder: its kind, mode, and bytes or target."""
    found: Tree = {}
    for folder, folders, files in os.walk(root):
        if ".git" in folders:
            folders.remove(".git")
        for name in (*folders, *files):
            path = Path(folder, name)
            status = path.lstat()
            known = str(path.relative_to(root)), stat.S_IMODE(status.st_mode)
            if stat.S_ISLNK(status.st_mode):
                found[known[0]] = ("link", os.readlink(path))
            elif stat.S_ISDIR(status.st_mode):
                found[known[0]] = ("folder", known[1])
            else:
                found[known[0]] = ("file", known[1], path.read_bytes())
    return found


class WrongError(AssertionError):
    """What a step did is not what it should have done."""


class Project:
    """A folder, the workspaces open on it, and what was seen after each recorded change."""

    def __init__(self, place: Path, *, git: bool, looked: bool) -> None:
        self.root = place / "work"
        self.state = place / "state"
        for folder in ("d/h", "e", "n"):
            (self.root / folder).mkdir(parents=True)
        for name in ("a", "b", "d/f", "d/g", "n/f", "d/h/x"):
            (self.root / name).write_text(f"this is {name}\nsecond\nthird\n")
        if git:
            for command in (
                ("init", "-q"),
                ("add", "."),
                ("commit", "-qm", "first"),
            ):
                subprocess.run(
                    ["git", "-c", "user.name=x", "-c", "user.email=x@y", *command],
                    cwd=self.root, check=True, capture_output=True,
                )  # fmt: skip
        self.seen: list[tuple[str, Tree]] = []
        self.alone: set[str] = (
            set()
        )  # Changes that were the only one of their step.
        self.open: dict[str, Workspace] = {}
        self.begun: dict[int, tuple[str, str]] = {}
        """The commands that are open: who has begun each, and its id."""
        self.skipped = False
        """Whether something was done since the last moment that is seen, which is then not right before the next."""
        if looked:  # As a server does that is started before the project's first change.
            for who in ("A", "B", "N"):
                self.workspace(who).history()

    def close(self) -> None:
        for workspace in self.open.values():
            workspace.close()

    def workspace(self, who: str) -> Workspace:
        if who == "new" and "new" in self.open:
            self.open.pop("new").close()
        if who not in self.open:
            root = self.root / "n" if who == "N" else self.root
            self.open[who] = Workspace(
                root, state_dir=self.state, session=f"session-{who}"
            )
        return self.open[who]

    def play(self, step: Step) -> None:
        kind, who, *given = step
        before = look(self.root)
        known = self._ids()
        actor = who
        if kind == "end" and self.begun:
            actor = self.begun[self._ending(given[-1])][0]
        try:
            getattr(self, "do_" + kind.replace(" ", "_"))(who, *given)
        except FilewrightError as error:
            if look(self.root) != before:
                raise WrongError(
                    f"{step}: refused ({error}), but {_difference(before, look(self.root))}"
                ) from error
            if error.code.value == "internal":
                raise WrongError(f"{step}: {error}") from error
        new = [change for change in self._ids() if change not in known]
        after = look(self.root)
        # What is done from the inner root alone does not look at the outer one, where a command may have done more.
        is_inside = (
            actor == "N"
            and kind != "shell"
            and any(other != "N" for other, _ in self.begun.values())
        )
        if new and is_inside:
            self.skipped = True
            return
        if new:
            self.seen.append((new[0], after))
            self.alone.update(
                new
                if len(new) == 1 and not self.begun and not self.skipped
                else ()
            )
            self.skipped = False
        elif after != before and not self.begun:
            raise WrongError(
                f"{step}: nothing new in the history, but {_difference(before, after)}"
            )
        left = [name for name in after if "~" in name]
        if left:
            raise WrongError(f"{step}: left behind {left}")

    def _ids(self) -> list[str]:
        """The newest changes, as a process sees them that is started now."""
        with Workspace(self.root, state_dir=self.state) as fresh:
            return [record.id for record in fresh.history(limit=8)]

    def _moment(self, number: int) -> tuple[str, Tree] | None:
        return self.seen[number % len(self.seen)] if self.seen else None

    def _call(self, who: str, tool: str, **arguments: Any) -> None:
        run_tool(self.workspace(who), tool, arguments)

    def _name(self, who: str, path: str) -> str:
        return path.removeprefix("n/") if who == "N" else path

    # Calls of the tools

    def do_open(self, who: str, *_: Any) -> None:
        if who in self.open:
            self.open.pop(who).close()

    def do_write(self, who: str, path: str, _: str, number: int) -> None:
        mode = ("overwrite", "create", "append")[number % 3]
        item = {
            "path": self._name(who, path),
            "content": _TEXTS[number % len(_TEXTS)],
            "mode": mode,
        }
        self._call(who, "write_content", items=[item])

    def do_edit(self, who: str, path: str, _: str, number: int) -> None:
        word = ("second", "third", "two", "A", "this is")[number % 5]
        edit = {"search": word, "replace": f"{word}{number % 7}\nmore"}
        self._call(
            who, "edit_content", path=self._name(who, path), edits=[edit]
        )

    def do_move(self, who: str, path: str, other: str, number: int) -> None:
        item = {
            "source": self._name(who, path),
            "destination": self._name(who, other),
        }
        self._call(who, "move_items", items=[item], overwrite=number % 3 == 0)

    def do_copy(self, who: str, path: str, other: str, number: int) -> None:
        item = {
            "source": self._name(who, path),
            "destination": self._name(who, other),
        }
        self._call(who, "copy_items", items=[item], overwrite=number % 3 == 0)

    def do_delete(self, who: str, path: str, other: str, number: int) -> None:
        self._call(
            who,
            "delete_items",
            paths=[self._name(who, path)],
            recursive=number % 2 == 0,
        )

    def do_mode(self, who: str, path: str, _: str, number: int) -> None:
        is_folder = (self.root / path).is_dir()
        mode = "700" if is_folder else _MODES[number % 4]
        self._call(
            who, "set_permissions", paths=[self._name(who, path)], mode=mode
        )

    def do_mkdir(self, who: str, path: str, *_: Any) -> None:
        self._call(who, "create_directories", paths=[self._name(who, path)])

    def do_patch(self, who: str, path: str, other: str, number: int) -> None:
        path, other = self._name(who, path), self._name(who, other)
        moved = (
            f"*** Move to: {other}\n" if number % 2 and path != other else ""
        )
        self._call(
            who,
            "apply_patch",
            patch=f"*** Begin Patch\n*** Update File: {path}\n{moved}@@\n-second\n+SECOND\n*** End Patch\n",
        )

    # What a shell does

    def do_shell(self, who: str, calls: bool, *commands: Step) -> None:
        workspace = self.workspace(who if who != "N" else "A")
        identifier = workspace.begin_command()
        for number, (command, path, other, value) in enumerate(commands):
            with contextlib.suppress(OSError):
                _run(self.root, command, path, other, value)
            if calls and number == 0:
                with contextlib.suppress(FilewrightError):
                    self.do_edit("B", path, other, value)
        workspace.end_command(identifier, "a command")

    def do_begin(self, who: str, _: str, __: str, number: int) -> None:
        slot = number % 3
        if slot not in self.begun:
            self.begun[slot] = who, self.workspace(who).begin_command()

    def do_end(self, _: str, __: str, ___: str, number: int) -> None:
        if self.begun:
            who, identifier = self.begun.pop(self._ending(number))
            self.workspace(who).end_command(identifier, "one of several")

    def _ending(self, number: int) -> int:
        """The slot of the open command that a step with that number ends."""
        slots = sorted(self.begun)
        return slots[number % len(slots)]

    def do_commands(self, _: str, *commands: Step) -> None:
        """Commands of a shell, as far as an open one covers them: that of the inner root only what is in that."""
        if not self.begun:
            return
        is_inside = {who for who, _ in self.begun.values()} == {"N"}
        for command, path, other, value in commands:
            with contextlib.suppress(OSError):
                if not is_inside:
                    _run(self.root, command, path, other, value)
                elif path.startswith("n/"):
                    name = other.removeprefix("n/").replace("/", "-")
                    _run(
                        self.root / "n",
                        command,
                        path.removeprefix("n/"),
                        name,
                        value,
                    )

    # Taking back

    def do_down(self, who: str, *_: Any) -> None:
        """Rewind to each change, from the newest on down."""
        workspace = self.workspace(who)
        for change, tree in reversed(self.seen):
            try:
                workspace.revert_edit(since=change, break_hard_links=True)
            except FilewrightError as error:
                if error.code.value != "no_change":
                    raise WrongError(
                        f"going down to {self._index(change)} was refused: {error}"
                    ) from error
            self._compare(
                tree, f"after going down to change {self._index(change)}"
            )

    def do_rewind(self, who: str, _: str, __: str, number: int) -> None:
        moment = self._moment(number)
        if moment is None or who == "N":
            return
        change, tree = moment
        before = look(self.root)
        workspace = self.workspace(who)
        try:
            try:
                undone = workspace.revert_edit(since=change)
            except FilewrightError as error:
                if error.code.value != "hard_linked":
                    raise
                undone = workspace.revert_edit(
                    since=change, break_hard_links=True
                )
        except FilewrightError as error:
            if error.code.value != "no_change":
                raise WrongError(
                    f"rewind to {change} was refused: {error}"
                ) from error
        else:
            self._compare(
                tree, f"after rewinding to change {self._index(change)}"
            )
            if number & 1024:
                assert undone.change_id is not None
                workspace.revert_edit(undone.change_id)
                self._compare(before, "after taking the rewind back")
            return
        self._compare(
            tree,
            f"although there was nothing to rewind since change {self._index(change)}",
        )

    def do_undo(self, who: str, *_: Any) -> None:
        workspace = self.workspace(who)
        before = look(self.root)
        undone = workspace.undo()
        self._redo(workspace, undone.change_id, before)

    def do_undo_one(self, who: str, _: str, __: str, number: int) -> None:
        moment = self._moment(number)
        if moment is None:
            return
        before = look(self.root)
        workspace = self.workspace(who)
        undone = workspace.revert_edit(
            moment[0], include_shared=number % 2 == 0
        )
        index = self._index(moment[0])
        # What an open command has done since is recorded by the undo itself, and stays.
        is_newest = index == len(self.seen) - 1 and before == moment[1]
        if is_newest and index > 0 and moment[0] in self.alone:
            self._compare(
                self.seen[index - 1][1], "after undoing the newest change"
            )
        self._redo(workspace, undone.change_id, before)

    def do_session(self, who: str, _: str, __: str, number: int) -> None:
        before = look(self.root)
        workspace = self.workspace(who)
        undone = workspace.revert_edit(
            session=f"session-{WORKSPACES[number % 4]}",
            include_shared=number % 3 > 0,
        )
        self._redo(workspace, undone.change_id, before)

    def _redo(
        self, workspace: Workspace, change: str | None, before: Tree
    ) -> None:
        """Take what was just undone back at once, compare, and undo it again."""
        assert change is not None
        after = look(self.root)
        redone = workspace.revert_edit(change)
        self._compare(before, "after taking the undo back")
        workspace.revert_edit(redone.change_id)
        self._compare(after, "after undoing it once more")

    def do_redo(self, who: str, *_: Any) -> None:
        self.workspace(who).redo()

    def do_restore(self, who: str, path: str, _: str, number: int) -> None:
        moment = self._moment(number)
        if moment is None or who == "N":
            return
        change, tree = moment
        was = tree.get(path)
        before = look(self.root)
        if (
            was is None
            or was[0] != "file"
            or path not in FILES
            or before.get(path, was)[0] != "file"
        ):
            return
        if any(
            before.get(str(above), ("folder",))[0] != "folder"
            for above in Path(path).parents
        ):
            return  # Refused: something else is where its folder was.
        try:
            self.workspace(who).restore(path, change)
        except FilewrightError as error:
            if error.code.value not in ("no_change", "not_found"):
                raise WrongError(
                    f"restoring {path} as of {self._index(change)} was refused: {error}"
                ) from error
        now = look(self.root)
        if now.get(path) != was:
            raise WrongError(
                f"restoring {path} as of {self._index(change)}: {_brief(now.get(path))}, not {_brief(was)}"
            )

    def _index(self, change: str) -> int:
        return next(
            number
            for number, (each, _) in enumerate(self.seen)
            if each == change
        )

    def _compare(self, wanted: Tree, when: str) -> None:
        now = look(self.root)
        if now != wanted:
            raise WrongError(f"{when}: {_difference(wanted, now)}")


def _run(root: Path, command: str, path: str, other: str, value: int) -> None:
    """One command of a shell, which may fail as it would there."""
    one, two = root / path, root / other
    text = _TEXTS[value % len(_TEXTS)].encode()
    if command in ("write", "append", "again", "replace"):
        if one.is_dir() or one.is_symlink():
            return
        if command == "replace" or (command == "again" and one.exists()):
            content = one.read_bytes()[::-1] if command == "again" else text
            spare = root / "spare"
            spare.write_bytes(content)
            spare.replace(one)
        else:
            with open(one, "ab" if command == "append" else "wb") as file:
                file.write(text)
    elif command == "mv":
        if two.is_dir() and not two.is_symlink():
            two = two / one.name
        if one != two and not two.is_relative_to(one):
            one.rename(two)
    elif command == "swap":
        spare = root / "spare"
        if (
            not (one.is_relative_to(two) or two.is_relative_to(one))
            and one.exists()
            and two.exists()
        ):
            one.rename(spare)
            two.rename(one)
            spare.rename(two)
    elif command == "cp":
        if one.is_dir():
            if not two.is_relative_to(one):
                shutil.copytree(one, two, symlinks=True)
        elif not two.is_dir():
            shutil.copy2(one, two)
    elif command == "rm":
        shutil.rmtree(
            one
        ) if one.is_dir() and not one.is_symlink() else one.unlink()
    elif command == "chmod":
        if not one.is_symlink():
            one.chmod(0o700 if one.is_dir() else int(_MODES[value % 4], 8))
    elif command == "mkdir":
        one.mkdir()
    elif command == "symlink":
        one.symlink_to(other)
    elif command == "ln" and not one.is_dir():
        os.link(one, two, follow_symlinks=False)


def _difference(wanted: Tree, now: Tree) -> str:
    rows = [
        f"{path}: {_brief(wanted.get(path))} -> {_brief(now.get(path))}"
        for path in sorted({*wanted, *now})
        if wanted.get(path) != now.get(path)
    ]
    return "; ".join(rows[:8])


def _brief(thing: tuple[Any, ...] | None) -> str:
    if thing is None:
        return "nothing"
    shown = thing[:1] + tuple(
        oct(x) if isinstance(x, int) else x if len(x) < 40 else x[:20] + x[-9:]
        for x in thing[1:]
    )
    return " ".join(map(str, shown))


@contextlib.contextmanager
def _place(where: Path) -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="history-", dir=where))
    try:
        yield place
    finally:
        subprocess.run(["chmod", "-R", "u+rwx", str(place)], check=False)
        shutil.rmtree(place, ignore_errors=True)


def played(steps: Sequence[Step], where: Path) -> str | None:
    """What was wrong with a history; None if nothing was."""
    _, git, looked = steps[0]
    old = os.umask(0o022)
    try:
        with _place(where) as place:
            project = Project(place, git=git, looked=looked)
            try:
                for step in steps[1:]:
                    project.play(step)
            except WrongError as error:
                return str(error)
            except (
                Exception
            ) as error:  # What is no refusal is wrong, whatever it is.
                return f"{step}: {type(error).__name__}: {error}"
            finally:
                project.close()
    finally:
        os.umask(old)
    return None


def shortest(
    steps: list[Step], fails: Callable[[list[Step]], bool]
) -> list[Step]:
    """The same history with every step left out, and every command of a shell, without which it fails too."""
    at = len(steps) - 1
    while at > 0:
        fewer = steps[:at] + steps[at + 1 :]
        if fails(fewer):
            steps = fewer
        elif steps[at][0] in ("shell", "commands"):
            first = 3 if steps[at][0] == "shell" else 2
            for inner in reversed(range(first, len(steps[at]))):
                less = steps[at][:inner] + steps[at][inner + 1 :]
                changed = [*steps[:at], less, *steps[at + 1 :]]
                if len(less) > first and fails(changed):
                    steps = changed
        at = min(at, len(steps)) - 1
    return steps


def explained(seed: int, where: Path) -> str | None:
    """What is wrong with the history of a seed, with its shortest form; None if nothing is."""
    steps = made(seed)
    wrong = played(steps, where)
    if wrong is None:
        return None
    steps = shortest(steps, lambda fewer: played(fewer, where) is not None)
    lines = "\n".join(f"    {step}," for step in steps)
    return f"seed {seed}: {played(steps, where) or wrong}\n[\n{lines}\n]"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--seconds"]:
        end, seed, count = (
            time.monotonic() + float(sys.argv[2]),
            random.randrange(1 << 32),
            0,
        )
        while time.monotonic() < end:
            if (
                said := explained(seed + count, Path(tempfile.gettempdir()))
            ) is not None:
                print(said, flush=True)
            count += 1
        print(f"{count} histories were played")
        sys.exit()
    first = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(1 << 32)
    for number in range(
        first, first + (int(sys.argv[2]) if len(sys.argv) > 2 else 100)
    ):
        if (said := explained(number, Path(tempfile.gettempdir()))) is not None:
            print(said, flush=True)
