"""The calls of each tool, native and of the dialects, and the writing of whole sessions."""

from __future__ import annotations

import posixpath
from random import Random
from typing import Any

from tests.recording.authors import CONTENTS, GLOBS, NAMES, REGEXES, WORDS, Arguments, Author, Tools
from tests.recording.sessions import Call, Session, Surface, staged
from tests.recording.worlds import world

SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {},
    {"hold_bytes": 0, "identity_bytes": 0},
    {},
    {},
    {},
    {"page_chars": 1_000, "line_chars": 60},
    {"protected": (".git", "data"), "break_hard_links": True},
    {"whole_undo_bytes": 8, "hold_bytes": 64},
    {"read_only": True},
    {"max_file_bytes": 200, "max_input_bytes": 4_000, "max_edits": 2, "max_items": 2, "max_undo_bytes": 300},
)

# The native tools


def list_files(a: Author) -> Arguments:
    made: Arguments = {} if a.chance(0.4) else {"path": a.folder()}
    if a.chance(0.15) and a.fresh:
        return made | {
            "glob": "**/*.txt",
            "sort": "size",
            "details": True,
        }  # folders' sizes differ from disk to disk
    return (
        a.option(
            made,
            0.3,
            glob=lambda: a.pick(GLOBS),
            depth=lambda: a.pick([0, 1, 2, 3]),
            details=a.flag,
            sort=lambda: a.pick(["name", "modified"] if a.fresh else ["name"]),
            include_hidden=a.flag,
            include_ignored=a.flag,
            limit=lambda: a.pick([1, 3, 10]),
            cursor=a.cursor,
        )
        if a.chance(0.85)
        else made
    )


def stat_items(a: Author) -> Arguments:
    return {"paths": a.some(a.path, 4)}


def get_overview(a: Author) -> Arguments:
    return a.option(
        {"path": a.file()},
        0.25,
        max_symbols=lambda: a.pick([0, 1, 3]),
        changed_lines=lambda: [[1, 3], [a.pick([5, 9, 400]), 12]],
    )


def search_content(a: Author) -> Arguments:
    mode = a.pick(["literal", "literal", "regex", "regex", "fuzzy"])
    made: Arguments = {"pattern": a.pick(REGEXES if mode == "regex" else WORDS), "mode": mode}
    if mode != "regex" and a.chance(0.4):
        made["pattern"] = a.slipped(a.excerpt(a.text_of(a.pick(a.files(texts=True))))[0]) or "total"
    if a.chance(0.6):
        made["path"] = a.file() if a.chance(0.5) else a.folder()
    return a.option(
        made,
        0.15,
        glob=lambda: a.pick(GLOBS),
        type=lambda: a.pick(["py", "js", "python", "cobol"]),
        case=lambda: a.pick(["smart", "sensitive", "insensitive"]),
        whole_word=a.flag,
        multiline=a.flag,
        invert=a.flag,
        context=lambda: a.pick([0, 1, 5]),
        context_before=lambda: 1,
        context_after=lambda: 3,
        output=lambda: a.pick(["matches", "files", "counts"]),
        max_results=lambda: a.pick([1, 2, 5]),
        min_similarity=lambda: a.pick([0.5, 0.95]),
        cursor=a.cursor,
    )


def read_content(a: Author) -> Arguments:
    made: Arguments = {"path": a.file()} if a.chance(0.85) else {"paths": a.some(a.path)}
    match a.pick("lllstpyoce"):
        case "l":
            a.option(
                made,
                0.4,
                start=lambda: a.pick([1, 2, 4, -3, 290]),
                limit=lambda: a.pick([1, 3, 20]),
                numbered=a.flag,
            )
        case "s":
            made |= {"mode": "semantic", "line": a.pick([1, 2, 3, 9, 14]), "depth": a.pick([1, 2])}
        case "t":
            made |= {"mode": a.pick(["head", "tail"]), "limit": a.pick([1, 4])}
        case "p":
            made |= {"pattern": a.pick(WORDS), "occurrence": a.pick([1, 1, 2])}
        case "y":
            made |= {"symbol": a.pick(["Cart.total", "total", "main", "Use", "View", "nothing"])}
        case "o":
            made |= {"line": a.pick([1, 2, 4, 12]), "limit": a.pick([1, 6])}
        case "c":
            made |= {"column": a.pick([1, 50, 3000]), "limit": 20, "start": a.pick([1, 2])}
        case _:
            made |= {"encoding": a.pick(["latin-1", "shift_jis", "utf-8", "utf-16", "koi8-r", "nonsense"])}
    return made


