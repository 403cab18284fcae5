"""The report's own words: one TOML file a language. What is filled in is LaTeX already."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from agent.records import Language


class Words(NamedTuple):
    """One language."""

    title: str
    notice: str
    abstract: str
    headings: Mapping[str, Mapping[str, str]]
    """Template -> section -> heading."""
    kinds: Mapping[str, str]
    model: Mapping[str, str]
    plot_fit: Mapping[str, str]
    """For legends: drawn by another program, so in plain words."""
    parameter: Mapping[str, str]
    caption_series: str
    caption_fit: str
    caption_lines: str
    caption_map: str
    caption_level: str
    say: Mapping[str, str]
    phrases: Mapping[str, str]
    """Patterns in what readers and the register say, and what it is in this language."""

    def told(self, text: str) -> str:
        """A sentence of a reader, or a place, in this language as far as it is known."""
        for pattern, here in self.phrases.items():
            text = re.sub(pattern, here, text)
        return text


FORMULA = {
    "linear": r"y = a x + b",
    "exponential": r"y = A\,e^{\pm x/\tau} + c",
    "power": r"y = k\,x^{n}",
    "gaussian": r"y = A\,e^{-(x-x_0)^2/2\sigma^2} + c",
    "lorentz": r"y = A/(1+(x-x_0)^2/\gamma^2) + c",
    "resonance": r"y = A\big/\sqrt{1+Q^2(x/x_0-x_0/x)^2}",
}
SYMBOL = {
    "slope": "a",
    "intercept": "b",
    "constant": r"\tau",
    "amplitude": "A",
    "offset": "c",
    "exponent": "n",
    "centre": "x_0",
    "quality": "Q",
    "width": r"\text{FWHM}",
}


@cache
def words_of(language: Language) -> Words:
    """The words of a language."""
    return Words(**tomllib.loads(files("agent.drafts").joinpath("languages", f"{language}.toml").read_text("utf-8")))
