"""The tools of a workspace as objects of agent frameworks.

In comes a `Workspace`; out come the tools, editors and backends that a framework takes.
Each module is for one framework and imports it, so nothing in filewright imports a
module from here, and none of them does anything with files itself.
"""