def edit_content(a: Author) -> Arguments:
    name = a.pick(a.files(texts=True)) if a.chance(0.97) else a.pick(a.files())
    text = a.text_of(name)
    edits = []
    for _ in range(a.pick([1, 1, 1, 1, 2, 3])):
        search, replace, line = a.edit(text)
        edit: Arguments = {"search": search, "replace": replace}
        if a.chance(0.2):
            edit["start_line"] = max(1, line + a.pick([0, 0, 0, 1, -1, 50]))
            if a.chance(0.3):
                edit["end_line"] = edit["start_line"] + a.pick([0, 1, 5])
        a.option(edit, 0.12, replace_all=lambda: True)
        edits.append(edit)
    made: Arguments = {"path": a.named(name) if a.chance(0.96) else a.path(), "edits": edits}
    a.option(
        made,
        0.1,
        fuzzy=a.flag,
        preview=a.flag,
        expected_version=a.version,
        break_hard_links=a.flag,
        undoable=a.flag,
    )
    return a.option(made, 0.04, encoding=lambda: a.pick(["latin-1", "shift_jis", "utf-8", "nonsense"]))


def apply_patch(a: Author) -> Arguments:
    return a.option({"patch": a.patch()}, 0.1, preview=a.flag, break_hard_links=a.flag, undoable=a.flag)


def replace_content(a: Author) -> Arguments:
    mode = a.pick(["literal", "regex"])
    name = a.pick(a.files(texts=True))
    pattern, replacement = a.swap(a.text_of(name), regex=mode == "regex")
    made: Arguments = {"pattern": pattern, "replacement": replacement, "mode": mode}
    if a.chance(0.7):
        made["preview"] = False
    if a.chance(0.8):
        made["path"] = a.named(name) if a.chance(0.7) else a.folder()
    return a.option(
        made,
        0.08,
        glob=lambda: a.pick(GLOBS),
        case=lambda: a.pick(["smart", "sensitive", "insensitive"]),
        whole_word=a.flag,
        multiline=a.flag,
        expected_count=lambda: a.pick([0, 1, 2, 5]),
        max_files=lambda: a.pick([1, 2]),
        break_hard_links=a.flag,
    )


def write_content(a: Author) -> Arguments:
    def item() -> Arguments:
        mode = a.pick(["create", "overwrite", "append", None])
        path = a.path() if mode in ("overwrite", "append") and a.chance(0.8) else a.new()
        made: Arguments = {"path": path, "content": a.pick(CONTENTS)}
        if mode is not None:
            made["mode"] = mode
        a.option(made, 0.05, expected_version=a.version)
        return a.option(made, 0.15, newline=lambda: a.pick(["lf", "keep"]))

    return a.option(
        {"items": [item() for _ in range(a.pick([1, 1, 2, 3]))]},
        0.2,
        atomic=a.flag,
        break_hard_links=a.flag,
        undoable=a.flag,
    )


def create_directories(a: Author) -> Arguments:
    return a.option({"paths": a.some(lambda: a.new() if a.chance(0.8) else a.path())}, 0.3, atomic=a.flag)


def pairs(a: Author) -> Arguments:
    def item() -> Arguments:
        source = a.path()
        there = (
            a.folder() + "/" + posixpath.basename(source)
            if a.chance(0.3)
            else a.new()
            if a.chance(0.8)
            else a.path()
        )
        return {"source": source, "destination": there}

    return a.option(
        {"items": [item() for _ in range(a.pick([1, 1, 1, 2]))]},
        0.25,
        overwrite=a.flag,
        atomic=a.flag,
        break_hard_links=a.flag,
        undoable=a.flag,
    )


def delete_items(a: Author) -> Arguments:
    made = {"paths": a.some(lambda: a.folder() if a.chance(0.3) else a.path())}
    return a.option(made, 0.3, recursive=a.flag, missing_ok=a.flag, atomic=a.flag, undoable=a.flag)


def set_permissions(a: Author) -> Arguments:
    made = {
        "paths": a.some(a.path, 2),
        "mode": a.pick(["644", "755", "600", "u+x", "go-r", "a=r", "+x", "9", "u+s,g-w", "07777", "rw"]),
    }
    return a.option(
        made, 0.1, atomic=a.flag, group=lambda: "no-such-group-here", owner=lambda: "no-such-owner-here"
    )


