"""What stands behind a verdict."""

from enum import StrEnum

from harness.schema.base import Record
from harness.schema.location import Location


class Tier(StrEnum):
    """How a verdict was reached, weakest first; the order of the members is the order of strength."""

    E0 = "E0"
    """Claimed: nothing yet."""
    E1 = "E1"
    """Cited: path, line, quote and symbol hold mechanically."""
    E2 = "E2"
    """Argued: an independent, blind model tried to refute it."""
    E3 = "E3"
    """Proved: a static witness."""
    E4 = "E4"
    """Reproduced: a reproducer ran in the sandbox and its negative control behaved."""
    E5 = "E5"
    """Differential: the reproducer fails on the broken revision and passes on the fixed one."""

    @property
    def rank(self) -> int:
        """0 for E0 up to 5 for E5."""
        return int(self.value[1])

    @property
    def label(self) -> str:
        """One word for people: claimed, cited, argued, proved, reproduced, differential."""
        return ("claimed", "cited", "argued", "proved", "reproduced", "differential")[self.rank]


DISAGREEMENT = "disagreement"
"""Kind of evidence for readers that contradict each other: nobody has decided."""


class Evidence(Record):
    """One piece of evidence, for or against a finding."""

    tier: Tier
    """How strong it is."""
    kind: str
    """What it is: `quote`, `flow`, `guard`, `constant`, `unreachable`, `syntax`, `reproducer`, `coverage`, `search`, ..."""
    summary: str
    """One sentence: what was shown, with the deciding place."""
    detail: str = ""
    """What was run and what it printed, or the witness step by step."""
    sha256: str = ""
    """Of `detail`."""
    locations: tuple[Location, ...] = ()
    """The deciding places in the audited revision."""
