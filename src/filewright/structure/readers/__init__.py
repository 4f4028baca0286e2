"""Functions for the nodes that a query alone cannot name: from a syntax node to what it declares.

A query refers to one as `@read.MODULE.FUNCTION`. Each takes the node and its site.
"""
