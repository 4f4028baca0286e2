"""`python -m filewright` is the command line."""

from filewright.cli import main

main()
