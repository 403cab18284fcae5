"""Figure code in two layers: a static check, then a process that can reach nothing; what comes out is decoded and checked.

Code that a model wrote needs the sandbox, runs alone, and only pixels of it get into the report: whatever it saved is
rendered and written anew as PNG. Programs of ours draw many figures in one process, and their PDF stays a PDF.
"""

import base64
import binascii
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from agent.figures.check import violations
from agent.records import Figure, Source
from harness.files import write_atomic
from harness.sandbox.base import Limits, Mount, Sandbox

_INSIDE = Path(__file__).parent / "inside"
_START = "import sys; sys.path.insert(0, {at!r}); from harness_figures.{module} import main; main()"
_LIMITS = Limits(
    wall_s=60, memory_bytes=3 << 30, processes=16, output_bytes=1 << 20, file_bytes=24 << 20, disk_bytes=96 << 20
)
_JUDGE_LIMITS = Limits(wall_s=60, memory_bytes=3 << 30, processes=16, output_bytes=96 << 20, file_bytes=1 << 20)
_SECONDS_A_PLOT = 6
LARGEST = 12 << 20
"""Bytes of one picture."""


class Plan(NamedTuple):
    """A figure to be drawn."""

    label: str
    """`fig:...`; what follows names the file."""
    caption: str
    """Plain text."""
    code: str
    data: Mapping[str, JsonValue]
    """What the code sees as `data`."""
    sources: tuple[Source, ...] = ()


def draw(
    code: str,
    inputs: Mapping[str, JsonValue],
    work: Path,
    sandbox: Sandbox | None,
    *,
    label: str = "fig:figure",
    caption: str = "",
    sources: Sequence[Source] = (),
) -> Figure | str:
    """A figure from code of a model, or why there is none, in words that help to mend the code."""
    wrong = violations(code)
    if wrong:
        return "not run: " + "; ".join(wrong[:6])
    if sandbox is None:
        return "not run: there is no sandbox here, and code of a model runs nowhere else"
    plan = Plan(label, caption, code, inputs, tuple(sources))
    return _drawn([plan], work, sandbox, own=False)[0]


def draw_own(plans: Sequence[Plan], work: Path, sandbox: Sandbox | None) -> list[Figure | str]:
    """Figures from programs of this package, all in one process; for each the figure or why there is none."""
    return _drawn(plans, work, sandbox, own=True) if plans else []


def _drawn(plans: Sequence[Plan], work: Path, sandbox: Sandbox | None, *, own: bool) -> list[Figure | str]:
    with tempfile.TemporaryDirectory(prefix="figures-") as name:
        folder = Path(name)
        jobs = [
            {"code": p.code, "data": dict(p.data), "file": f"{i}.pdf" if own else "figure.pdf"}
            for i, p in enumerate(plans)
        ]
        (folder / "jobs.json").write_text(json.dumps(jobs), "utf-8")
        cache = _font_cache()
        if cache is not None:
            (folder / ".mpl").mkdir()
            for file in cache:
                shutil.copyfile(file, folder / ".mpl" / file.name)
        ended = _run(
            "draw", [], folder, sandbox, _LIMITS._replace(wall_s=_LIMITS.wall_s + _SECONDS_A_PLOT * len(plans))
        )
        said = _said(folder)
        made: list[tuple[str, bytes] | str] = []
        for job in jobs:
            target = str(job["file"])
            problem = said.get(target, f"the process was ended ({ended.how})")
            picture = None if problem else _picture(folder, target, own=own)
            made.append(
                problem if problem else picture if picture is not None else "it left no picture of a usable size"
            )
        results = _judged(made, sandbox, own=own)
    figures: list[Figure | str] = []
    for plan, result in zip(plans, results, strict=True):
        if isinstance(result, str):
            figures.append(result)
            continue
        ending, content = result
        path = f"figures/{_file_name(plan.label)}.{ending}"
        write_atomic(work / path, content)
        figures.append(Figure(label=plan.label, path=path, caption=plan.caption, sources=plan.sources, code=plan.code))
    return figures


