"""The command line, as `python -m filewright`.

In a folder that is not trusted, use `python -P -m filewright`.
"""

import os
import sys

# `-m` puts the current folder first: its modules would be imported in place of others
# with the same names.
if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
    del sys.path[0]

from filewright.cli import main

main()
