"""Folders and files as laboratories have them, and as somebody hostile would make them."""

import io
import math
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import openpyxl


def workbook(**sheets: list[list[object]]) -> bytes:
    """An xlsx file with these rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def png(width: int, height: int, *, pixels: bool = True) -> bytes:
    """A grey PNG; without its pixels a small file that claims a size."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    lines = zlib.compress(
        b"".join(b"\x00" + bytes([y % 251]) * width for y in range(height)) if pixels else b"\x00" * 64
    )
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", lines) + chunk(b"IEND", b"")


def nanonis_image(*, up: bool = False) -> bytes:
    """A topography of 16 lines of 16 pixels, 4 nm wide, rising by 1 pm from line to line as measured."""
    header = (
        ":NANONIS_VERSION:\n2\n:SCAN_PIXELS:\n  16  16\n:SCAN_RANGE:\n 4.000000E-9  4.000000E-9\n"
        f":SCAN_DIR:\n{'up' if up else 'down'}\n:BIAS:\n -5.000E-2\n"
        ":Z-CONTROLLER:\n\tName\ton\tSetpoint\n\tlog Current\t1\t2.500E-11 A\n"
        ":DATA_INFO:\n\tChannel\tName\tUnit\tDirection\tCalibration\tOffset\n\t14\tZ\tm\tboth\t9.0E-9\t0.0E+0\n\n:SCANIT_END:\n\n\n\x1a\x04"
    )
    lines = np.repeat(np.arange(16.0)[:, None], 16, axis=1) * 1e-12
    return header.encode() + lines.astype(">f4").tobytes() + lines.astype(">f4").tobytes()


def nanonis_spectrum() -> str:
    """A bias spectrum: header, then current and lock-in against bias."""
    rows = [
        f"{v:.4E}\t{1e-10 * math.tanh(40 * v):.6E}\t{1e-12 / math.cosh(40 * v) ** 2:.6E}"
        for v in np.linspace(-0.05, 0.05, 41)
    ]
    return (
        "Experiment\tbias spectroscopy\t\nBias>Bias (V)\t-50E-3\t\nLock-in>Frequency (Hz)\t1E+3\t\n\n[DATA]\n"
        "Bias calc (V)\tCurrent (A)\tLI Demod 1 X (A)\n" + "\n".join(rows) + "\n"
    )


def zip_bomb() -> bytes:
    """A workbook of 400 MB in half a megabyte."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as stream:
            for _ in range(400):
                stream.write(b" " * 1_000_000)
        archive.writestr("[Content_Types].xml", "<Types/>")
    return out.getvalue()


def laughing_document() -> bytes:
    """A Word file whose XML defines entities by entities."""
    out = io.BytesIO()
    laughs = '<!DOCTYPE x [<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9)
    )
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", f"<?xml version='1.0'?>{laughs}]><x>&j;</x>")
        archive.writestr("[Content_Types].xml", "<Types/>")
    return out.getvalue()


def laboratory(folder: Path) -> Path:
    """A folder with Chinese names: a discharge with error bars, a spring in a European CSV, notes, a photograph."""
    run = folder / "第一次测量"
    run.mkdir(parents=True)
    noise = np.random.default_rng(7).normal(0, 1, 60)
    lines = ["时间 (s),电压 (V),电压误差 (V)"]
    lines += [f"{0.5 * i:.1f},{5 * math.exp(-0.5 * i / 3.2) + 0.03 * noise[i]:.3f},0.03" for i in range(30)]
    (run / "电容放电.csv").write_bytes("\n".join(lines).encode("gb18030"))
    spring = [f"{m};{0.049 * m + 0.02 * noise[30 + i]:.2f}".replace(".", ",") for i, m in enumerate(range(20, 220, 20))]
    (run / "弹簧.csv").write_text("质量 (g);伸长 (cm)\n" + "\n".join(spring), "utf-8")
    (folder / "笔记.md").write_text("# 电容放电实验笔记\n电容 100 µF。\n", "utf-8")
    (folder / "装置照片.png").write_bytes(png(320, 200))
    return folder