def _judged(
    made: Sequence[tuple[str, bytes] | str], sandbox: Sandbox | None, *, own: bool
) -> list[tuple[str, bytes] | str]:
    """Suffix and content of what passes; in another process, since what decodes a picture is what the picture attacks."""
    with tempfile.TemporaryDirectory(prefix="figures-") as name:
        folder = Path(name)
        jobs: list[str] = []
        for i, one in enumerate(made):
            if not isinstance(one, str):
                (folder / f"{i}.bin").write_bytes(one[1])
                jobs += [f"{i}.bin", "keep" if own and one[0] == "pdf" else "renew"]
        answers: dict[str, dict[str, JsonValue]] = {}
        how = ""
        if jobs:
            ended = _run("judge", jobs, folder, sandbox, _JUDGE_LIMITS)
            answers, how = _lines(ended.output), ended.how
    results: list[tuple[str, bytes] | str] = []
    for i, one in enumerate(made):
        if isinstance(one, str):
            results.append(one)
            continue
        answer = answers.get(f"{i}.bin", {"problem": f"looking at it was ended ({how})"})
        problem, png = answer.get("problem"), answer.get("png")
        if isinstance(problem, str):
            results.append(f"its picture is refused: {problem}")
        elif isinstance(png, str):
            with contextlib.suppress(binascii.Error):
                content = base64.b64decode(png, validate=True)
                if content.startswith(b"\x89PNG\r\n\x1a\n") and len(content) <= LARGEST:
                    results.append(("png", content))
                    continue
            results.append("its picture is refused: it did not survive being written anew")
        else:
            results.append(one)
    return results


class _Ended(NamedTuple):
    output: bytes
    how: str


def _run(module: str, arguments: Sequence[str], folder: Path, sandbox: Sandbox | None, limits: Limits) -> _Ended:
    environment = {
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "SOURCE_DATE_EPOCH": "0",
    }
    if sandbox is not None:
        done = sandbox.run(
            [sys.executable, "-I", "-c", _START.format(at="/program", module=module), *arguments],
            writable=Mount(folder, "/drawn"),
            readable=[Mount(_INSIDE, "/program/harness_figures")],
            environment={**environment, "MPLCONFIGDIR": "/drawn/.mpl", "HOME": "/drawn"},
            limits=limits,
        )
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        how = f"limit of {done.limit}" if done.limit else f"exit code {done.returncode}"
        return _Ended(done.stdout, f"{how}: {words[-1][:160]}" if words and done.returncode else how)
    return _bare(module, arguments, folder, environment, limits)


def _bare(module: str, arguments: Sequence[str], folder: Path, environment: dict[str, str], limits: Limits) -> _Ended:
    """Where there is no sandbox: programs of ours only, in a process with a time limit and an environment of its own."""
    with tempfile.TemporaryDirectory(prefix="figures-") as scratch:
        shutil.copytree(_INSIDE, Path(scratch, "harness_figures"))
        needed = {k: os.environ[k] for k in ("SYSTEMROOT", "TEMP", "TMP", "LD_LIBRARY_PATH") if k in os.environ}
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-c", _START.format(at=scratch, module=module), *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env={**environment, **needed, "MPLCONFIGDIR": str(folder / ".mpl"), "HOME": str(folder)},
                cwd=folder,
                timeout=limits.wall_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return _Ended(b"", "limit of wall")
        return _Ended(done.stdout, f"exit code {done.returncode}")


def _said(folder: Path) -> dict[str, str]:
    content = _content(folder / "answers.json")
    try:
        said = json.loads(content or b"{}")
    except ValueError:
        return {}
    return {str(k): " ".join(str(v).split())[:400] for k, v in said.items()} if isinstance(said, dict) else {}


def _picture(folder: Path, file: str, *, own: bool) -> tuple[str, bytes] | None:
    """What was saved: under the name given, or, from a model, any one PNG or PDF in the top folder."""
    content = _content(folder / file)
    if content is None and not own:
        saved = sorted(p for p in folder.iterdir() if p.suffix.lower() in (".png", ".pdf"))
        content = _content(saved[0]) if saved else None
    if content is None:
        return None
    return ("pdf" if content.startswith(b"%PDF-") else "png"), content


def _content(path: Path) -> bytes | None:
    """Of a regular file of a size that is allowed; never through a link that the code left."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as stream:
            content = stream.read(LARGEST + 1)
        return content if 0 < len(content) <= LARGEST else None
    return None


def _lines(output: bytes) -> dict[str, dict[str, JsonValue]]:
    answers: dict[str, dict[str, JsonValue]] = {}
    for line in output.splitlines():
        with contextlib.suppress(ValueError):
            said = json.loads(line)
            if isinstance(said, dict):
                answers.setdefault(str(said.get("file")), said)
    return answers


def _file_name(label: str) -> str:
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in label.removeprefix("fig:"))
    return kept.strip("-")[:80] or "figure"


def _font_cache() -> list[Path] | None:
    """matplotlib's list of fonts, when the user has one: making it takes seconds."""
    import matplotlib

    found = sorted(Path(matplotlib.get_cachedir()).glob("fontlist-*.json"))
    return found or None
