"""The tools of the exploration. Each takes arguments a model wrote and returns text; none raises, none leaves the folder."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import JsonValue

from agent.readers.reading import CLIP, Unread, clip
from agent.reading import FileReader, Plotter
from agent.records import Exploration, Figure, FileKind, ReadText, Scan
from harness.files import decode_path, encode_path
from harness.llm.messages import Tool
from harness.llm.toolloop import ToolFunction
from harness.redact import keeps_secrets

ENTRIES = 200
"""Names that one call of `list_dir` returns at most."""
FINISH = "finish_exploration"
SECRET = "is where people keep credentials: it is shown to no model"


class Toolbox:
    """What the model may do, and what it has done so far."""

    def __init__(self, data: Path, scan: Scan, reader: FileReader, plotter: Plotter | None) -> None:
        """Without a plotter there is no `make_figure`."""
        self._root = data.resolve()
        self._files = {file.path: file for file in scan.files}
        self._reader = reader
        self._plotter = plotter
        self.texts: dict[str, ReadText] = {}
        self.figures: list[Figure] = []
        self.finished: Exploration | None = None

    def functions(self) -> Mapping[str, ToolFunction]:
        """Every tool by name."""
        offered = [
            _tool("list_dir", "Names, kinds and sizes of what is in a folder.", self.list_dir,
                  {"path": _text("Folder, '.' for the top."), "offset": _number("Entries to skip.")}, ()),
            _tool("read_file", f"Text of a file, at most {CLIP} characters a call.", self.read_file,
                  {"path": _text("File."), "offset": _number("Characters to skip."),
                   "limit": _number(f"Characters wanted, at most {CLIP}.")}, ("path",)),
            _tool("read_image", "Words and values read off an image.", self.read_image,
                  {"path": _text("Image file.")}, ("path",)),
            _tool(FINISH, "End the exploration with what the report needs.", self.finish, {
                "experiment": _text("What was done, or what the folder is about."),
                "goal": _text("What the report is to show."),
                "key_findings": _list("Findings, one sentence each, numbers as they stand in the material."),
                "assignment_requirements": _list("What an assignment asks of the report."),
                "methodology_notes": _list("Notes on method."),
                "reference_report": _text("Path of a report in the folder to follow in structure."),
            }, ("experiment", "goal", "key_findings")),
        ]  # fmt: skip
        if self._plotter is not None:
            offered.insert(3, _tool(
                "make_figure", "Draw a figure with matplotlib. `data[path]` is the list of tables of that input, each with `name` "
                "and `columns`, a list of {name, unit, values}. Import what you need of matplotlib and numpy, leave one open "
                "figure; the code reads no files.", self.make_figure,
                {"code": _text("Python."), "inputs": _list("Files of the folder it reads, by their paths."),
                 "caption": _text("Caption, plain words.")}, ("code", "inputs", "caption")))  # fmt: skip
        return {function.tool.name: function for function in offered}

    def inside(self, path: JsonValue) -> str:
        """The record path of what a model named. Raises Refused, and nothing else, for a path that is none or leads out."""
        if not isinstance(path, str) or not path.strip():
            raise Refused("path is missing")
        if "\0" in path:
            raise Refused(f"{path[:200]!r} is no path")
        try:
            raw = decode_path(path) if "\\x" in path else os.fsencode(path)
            real = (self._root / os.fsdecode(raw)).resolve()
            relative = real.relative_to(self._root)
        except (OSError, RuntimeError, UnicodeError):
            raise Refused(f"{path[:200]!r} is no path") from None
        except ValueError:
            raise Refused(f"{path[:200]!r} leads out of the folder") from None
        return encode_path(os.fsencode(relative.as_posix()))

    def list_dir(self, arguments: Mapping[str, JsonValue]) -> str:
        """See `functions`."""
        try:
            below = self.inside(arguments.get("path", "."))
        except Refused as refused:
            return f"error: {refused}"
        prefix = "" if below == "." else below + "/"
        found: dict[str, str] = {}
        for path, file in self._files.items():
            if path.startswith(prefix):
                name, slash, _ = path[len(prefix) :].partition("/")
                about = f"{file.kind}, {file.size} bytes" + (f", {file.problem}" if file.problem else "")
                found.setdefault(name + slash, "" if slash else about)
        if not found:
            return f"error: there is no folder {below!r}"
        skipped = _count(arguments.get("offset"))
        lines = [f"{name}  {about}".rstrip() for name, about in sorted(found.items())]
        shown = lines[skipped : skipped + ENTRIES]
        more = len(lines) - skipped - len(shown)
        return "\n".join(shown) + (f"\n[{more} more: offset={skipped + ENTRIES}]" if more > 0 else "")

    def read_file(self, arguments: Mapping[str, JsonValue]) -> str:
        """See `functions`."""
        found = self._text_of(arguments.get("path"))
        if isinstance(found, str):
            return found
        page = clip(found, offset=_count(arguments.get("offset")), limit=_count(arguments.get("limit")) or CLIP)
        return f"{found.path} ({found.how})\n{page}"

    def read_image(self, arguments: Mapping[str, JsonValue]) -> str:
        """See `functions`."""
        found = self._text_of(arguments.get("path"), FileKind.IMAGE)
        return found if isinstance(found, str) else f"{found.path} ({found.how})\n{found.text[:CLIP]}"

    def make_figure(self, arguments: Mapping[str, JsonValue]) -> str:
        """See `functions`."""
        code, inputs, caption = (arguments.get(name) for name in ("code", "inputs", "caption"))
        if (
            not (isinstance(code, str) and isinstance(inputs, list) and isinstance(caption, str))
            or self._plotter is None
        ):
            return "error: code and caption are texts, inputs is a list of paths"
        try:
            paths = tuple(self.inside(path) for path in inputs)
        except Refused as refused:
            return f"error: {refused}"
        if unknown := [path for path in paths if path not in self._files or self._files[path].problem]:
            return f"error: {unknown[0]!r} is not a file that can be read"
        if secret := next(filter(keeps_secrets, paths), None):
            return f"error: {secret!r} {SECRET}"
        files = [self._files[path] for path in paths]
        figure = self._plotter.draw(code, files, caption, len(self.figures) + 1)
        if isinstance(figure, str):
            return f"error: {figure}"
        self.figures.append(figure)
        return f"kept as {figure.path}, label {figure.label}"

    def finish(self, arguments: Mapping[str, JsonValue]) -> str:
        """See `functions`."""
        experiment, goal = arguments.get("experiment"), arguments.get("goal")
        findings = _texts(arguments.get("key_findings"))
        if not (isinstance(experiment, str) and experiment.strip() and isinstance(goal, str) and goal.strip()):
            return "error: experiment and goal are texts that say something"
        if not findings:
            return "error: key_findings is a list of sentences, at least one"
        reference = arguments.get("reference_report")
        try:
            reference = self.inside(reference) if isinstance(reference, str) and reference.strip() else ""
        except Refused:
            reference = ""
        self.finished = Exploration(
            experiment=experiment.strip(), goal=goal.strip(), key_findings=findings,
            requirements=_texts(arguments.get("assignment_requirements")),
            methodology=_texts(arguments.get("methodology_notes")),
            reference_report=reference if reference in self._files else "", texts=tuple(self.texts.values()),
        )  # fmt: skip
        return "kept"

    def _text_of(self, path: JsonValue, kind: FileKind | None = None) -> ReadText | str:
        try:
            inside = self.inside(path)
        except Refused as refused:
            return f"error: {refused}"
        file = self._files.get(inside)
        if file is None:
            return f"error: there is no file {inside!r}"
        if kind is not None and file.kind is not kind:
            return f"error: {inside!r} is no {kind}"
        if keeps_secrets(inside):
            return f"error: {inside!r} {SECRET}"
        if inside not in self.texts:
            try:
                text = self._reader.image(file) if kind is FileKind.IMAGE else self._reader.text(file)
            except Unread as error:
                return f"error: {inside!r} is not read: {error}"
            self.texts[inside] = text
        return self.texts[inside]


class Refused(Exception):
    """A path that a tool does not take; the message goes to the model."""


def _tool(
    name: str,
    description: str,
    call: Callable[[Mapping[str, JsonValue]], str],
    properties: dict[str, JsonValue],
    required: tuple[str, ...],
) -> ToolFunction:
    parameters: dict[str, JsonValue] = {"type": "object", "properties": properties, "required": list(required)}
    return ToolFunction(Tool(name=name, description=description, parameters=parameters), call)


def _text(description: str) -> JsonValue:
    return {"type": "string", "description": description}


def _number(description: str) -> JsonValue:
    return {"type": "integer", "minimum": 0, "description": description}


def _list(description: str) -> JsonValue:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _count(value: JsonValue) -> int:
    """A number of characters or entries; 0 for anything that is none."""
    try:
        return max(0, int(value)) if isinstance(value, int | float | str) else 0
    except (ValueError, OverflowError):
        return 0


def _texts(value: JsonValue) -> tuple[str, ...]:
    """Sentences; a single text counts as one a line."""
    items = value.splitlines() if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(item.strip() for item in items if isinstance(item, str) and item.strip())
