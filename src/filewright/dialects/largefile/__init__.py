"""The dialect `largefile`: the large-file server.

One large file per call, absolute paths, JSON answers. Searches tolerate small
differences, an edit is a preview first, and backups are the changes of the history.
"""
