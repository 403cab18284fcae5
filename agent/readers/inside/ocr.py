"""Words on an image, by a model whose weights ship with its package."""

from typing import Any

MOST_SIDE = 2600


def read(path: str, form: str) -> dict[str, Any]:
    """{"lines": [{"text", "score"}]}, top to bottom."""
    del form
    import numpy
    from PIL import Image
    from rapidocr_onnxruntime import RapidOCR

    Image.MAX_IMAGE_PIXELS = 60_000_000
    with Image.open(path, formats=("PNG", "JPEG", "TIFF", "BMP", "GIF", "WEBP")) as picture:
        picture.load()
        plain = picture.convert("RGB")
    plain.thumbnail((MOST_SIDE, MOST_SIDE))
    found, _ = RapidOCR()(numpy.asarray(plain))
    return {"lines": [{"text": str(text), "score": float(score)} for _, text, score in found or []]}
