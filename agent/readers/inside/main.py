"""Reads the files of a folder, one answer a line as soon as it is there: a file that kills the process costs only itself.

argv: folder, then pairs of file name and format. Each line is a JSON object with `file` and either what was read or `problem`.
"""

import importlib
import json
import os
import sys
import warnings

FORMATS = {
    "workbook": "harness_readers.workbook",
    "pdf": "harness_readers.pages",
    "pdf-tables": "harness_readers.pages",
    "document": "harness_readers.document",
    "picture": "harness_readers.picture",
    "picture-png": "harness_readers.picture",
    "ocr": "harness_readers.ocr",
}


def main() -> None:
    """Answer for each file, in order."""
    warnings.simplefilter("ignore")
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)  # what a library prints is no answer
        folder, jobs = sys.argv[1], sys.argv[2:]
        for name, form in zip(jobs[::2], jobs[1::2]):  # noqa: B905  # pairs by construction
            out.write(json.dumps({"begun": name}) + "\n")
            out.flush()
            out.write(json.dumps({"file": name, **_answer(os.path.join(folder, name), form)}) + "\n")
            out.flush()


def _answer(path: str, form: str) -> dict[str, object]:
    """What the reader of the format says, or what is wrong with the file."""
    try:
        answer: dict[str, object] = importlib.import_module(FORMATS[form]).read(path, form)
        return answer
    except MemoryError:
        return {"problem": "needs more memory than it may have"}
    except RecursionError:
        return {"problem": "too deeply nested"}
    except Exception as error:  # noqa: BLE001  # the boundary: any fault of a file is that file's problem
        return {"problem": "cannot be read: %s" % (" ".join(str(error).split())[:160] or type(error).__name__)}
