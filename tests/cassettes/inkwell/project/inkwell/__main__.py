"""python -m inkwell [--port N] | purge"""

import argparse
import os
from pathlib import Path

from inkwell.purge import purge
from inkwell.store import Store


def main() -> int:
    parser = argparse.ArgumentParser(prog="inkwell")
    parser.add_argument("command", nargs="?", choices=["serve", "purge"], default="serve")
    parser.add_argument("--port", type=int, default=8080)
    arguments = parser.parse_args()
    store = Store(Path(os.environ.get("INKWELL_DATA", "data")))
    if arguments.command == "purge":
        print(f"{purge(store)} notes removed")
        return 0
    from inkwell.server import serve

    serve(store, arguments.port)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
