"""What the first version answered to some 2,500 calls, and what its files were like afterwards.

`first-version.jsonl.xz` holds sessions: a small workspace, and calls of the native tools or of a dialect
made in it one after the other, each with its answer and with the bytes, modes and names it left behind.
Every session is replayed on the code as it is. Whatever differs must be explained in `explained/`.

=================  ==========================================================================
`sessions.py`      the types, the file, and playing a session on the code as it is
`authors.py`       the seeded author of calls: the workspace it writes for is one of `worlds.py`, and what
                   each tool is asked is in `calls.py`
`differences.py`   the kinds of entries; `explained/` has what is different on purpose, each with the reason
`comparison.py`    the recording against the code, less what is explained
=================  ==========================================================================

    python -m tests.recording                 the unexplained differences, grouped by their shape
    python -m tests.recording native-03.07    one call, before and now
    python -m tests.recording record FILE     a new recording, of the code as it is
"""
