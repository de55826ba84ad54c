"""``python -m setwise`` is the command ``setwise``."""

from setwise.cli import main

if __name__ == "__main__":
    main()
