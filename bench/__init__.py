"""filewright-bench: a comparison of file tools for agents, ours among them.

`python -m bench PART [--tool NAME …] [--quick]` gives every tool the same
requests on the same files, each in the tool's own words, and tells what became
of the bytes. A *part* is a source of cases (`bench.parts`), a *tool* an adapter
of one published program (`bench.tools`), a *case* a file, a request and the
bytes that are right. Nothing here knows which tool is ours.
"""
