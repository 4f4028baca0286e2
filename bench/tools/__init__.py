"""The compared tools: a module of adapters for each.

A module says at which version a tool is installed, how it is started over a
folder, and how each request is put in the tool's own words. A tool that has no
word for a request is not asked, and has no cell in that row.
"""
