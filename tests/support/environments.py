"""Virtual environments made on the spot, with a package in them and no network."""

import subprocess
import sys
from pathlib import Path

from harness.files import sha256

DEPENDENCY = "till"
"""A distribution that nothing but such an environment has."""
_CODE = 'VERSION = "1"\n\n\ndef rounded(amount):\n    return round(amount, 2)\n'


def environment(folder: Path, python: str = sys.executable) -> Path:
    """A virtual environment at `folder` that has `till` and nothing else."""
    subprocess.run([python, "-m", "venv", "--without-pip", str(folder)], check=True, capture_output=True)
    packages = next(folder.glob("lib/python3.*/site-packages"))
    install(packages, DEPENDENCY, _CODE)
    return folder


def install(packages: Path, name: str, code: str) -> None:
    """What an installer leaves behind for a distribution of one module."""
    (packages / f"{name}.py").write_text(code)
    known = packages / f"{name}-1.0.dist-info"
    known.mkdir(exist_ok=True)
    (known / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (known / "RECORD").write_text(f"{name}.py,sha256={sha256(code)},{len(code)}\n{name}-1.0.dist-info/METADATA,,\n")