def get_history(a: Author) -> Arguments:
    match a.pick("pcln"):
        case "p":
            return {"path": a.changed()}
        case "c":
            return {"change_id": a.change()}
        case "l":
            return a.option({"limit": a.pick([1, 2])}, 0.5, cursor=a.change)
        case _:
            return {}


def revert_edit(a: Author) -> Arguments:
    made: Arguments = {"change_id": a.change()} if a.chance(0.7) else {"path": a.changed()}
    return a.option(made, 0.15, preview=a.flag, wholly=a.flag)


# agent-tools


def agent_read(a: Author) -> Arguments:
    return a.option(
        {"path": a.file()}, 0.3, offset=lambda: a.pick([1, 3, -2, 500]), limit=lambda: a.pick([1, 5])
    )


def agent_path(a: Author) -> Arguments:
    return {"path": a.path()}


def agent_folder(a: Author) -> Arguments:
    return {"path": a.folder()}


def agent_glob(a: Author) -> Arguments:
    return a.option({"pattern": a.pick(GLOBS)}, 0.3, path=a.folder, respect_gitignore=a.flag)


def agent_tree(a: Author) -> Arguments:
    return a.option({}, 0.4, path=a.folder, depth=lambda: a.pick([1, 2, 9]), respect_gitignore=a.flag)


def agent_grep(a: Author) -> Arguments:
    return a.option(
        {"pattern": a.pick(REGEXES + WORDS)},
        0.2,
        path=a.somewhere,
        glob=lambda: a.pick(GLOBS),
        ignore_case=a.flag,
        output_mode=lambda: a.pick(["files_with_matches", "content", "content", "count"]),
        context=lambda: 1,
        before_context=lambda: 2,
        head_limit=lambda: a.pick([1, 3]),
        offset=lambda: a.pick([1, 50]),
        multiline=a.flag,
    )


def agent_edit(a: Author) -> Arguments:
    name = a.pick(a.files(texts=True))
    old, new, _ = a.edit(a.text_of(name))
    return a.option({"path": a.named(name), "old_string": old, "new_string": new}, 0.15, replace_all=a.flag)


def agent_edits(a: Author) -> Arguments:
    name = a.pick(a.files(texts=True))
    made = [a.edit(a.text_of(name)) for _ in range(a.pick([1, 2, 2]))]
    return {
        "path": a.named(name),
        "edits": [
            a.option({"old_string": old, "new_string": new}, 0.1, replace_all=a.flag) for old, new, _ in made
        ],
    }


def agent_write(a: Author) -> Arguments:
    return {"path": a.new() if a.chance(0.5) else a.path(), "content": a.pick(CONTENTS)}


def agent_replace(a: Author) -> Arguments:
    pattern, replacement = a.swap("", regex=True)
    made: Arguments = {"pattern": pattern, "replacement": replacement, "dry_run": a.chance(0.3)}
    return a.option(
        made,
        0.3,
        path=a.somewhere,
        glob=lambda: a.pick(GLOBS),
        ignore_case=a.flag,
        multiline=a.flag,
    )


def agent_pair(a: Author) -> Arguments:
    return a.option(
        {"source": a.path(), "destination": a.new() if a.chance(0.7) else a.path()}, 0.3, overwrite=a.flag
    )


# largefile


def large_file(a: Author) -> Arguments:
    return {"absolute_file_path": a.file()}


def large_overview(a: Author) -> Arguments:
    return a.option(large_file(a), 0.3, changed_lines=lambda: [[1, a.pick([2, 9])], [12, 14, "added"]])


def large_search(a: Author) -> Arguments:
    made = large_file(a) | {"pattern": a.pick(WORDS + REGEXES)}
    return a.option(
        made,
        0.2,
        max_results=lambda: a.pick([1, 3]),
        context_lines=lambda: a.pick([0, 4]),
        fuzzy=a.flag,
        regex=a.flag,
        case_sensitive=a.flag,
        invert=a.flag,
        count_only=a.flag,
    )


def large_read(a: Author) -> Arguments:
    return a.option(
        large_file(a),
        0.25,
        target=lambda: a.pick([3, "total", "4", None]),
        offset=lambda: a.pick([1, 9, 999]),
        limit=lambda: a.pick([1, 5]),
        pattern=lambda: a.pick(WORDS),
        mode=lambda: a.pick(["lines", "semantic", "tail", "head"]),
    )


