"""Size of an image, and on request the image itself, decoded and written anew."""

import base64
import io
from typing import Any

MOST_PIXELS, LARGEST_SIDE = 60_000_000, 2000
_FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "GIF", "WEBP")


def read(path: str, form: str) -> dict[str, Any]:
    """{"width", "height"}; for `picture-png` also {"png": base64}."""
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    with Image.open(path, formats=_FORMATS) as picture:
        width, height = picture.size
        if width * height > MOST_PIXELS:
            return {"problem": f"an image of {width} x {height} pixels is not read"}
        if form == "picture":
            return {"width": width, "height": height}
        picture.load()
        drawn = picture.convert("RGBA" if picture.mode in ("RGBA", "LA", "P") else "RGB")
        drawn.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
        clean = Image.new(drawn.mode, drawn.size)
        clean.paste(drawn)
        out = io.BytesIO()
        clean.save(out, "PNG")
        return {"width": width, "height": height, "png": base64.b64encode(out.getvalue()).decode()}
