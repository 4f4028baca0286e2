"""Logs: the times of their entries, their periods, their counts and their files.

In: a `Snapshot`, and the times and keys of a caller. Out: the bytes that may hold the
entries of a period, the time of each line, and counts. Nothing here opens a path.

- `timestamps`, `clock`: the forms of timestamps, and the clock of a log
- `log_times`, `time_range`: the times of a log, and its part between two times
- `rotated`: the files of a rotated log
- `summary`: the period, the rate and the kinds of lines of a log
- `selection`: the conditions of a call on times and fields
- `counts`: counts of entries by fields, by time and by groups of a pattern
- `identifiers`: the ids of requests, jobs and traces in a line
"""
