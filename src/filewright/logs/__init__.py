"""Logs: the times of their entries, their periods, their counts and their files.

In: a `Snapshot`, and the conditions of a caller. Out: the bytes of a file that may hold
the entries, and whether a line is one of them. Nothing here opens a path.

- `timestamps`: the forms of timestamps, and the clock of a log
- `time_range`: the part of a log between two times
- `rotated`: the files of a rotated log
- `summary`: the period, the rate and the kinds of lines of a log
- `selection`: the conditions of a call on times and fields
- `counts`: counts of entries by fields, by time and by groups of a pattern
"""
