"""Text of PDF pages, and on request their ruled tables."""

from typing import Any

MOST_PAGES, MOST_TEXT, MOST_TABLE_PAGES = 80, 400_000, 30


def read(path: str, form: str) -> dict[str, Any]:
    """{"pages": [text], "count": pages in all, "title"}; for `pdf-tables` {"tables": [{"page", "rows": [[cell]]}]}."""
    return _tables(path) if form == "pdf-tables" else _texts(path)


def _texts(path: str) -> dict[str, Any]:
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    count = len(document)
    pages, room = [], MOST_TEXT
    for i in range(min(count, MOST_PAGES)):
        text = document[i].get_textpage().get_text_bounded()[:room]
        room -= len(text)
        pages.append(text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufffe", "-"))
        if room <= 0:
            break
    title = (document.get_metadata_dict().get("Title") or "")[:200]
    return {"pages": pages, "count": count, "title": title}


def _tables(path: str) -> dict[str, Any]:
    import pdfplumber

    found = []
    with pdfplumber.open(path) as document:
        for number, page in enumerate(document.pages[:MOST_TABLE_PAGES], 1):
            for rows in page.extract_tables()[:20]:
                found.append(
                    {"page": number, "rows": [[" ".join((c or "").split()) for c in row] for row in rows[:2000]]}
                )
            page.close()
    return {"tables": found}
