"""The dialect `official`: the reference filesystem server of the Model Context Protocol.

One path a call, plain text answers, errors as one sentence. That server rewrites line
endings, replaces bytes of other encodings and edits the first of several matches; here
bytes stay and an ambiguous edit is refused. The rest is as there.
"""
