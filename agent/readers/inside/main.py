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
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    folder, jobs = sys.argv[1], sys.argv[2:]
    for name, form in zip(jobs[::2], jobs[1::2]):  # noqa: B905  # pairs by construction
        out.write(json.dumps({"begun": name}) + "\n")
        out.flush()
        try:
            answer = importlib.import_module(FORMATS[form]).read(
                os.path.join(folder, name), form
            )  # as in the rest of this folder
        except MemoryError:
            answer = {"problem": "needs more memory than it may have"}
        except RecursionError:
            answer = {"problem": "too deeply nested"}
        except Exception as error:  # noqa: BLE001  # the boundary: any fault of a file is that file's problem
            answer = {"problem": "cannot be read: %s" % (" ".join(str(error).split())[:160] or type(error).__name__)}
        out.write(json.dumps({"file": name, **answer}) + "\n")
        out.flush()
