"""Text and tables of Word documents."""

import zipfile
from typing import Any

MOST_BYTES, MOST_TEXT = 200_000_000, 400_000


def read(path: str, form: str) -> dict[str, Any]:
    """{"text", "title", "tables": [[[cell]]]}."""
    del form
    import docx

    with zipfile.ZipFile(path) as parts:
        unpacked = sum(i.file_size for i in parts.infolist())
        if unpacked > MOST_BYTES:
            return {"problem": f"a document that unpacks to {unpacked // 1_000_000} MB is not read"}
        if any(
            b"<!DOCTYPE" in parts.read(i)[:4000] for i in parts.infolist() if i.filename.endswith((".xml", ".rels"))
        ):
            return {"problem": "it defines XML entities, which no Word document does"}
    document = docx.Document(path)
    lines, room = [], MOST_TEXT
    for paragraph in document.paragraphs:
        style = (paragraph.style.name or "") if paragraph.style is not None else ""
        mark = "# " if style.startswith(("Heading", "Title")) else ""
        lines.append(mark + paragraph.text[:room])
        room -= len(lines[-1])
        if room <= 0:
            break
    tables = [
        [[" ".join(c.text.split())[:400] for c in row.cells[:60]] for row in table.rows[:2000]]
        for table in document.tables[:60]
    ]
    return {"text": "\n".join(lines), "title": (document.core_properties.title or "")[:200], "tables": tables}
