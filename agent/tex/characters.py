"""Characters that the text and math fonts of a plain xelatex document lack, as commands.

Latin Modern has Latin, general punctuation and the signs of Latin-1 in text; in math the fonts have ASCII only.
"""

from collections.abc import Callable

MATH: dict[str, str] = {
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "ϵ": r"\epsilon", "ζ": r"\zeta",
    "η": r"\eta", "θ": r"\theta", "ϑ": r"\vartheta", "ι": r"\iota", "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu", "µ": r"\mu",
    "ν": r"\nu", "ξ": r"\xi", "ο": "o", "π": r"\pi", "ρ": r"\rho", "ϱ": r"\varrho", "σ": r"\sigma", "ς": r"\varsigma",
    "τ": r"\tau", "υ": r"\upsilon", "φ": r"\varphi", "ϕ": r"\phi", "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega",
    "Γ": r"\Gamma", "Δ": r"\Delta", "∆": r"\Delta", "Θ": r"\Theta", "Λ": r"\Lambda", "Ξ": r"\Xi", "Π": r"\Pi",
    "Σ": r"\Sigma", "Υ": r"\Upsilon", "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega", "\u2126": r"\Omega",
    "≈": r"\approx", "≃": r"\simeq", "≅": r"\cong", "∼": r"\sim", "≠": r"\neq", "≡": r"\equiv", "≤": r"\leq", "≥": r"\geq",
    "≪": r"\ll", "≫": r"\gg", "∝": r"\propto", "∞": r"\infty", "∂": r"\partial", "∇": r"\nabla", "∑": r"\sum", "∏": r"\prod",
    "∫": r"\int", "∮": r"\oint", "√": r"\surd", "±": r"\pm", "∓": r"\mp", "×": r"\times", "÷": r"\div", "·": r"\cdot",
    "⋅": r"\cdot", "∙": r"\bullet", "∘": r"\circ", "⊗": r"\otimes", "⊕": r"\oplus", "†": r"\dagger", "−": "-", "∗": "*",
    "∈": r"\in", "∉": r"\notin", "∋": r"\ni", "⊂": r"\subset", "⊃": r"\supset", "⊆": r"\subseteq", "⊇": r"\supseteq",
    "∪": r"\cup", "∩": r"\cap", "∅": r"\emptyset", "∀": r"\forall", "∃": r"\exists", "¬": r"\neg", "∧": r"\wedge", "∨": r"\vee",
    "→": r"\rightarrow", "←": r"\leftarrow", "↔": r"\leftrightarrow", "⇒": r"\Rightarrow", "⇐": r"\Leftarrow",
    "⇔": r"\Leftrightarrow", "↦": r"\mapsto", "↑": r"\uparrow", "↓": r"\downarrow", "⟨": r"\langle", "⟩": r"\rangle",
    "⊥": r"\perp", "∥": r"\parallel", "∠": r"\angle", "ℏ": r"\hbar", "ħ": r"\hbar", "ℓ": r"\ell", "ℜ": r"\Re", "ℑ": r"\Im",
    "°": r"^{\circ}", "′": r"^{\prime}", "″": r"^{\prime\prime}", "…": r"\ldots", "⋯": r"\cdots", "Å": r"\mathring{A}",
    "\u212b": r"\mathring{A}", "½": r"\tfrac{1}{2}", "¼": r"\tfrac{1}{4}", "¾": r"\tfrac{3}{4}", "∴": r"\therefore",
    "✓": r"\checkmark", "✔": r"\checkmark", "✗": r"\times", "✘": r"\times", "■": r"\blacksquare", "□": r"\square",
    "★": r"\bigstar", "▲": r"\blacktriangle", "●": r"\bullet", "○": r"\circ", "•": r"\bullet",
    "ℝ": r"\mathbb{R}", "ℕ": r"\mathbb{N}", "ℤ": r"\mathbb{Z}", "ℂ": r"\mathbb{C}", "ℚ": r"\mathbb{Q}",
}  # fmt: skip
"""Character to what it is in math mode; in text the same inside `\\ensuremath`."""

NEEDS_AMSSYMB = frozenset("∴✓✔■□★▲ℝℕℤℂℚ")
"""Those whose command is from amssymb."""

SUPERSCRIPT = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
SUBSCRIPT = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₙₘₖ", "0123456789+-=()aeoxnmk", strict=True))
INVISIBLE = dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\u200e\u200f", "")
SPACES = {"\u2009": r"\,", "\u202f": r"\,", "\u2002": r"\enspace{}", "\u2003": r"\quad{}", "\u00a0": "~", "\u2007": "~"}
IN_TEXT_FONT = frozenset("°±µ×÷·¬½¼¾…•†Å")
"""Of the above, those that the text font has."""


def in_math(run: str) -> str:
    """What a run of such characters is in math mode: sub- and superscripts next to each other become one."""
    return _joined(run, _in_math, wrap="%s")


def _in_math(c: str) -> str:
    command = MATH.get(c, c)
    return f"{command} " if command.startswith("\\") and command[-1].isalpha() else command


def in_text(run: str) -> str:
    """What a run of such characters is in text."""
    return _joined(run, lambda c: rf"\ensuremath{{{MATH[c]}}}" if c in MATH else c, wrap=r"\ensuremath{%s}")


def _joined(run: str, single: Callable[[str], str], *, wrap: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(run):
        for table, mark in ((SUPERSCRIPT, "^"), (SUBSCRIPT, "_")):
            end = at
            while end < len(run) and run[end] in table:
                end += 1
            if end > at:
                parts.append(wrap % f"{mark}{{{''.join(table[c] for c in run[at:end])}}}")
                at = end
                break
        else:
            c = run[at]
            parts.append(INVISIBLE[c] if c in INVISIBLE else SPACES[c] if c in SPACES else single(c))
            at += 1
    return "".join(parts)