def large_enclosing(a: Author) -> Arguments:
    return a.option(
        large_file(a) | {"line": a.pick([1, 2, 3, 4, 9, 14])}, 0.3, depth=lambda: 2, context_lines=lambda: 3
    )


def large_edit(a: Author) -> Arguments:
    name = a.pick(a.files(texts=True))
    made = [a.edit(a.text_of(name)) for _ in range(a.pick([1, 1, 2]))]
    arguments: Arguments = {"absolute_file_path": a.named(name), "preview": a.chance(0.2)}
    if a.chance(0.4):
        arguments |= {"search_text": made[0][0], "replace_text": made[0][1]}
    else:
        arguments["changes"] = [
            a.option({"search": search, "replace": replace}, 0.1, fuzzy=a.flag) for search, replace, _ in made
        ]
    return a.option(arguments, 0.15, fuzzy=a.flag)


def large_revert(a: Author) -> Arguments:
    return a.option({"absolute_file_path": a.changed()}, 0.3, backup_id=a.change)


def large_list(a: Author) -> Arguments:
    made = {"absolute_dir_path": a.folder()}
    return a.option(
        made,
        0.4,
        max_depth=lambda: a.pick([1, 2, 9]),
        max_entries=lambda: a.pick([1, 5]),
        include_hidden=a.flag,
    )


def large_search_tree(a: Author) -> Arguments:
    made = {"absolute_dir_path": a.folder(), "pattern": a.pick(WORDS + REGEXES)}
    return a.option(
        made,
        0.2,
        include_pattern=lambda: a.pick(GLOBS),
        max_results=lambda: 2,
        context_lines=lambda: 0,
        fuzzy=a.flag,
        regex=a.flag,
        invert=a.flag,
        include_hidden=a.flag,
    )


# filesystem


def fs_list(a: Author) -> Arguments:
    return a.option({"path": a.folder()}, 0.5, recursive=a.flag, include_stats=a.flag)


def fs_read(a: Author) -> Arguments:
    made = {"paths": a.some(a.file)}
    return a.option(
        made,
        0.3,
        start_line=lambda: a.pick([1, 3]),
        end_line=lambda: a.pick([2, 5, 999]),
        format=lambda: a.pick(["raw", "lines"]),
    )


def fs_write(a: Author) -> Arguments:
    return {"items": a.some(lambda: a.option(agent_write(a), 0.3, append=a.flag))}


def fs_paths(a: Author) -> Arguments:
    return {"paths": a.some(a.path)}


def fs_folders(a: Author) -> Arguments:
    return {"paths": a.some(a.new)}


def fs_modes(a: Author) -> Arguments:
    return {"paths": a.some(a.path, 2), "mode": a.pick(["644", "755", "0600", "9", "u+x"])}


def fs_owners(a: Author) -> Arguments:
    return {"paths": [a.pick(NAMES)], "uid": a.pick([-5, "root"]), "gid": 0}


def fs_pairs(a: Author) -> Arguments:
    return a.option({"operations": [agent_pair(a) for _ in range(a.pick([1, 2]))]}, 0.3, overwrite=a.flag)


def fs_search(a: Author) -> Arguments:
    made = {"regex": a.pick((*REGEXES, *WORDS, "/TOTAL/gi"))}
    return a.option(made, 0.4, path=a.somewhere, file_pattern=lambda: a.pick(GLOBS))


def fs_replace(a: Author) -> Arguments:
    names = [a.pick(a.files(texts=True)) for _ in range(a.pick([1, 1, 2]))]

    def operation() -> Arguments:
        regex = a.flag()
        search, replace = a.swap(a.text_of(names[0]), regex=regex)
        made: Arguments = {"search": search, "replace": replace, "use_regex": regex}
        return a.option(made, 0.2, ignore_case=a.flag)

    return {"paths": [a.named(name) for name in names], "operations": a.some(operation, 2)}


def fs_diff(a: Author) -> Arguments:
    def change() -> Arguments:
        name = a.pick(a.files(texts=True))
        diffs = []
        for _ in range(a.pick([1, 1, 2])):
            search, replace, line = a.edit(a.text_of(name))
            last = line + max(0, search.rstrip("\n").count("\n"))
            made: Arguments = {
                "search": search,
                "replace": replace,
                "start_line": line,
                "end_line": last + a.pick([0, 0, 0, 2]),
            }
            diffs.append(a.option(made, 0.15, operation=lambda: "insert"))
        return {"path": a.named(name), "diffs": diffs}

    return {"changes": a.some(change, 2)}


