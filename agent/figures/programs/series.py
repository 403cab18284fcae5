"""A curve, points with error bars, or a spectrum of counts; with its fit or its lines where it has them."""

from typing import Any, Literal

import matplotlib.pyplot as plt


def plot(data: dict[str, Any]) -> None:
    """`data`: x, y, x_label, y_label; perhaps error, others, names, fit, fit_name, lines, log_x, log_y, shape."""
    figure, axes = plt.subplots()
    many = len(data["x"]) > 120
    name = data["names"][0] if data.get("names") else None
    if data["shape"] == "spectrum":
        axes.step(data["x"], data["y"], where="mid", linewidth=0.8, color="#1f4e79")
    elif data.get("error"):
        axes.errorbar(
            data["x"], data["y"], yerr=data["error"], fmt="o", markersize=3.5, capsize=2, color="#1f4e79", label=name
        )
    elif many and data["shape"] == "curve":
        axes.plot(data["x"], data["y"], linewidth=0.8, color="#1f4e79", label=name)
    else:
        joined = data["shape"] == "curve" and not data.get("fit")
        style = "o-" if joined else "o"
        axes.plot(data["x"], data["y"], style, markersize=4, linewidth=0.8, color="#1f4e79", label=name)
    colours = ["#c0504d", "#4f8a3c", "#8064a2"]
    for i, other in enumerate(data.get("others") or []):
        axes.plot(other["x"], other["y"], linewidth=0.8, color=colours[i % 3], label=other["name"])
    if data.get("fit"):
        axes.plot(data["fit"][0], data["fit"][1], color="#c0504d", linewidth=1.3, label=data["fit_name"])
    if data.get("log_x"):
        axes.set_xscale("log")
    if data.get("log_y"):
        axes.set_yscale("log")
        if data["shape"] == "spectrum":
            axes.set_ylim(bottom=0.7)
    for number, line in enumerate(data.get("lines") or [], 1):
        axes.annotate(
            str(number),
            (line[0], line[1]),
            xytext=(0, 9),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            color="#c0504d",
        )
        axes.plot([line[0]], [line[1]], "v", markersize=4, color="#c0504d")
    both: tuple[Literal["x", "y"], ...] = ("x", "y")
    for one in both:
        if not data.get(f"log_{one}"):
            axes.ticklabel_format(axis=one, useOffset=False)
    axes.set_xlabel(data["x_label"])
    axes.set_ylabel(data["y_label"])
    if any(not str(label).startswith("_") for label in axes.get_legend_handles_labels()[1]):
        axes.legend(fontsize=9)
    axes.margins(x=0.02)
    figure.tight_layout()
