"""Opening files and folders below the roots of a workspace, and nothing else.

In: a path as a caller wrote it. Out: a `Location`, the form in which a path travels
between packages; from a location an open `File` or `Folder`, a `Status`, or a walk. No
other package opens a path of the user. The kernel keeps an open inside its root where
it can; this package reads the content of rule files and git's small files only, and
changes nothing below the roots.

- `boundary`: the way from a caller's path to an open file; begin reading here
- `location`: `Root` and `Location`
- `roots`: opening the roots, and the root that a path is below
- `opener`: opening a folder below a root, with the rules for the names in it
- `write_guard`: refusing changes of protected and read-only paths
- `walk`: everything below a folder, sorted, with the rules applied
- `walk_model`: the options of a walk, and the folders and entries that it yields
- `names`: quoting, comparing and making names
- `rules`: deny rules and read-only rules
- `rule_checker`: the deny rules at each step on the way to a path
- `protection`: paths that are never written
- `programs`: the files by which programs on the user's machine run something
- `aliases`: links by which a protected path has another name
- `matching`: ignore rules, as git reads them
- `wildmatch`: git's wildcards as regular expressions
- `globs`: the syntax in which callers select names
- `excludes`: git's global excludes file
- `worktrees`: the working trees below a root, and their names
- `worktree_links`: the linked working trees of a repository
- `repository`: the folders of the git repository around a folder
- `launcher`: child processes that the kernel confines to the roots

Errors: `path_escape`, `not_found`, `not_a_file`, `not_a_directory`, `symlink`,
`read_only`, `permission_denied`, `invalid_input`.
"""
