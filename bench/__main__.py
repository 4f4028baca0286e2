"""The command `python -m bench`."""

import sys

from bench.dialects import compare

if __name__ == "__main__":
    if sys.argv[1:2] != ["dialects"]:
        sys.exit("python -m bench dialects")
    sys.exit(compare.main(sys.argv[2:]))
