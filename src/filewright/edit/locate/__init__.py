"""Where an edit goes: a search text in, the one region it means out, or the reason there is none.

`locate(source, Edit(...))` tries tier after tier over the whole file: exact substring (`filewright.edit.filetext`)
and whole lines by ever looser comparison (`filewright.edit.find`), elision, repairs of the request. Each tier needs
exactly one region; more than one ends the search, never a looser tier. The answer is `Located` or `Missed`.

Nothing here writes: `filewright.edit.merge` turns a `Located` into splices, `filewright.edit.refusal`
a `Missed` into an explanation, and `filewright.edit.planning` does both for all edits of a call.
"""
