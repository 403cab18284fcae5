"""Runs inside a child process under `python -I`: a list of tests and files in, bandit's issues out, all as JSON.

Bandit is used as a library, so that no `.bandit`, `pyproject.toml` or baseline of the audited project is ever looked for,
and with `nosec` comments ignored.
"""

import json
import logging
import sys

from bandit.core import config, manager


def main() -> None:
    """Read the request from standard input, write the answer to standard output."""
    logging.disable(logging.CRITICAL)
    request = json.load(sys.stdin)
    audit = manager.BanditManager(
        config.BanditConfig(None), "file", profile={"include": request["tests"]}, ignore_nosec=True, quiet=True
    )
    audit.files_list = request["files"]
    audit.run_tests()
    issues = [issue.as_dict(with_code=False) for issue in audit.results]
    json.dump({"issues": issues, "skipped": [list(pair) for pair in audit.get_skipped()]}, sys.stdout)


if __name__ == "__main__":
    main()
