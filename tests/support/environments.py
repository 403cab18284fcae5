"""Virtual environments made on the spot, with a package in them and no network."""

import base64
import subprocess
import sys
import zipfile
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


def install(packages: Path, name: str, code: str, *, hashed: bool = False) -> None:
    """What an installer leaves behind for a distribution of one module; `hashed` as the standard wants it."""
    (packages / f"{name}.py").write_text(code)
    standard = base64.urlsafe_b64encode(bytes.fromhex(sha256(code))).decode().rstrip("=")
    digest = standard if hashed else sha256(code)
    known = packages / f"{name}-1.0.dist-info"
    known.mkdir(exist_ok=True)
    (known / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (known / "RECORD").write_text(f"{name}.py,sha256={digest},{len(code)}\n{name}-1.0.dist-info/METADATA,,\n")


def wheel(folder: Path, name: str, version: str, code: str) -> Path:
    """A wheel of one module, for an installer without a network."""
    at = folder / f"{name}-{version}-py3-none-any.whl"
    known = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": code,
        f"{known}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{known}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{known}/RECORD"] = "".join(f"{path},,\n" for path in (*files, f"{known}/RECORD"))
    with zipfile.ZipFile(at, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return at
