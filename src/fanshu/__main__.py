"""`python -m fanshu`: the command line."""

from fanshu.cli import main

if __name__ == "__main__":
    main()
