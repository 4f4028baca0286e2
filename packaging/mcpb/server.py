"""What the bundle starts: the command line of the installed package."""

from filewright.cli import main

main()
