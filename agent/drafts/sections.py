"""A draft, section by section."""

from agent.drafts.closing import Closing
from agent.drafts.conditions import Conditions
from agent.drafts.material import Material
from agent.drafts.measurements import Measurements


class Writer(Material, Conditions, Measurements, Closing):
    """What is there, under which conditions, what was measured, what follows, what is left open."""
