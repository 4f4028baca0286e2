"""The dialect `agent-tools`: the tools that coding agents are trained on.

One file per call and plain text: numbered lines, exact strings that are replaced, `grep`
with pages, unified diffs. An error is one JSON object; a code that this dialect lacks
becomes the nearest one that it has.
"""
