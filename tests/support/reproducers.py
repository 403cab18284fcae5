"""A project with one true defect, the finding about it, and reproducers of every sort."""

from pathlib import Path

from harness.schema.finding import Finding
from harness.source.project import Project
from tests.support.claims import finding_at
from tests.support.trees import project_of

CALC = """def average(values):
    total = sum(values)
    return total / len(values)


def total(values):
    return sum(values)
"""
LINE = 3
SCENARIO = "average([]) divides by zero."
QUOTE = "return total / len(values)"

GOOD = """import sys
from calc import average

values = []
try:
    average(values)
except ZeroDivisionError:
    sys.exit(1)
sys.exit(0)
"""
CONTROL = GOOD.replace("values = []", "values = [1]")


def average(folder: Path, **files: str) -> tuple[Project, Finding]:
    project = project_of(folder, {"calc.py": CALC, **files})
    found = finding_at(project, "calc.py", QUOTE, kind="model", facts={})
    return project, found.model_copy(update={"scenario": SCENARIO})
