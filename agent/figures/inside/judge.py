"""Looks at pictures that other code made: decodes each, and writes it anew as PNG unless a PDF may stay one.

argv: pairs of file and `keep` or `renew`. One JSON object a line: {"file", "problem"} or {"file", "width", "height", "png"?}.
"""

import base64
import io
import json
import sys
from typing import Any

MOST_PIXELS, LARGEST_POINTS, LARGEST_SIDE = 40_000_000, 2000, 2600
_FORBIDDEN = (
    b"/JavaScript",
    b"/JS",
    b"/OpenAction",
    b"/AA",
    b"/Launch",
    b"/EmbeddedFile",
    b"/RichMedia",
    b"/XFA",
    b"/URI",
    b"/SubmitForm",
)


def main() -> None:
    """Answer for each file, in order."""
    jobs = sys.argv[1:]
    for name, what in zip(jobs[::2], jobs[1::2]):  # noqa: B905  # pairs by construction
        try:
            with open(name, "rb") as stream:
                content = stream.read()
            answer = _pdf(content, what) if content.startswith(b"%PDF-") else _raster(content)
        except MemoryError:
            answer = {"problem": "decoding it needs more memory than it may have"}
        except Exception as error:  # noqa: BLE001  # the boundary: any fault of a picture is that picture's problem
            answer = {"problem": f"cannot be decoded: {' '.join(str(error).split())[:120]}"}
        print(json.dumps({"file": name, **answer}), flush=True)  # noqa: T201  # its answer


def _pdf(content: bytes, what: str) -> dict[str, Any]:
    import pypdfium2

    document = pypdfium2.PdfDocument(content)
    if len(document) != 1:
        return {"problem": f"a figure of {len(document)} pages"}
    page = document[0]
    width, height = page.get_size()
    if not (1 < width < LARGEST_POINTS and 1 < height < LARGEST_POINTS):
        return {"problem": "its page is too large"}
    picture = page.render(scale=min(2.8, LARGEST_SIDE / max(width, height))).to_pil().convert("RGB")
    if len(set(picture.resize((64, 64)).getdata())) < 2:
        return {"problem": "it is blank"}
    if what == "keep":
        if any(word in content for word in _FORBIDDEN):
            return {"problem": "it holds something active"}
        return {"width": picture.width, "height": picture.height}
    return _answer(picture)


def _raster(content: bytes) -> dict[str, Any]:
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    with Image.open(io.BytesIO(content), formats=("PNG",)) as picture:
        if picture.width * picture.height > MOST_PIXELS:
            return {"problem": f"{picture.width} x {picture.height} pixels are too many"}
        picture.load()
        plain = picture.convert("RGB")
    plain.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
    return _answer(plain)


def _answer(picture: Any) -> dict[str, Any]:
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return {"width": picture.width, "height": picture.height, "png": base64.b64encode(out.getvalue()).decode()}
