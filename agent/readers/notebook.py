"""Notebooks: the words, the code, and what was printed; pictures and other output are left out."""

import json

MOST_TEXT = 400_000


def notebook(text: str) -> str:
    """The cells of a Jupyter notebook as one text. Raises ValueError when it is none."""
    value = json.loads(text)
    cells = value.get("cells") if isinstance(value, dict) else None
    if not isinstance(cells, list):
        raise ValueError("it has no cells")
    parts: list[str] = []
    for cell in cells:
        if not isinstance(cell, dict):
            continue
        source = _joined(cell.get("source")).rstrip()
        parts.append(f"```\n{source}\n```" if cell.get("cell_type") == "code" else source)
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else []:
            if isinstance(output, dict):
                data = output.get("data")
                shown = output.get("text") or (data.get("text/plain") if isinstance(data, dict) else "")
                parts.append(_joined(shown)[:4000].rstrip())
    return "\n\n".join(p for p in parts if p.strip("`\n "))[:MOST_TEXT]


def _joined(value: object) -> str:
    return "".join(str(v) for v in value) if isinstance(value, list) else str(value or "")
