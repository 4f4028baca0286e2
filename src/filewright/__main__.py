"""`python -m filewright` is the command line; `python -P -m filewright` where the current folder is not trusted."""

import os
import sys

# What `-m` puts there: modules of the current folder would be imported in place of others of their names.
if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
    del sys.path[0]

from filewright.cli import main

main()
