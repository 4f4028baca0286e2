"""The tree of the files of a view: nested folders, with counts and decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from filewright.boundary.names import quote
from filewright.changes.model import ChangeRecord, FileChange
from filewright.page.cards import count_lines
from filewright.page.decisions import Decisions, file_key
from filewright.page.names import natural_key, readable_path, show_name
from filewright.page.titles import is_folder
from filewright.page.words import ACTION_WORDS
from filewright.progress import Task
from filewright.tools.best_effort import ExtraTask
from filewright.workspace import Workspace

_MAX_FILES = 2_000
"""Files that the tree beside the diffs has."""
_COUNTING_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of the tree; `index` is that of its file change.

    `added` and `removed` are None if its lines were not counted, or if it has none.
    """

    index: int
    name: Markup
    path: str
    action: str
    letter: str
    decision: str
    added: int | None
    removed: int | None


@dataclass(slots=True)
class TreeFolder:
    """A folder of the tree; a folder that holds one folder alone is joined with it."""

    name: Markup
    folders: list[TreeFolder] = field(default_factory=list)
    files: list[TreeFile] = field(default_factory=list)

    @property
    def count(self) -> int:
        """The number of files in it and below."""
        return len(self.files) + sum(folder.count for folder in self.folders)


@dataclass(frozen=True, slots=True)
class FileTree:
    """The tree of a view; `more` counts the files that it leaves out."""

    root: TreeFolder
    more: int


@dataclass(slots=True)
class _Branch:
    """A folder while the tree is built: its folders, and the indexes of its files."""

    folders: dict[bytes, _Branch] = field(default_factory=dict)
    files: list[tuple[int, FileChange]] = field(default_factory=list)


def build_tree(
    workspace: Workspace, record: ChangeRecord, decisions: Decisions
) -> FileTree:
    """Return the files of a record by their folders.

    Names are in natural order, folders before files. Lines are counted as far as there
    is time.
    """
    top_branch = _Branch()
    changes = record.file_changes
    for index, change in enumerate(changes[:_MAX_FILES]):
        if is_folder(change) and change.action != "moved":
            continue
        branch = top_branch
        for name in change.path.parts[:-1]:
            branch = branch.folders.setdefault(name, _Branch())
        branch.files.append((index, change))
    builder = _TreeBuilder(
        workspace, decisions, ExtraTask(Task(), _COUNTING_SECONDS)
    )
    root = builder.build(Markup(), top_branch)
    return FileTree(root, max(0, len(changes) - _MAX_FILES))


@dataclass(frozen=True, slots=True)
class _TreeBuilder:
    """A builder of folders and files; lines are counted until the task's time is over."""

    workspace: Workspace
    decisions: Decisions
    task: Task

    def build(self, name: Markup, branch: _Branch) -> TreeFolder:
        """Return the folder of a branch, with all below it."""
        folder = TreeFolder(name)
        for first_name, child_branch in _sorted_folders(branch):
            chain_names = [first_name]
            # A chain of folders is one row, as people name it: src/main/java.
            while len(child_branch.folders) == 1 and not child_branch.files:
                ((only_name, child_branch),) = child_branch.folders.items()
                chain_names.append(only_name)
            display_name = show_name(quote(b"/".join(chain_names)))
            folder.folders.append(
                self.build(
                    display_name.folder + display_name.base, child_branch
                )
            )
        files = sorted(
            branch.files,
            key=lambda entry: natural_key(entry[1].path.parts[-1:]),
        )
        for index, change in files:
            folder.files.append(self._build_file(index, change))
        return folder

    def _build_file(self, index: int, change: FileChange) -> TreeFile:
        line_counts = None
        if not self.task.expired and not is_folder(change):
            line_counts = count_lines(self.workspace, change)
        has_lines = line_counts is not None and (
            line_counts.added or line_counts.removed
        )
        path = change.path.display_path
        return TreeFile(
            index=index,
            name=show_name(path).base,
            path=readable_path(path),
            action=change.action,
            letter=ACTION_WORDS[change.action].letter,
            decision=self.decisions.of(file_key(change)),
            added=line_counts.added
            if line_counts is not None and has_lines
            else None,
            removed=line_counts.removed
            if line_counts is not None and has_lines
            else None,
        )


def _sorted_folders(branch: _Branch) -> Sequence[tuple[bytes, _Branch]]:
    return sorted(
        branch.folders.items(), key=lambda item: natural_key(item[:1])
    )
