"""WHERE: roots, names, and opening things inside the roots without ever leaving them.

Owns the roots, the reading and showing of names, every `open` of a user's file, the walk with its
ignore rules, the list of protected names, and the one launcher of child processes. Enforced by the
kernel where it can (`system.Folder.open_folder_beneath`), not by comparing strings.

Never changes what is inside the roots, and never looks at a file's content except for rules.

What much of its size pays for: walks of trees deeper than a path may
be and of folders with a million names within bounded memory; ignore rules as git reads them; denied
names that are unknown to every call, asked for at each step of each walk; children that the kernel confines;
globs that begin with the path of their folder.

In: a path as a caller wrote it (`Boundary.locate`). Out: a `Location`, which is the only form a path
travels in; from it a `File` or a `Folder` (`open_file`, `open_folder`), a `Status`
(`stat`), or a stream of entries (`walk`). Errors: `path_escape`, `not_found`, `not_a_file`,
`not_a_directory`, `symlink`, `read_only`, `permission_denied`, `invalid_input`.
"""