def fs_edit(a: Author) -> Arguments:
    def change() -> Arguments:
        name = a.pick(a.files(texts=True))
        search, replace, line = a.edit(a.text_of(name))
        made: Arguments = {"path": a.named(name), "start_line": max(1, line - a.pick([0, 0, 1, 3]))}
        if a.chance(0.85):
            made["search_pattern"] = search
        if a.chance(0.9):
            made["replace_content"] = replace
        return a.option(
            made,
            0.12,
            use_regex=a.flag,
            ignore_leading_whitespace=a.flag,
            preserve_indentation=a.flag,
            match_occurrence=lambda: 2,
        )

    return a.option({"changes": a.some(change, 2)}, 0.2, dry_run=a.flag, output_diff=a.flag)


TABLES: dict[str, Tools] = {
    "native": (
        {
            "list_files": list_files,
            "stat_items": stat_items,
            "get_overview": get_overview,
            "search_content": search_content,
            "read_content": read_content,
            "edit_content": edit_content,
            "apply_patch": apply_patch,
            "replace_content": replace_content,
            "write_content": write_content,
            "create_directories": create_directories,
            "move_items": pairs,
            "copy_items": pairs,
            "delete_items": delete_items,
            "set_permissions": set_permissions,
            "get_history": get_history,
            "revert_edit": revert_edit,
        },
        {
            "edit_content": 11,
            "apply_patch": 8,
            "search_content": 6,
            "read_content": 5,
            "replace_content": 4,
            "write_content": 4,
            "move_items": 4,
            "revert_edit": 6,
        },
    ),
    "agent-tools": (
        {
            "read_file": agent_read,
            "read_files": stat_items,
            "read_image": agent_path,
            "list_dir": agent_folder,
            "glob": agent_glob,
            "tree": agent_tree,
            "grep": agent_grep,
            "file_stat": agent_path,
            "outline": agent_path,
            "check_syntax": agent_path,
            "diff": lambda a: {"from": a.path(), "to": a.path()},
            "edit_file": agent_edit,
            "multi_edit": agent_edits,
            "apply_patch": lambda a: {"patch": a.patch()},
            "write_file": agent_write,
            "replace": agent_replace,
            "move": agent_pair,
            "copy": agent_pair,
            "mkdir": lambda a: {"path": a.new()},
            "remove": agent_path,
        },
        {"edit_file": 7, "multi_edit": 5, "apply_patch": 5, "grep": 4},
    ),
    "largefile": (
        {
            "get_overview": large_overview,
            "search_content": large_search,
            "read_content": large_read,
            "read_enclosing": large_enclosing,
            "edit_content": large_edit,
            "revert_edit": large_revert,
            "list_directory": large_list,
            "search_directory": large_search_tree,
        },
        {"edit_content": 8, "search_content": 3, "read_content": 3},
    ),
    "filesystem": (
        {
            "list_files": fs_list,
            "stat_items": fs_paths,
            "read_content": fs_read,
            "write_content": fs_write,
            "delete_items": fs_paths,
            "create_directories": fs_folders,
            "chmod_items": fs_modes,
            "chown_items": fs_owners,
            "move_items": fs_pairs,
            "copy_items": fs_pairs,
            "search_files": fs_search,
            "replace_content": fs_replace,
            "apply_diff": fs_diff,
            "edit_file": fs_edit,
        },
        {"edit_file": 6, "apply_diff": 6, "replace_content": 4, "write_content": 3, "chown_items": 1},
    ),
}


def written(surface: Surface, number: int, length: int) -> Session:
    """A session of `length` calls, made and played on the code as it is."""
    random = Random(f"{surface} {number}")
    settings = SETTINGS[number % len(SETTINGS)]
    roots = ("root", "two=other") if number % 4 == 3 else ("root",)
    before, twins = world(random, second=len(roots) > 1)
    empty = Session(f"{surface}-{number:02}", surface, roots, settings, before, twins, ())
    calls: list[Call] = []
    with staged(empty) as stage:
        author = Author(random, stage, TABLES[surface])
        while len(calls) < length:
            calls.append(stage.play(f"{empty.name}.{len(calls) + 1:02}", *author.next()))
            author.recent += [
                name for name, node in (calls[-1].changed or {}).items() if node and node.kind == "file"
            ]
    return Session(empty.name, surface, roots, settings, before, twins, tuple(calls))
