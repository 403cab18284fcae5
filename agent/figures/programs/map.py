"""A measured map with a scale bar and a colour bar, its least-squares plane taken off when asked."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle


def plot(data: dict[str, Any]) -> None:
    """`data`: values (lines from the top), width, height, length_unit, bar, bar_name, value_label, level."""
    values = np.array([[np.nan if v is None else v for v in line] for line in data["values"]], dtype=float)
    if data["level"]:
        y, x = np.nonzero(np.isfinite(values))
        plane = np.column_stack((x, y, np.ones(len(x))))
        fitted = np.linalg.lstsq(plane, values[y, x], rcond=None)[0]
        rows, columns = np.indices(values.shape)
        values = values - (fitted[0] * columns + fitted[1] * rows + fitted[2])
    low, high = np.nanpercentile(values, [0.5, 99.5])
    ratio = min(1.6, max(0.4, data["height"] / data["width"]))
    figure, axes = plt.subplots(figsize=(5.0, 4.1 * ratio + 0.3))
    image = axes.imshow(
        values,
        cmap="afmhot",
        vmin=low,
        vmax=high,
        extent=(0, data["width"], 0, data["height"]),
        interpolation="nearest",
    )
    axes.grid(False)
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)
    left, bottom = 0.05 * data["width"], 0.05 * data["height"]
    thick = 0.012 * data["height"]
    margin = 0.02 * data["width"]
    axes.add_patch(
        Rectangle(
            (left - margin, bottom - margin),
            data["bar"] + 2 * margin,
            0.085 * data["height"] + 2 * margin,
            facecolor="black",
            alpha=0.55,
            linewidth=0,
        )
    )
    axes.add_patch(Rectangle((left, bottom), data["bar"], thick, facecolor="white", linewidth=0))
    axes.text(
        left + data["bar"] / 2,
        bottom + 2 * thick,
        data["bar_name"],
        color="white",
        ha="center",
        va="bottom",
        fontsize=9,
    )
    bar = figure.colorbar(image, ax=axes, fraction=0.046, pad=0.03)
    bar.set_label(data["value_label"])
    bar.outline.set_visible(False)
    figure.tight_layout()
