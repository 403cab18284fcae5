"""What the user asked for: everything a report depends on besides the data folder, kept so that it can be continued."""

from agent.records import Settings
from harness.schema.base import Record


class ReportOrder(Record):
    """One report, as ordered."""

    data: str
    """Absolute path of the data folder."""
    material: str
    """Digest of what is in it; a changed folder is another report."""
    settings: Settings = Settings()
    """What decides the milestones, with the next two."""
    model: str | None = None
    """Spec string of the model that drafts and reflects, None offline."""
    cheap_model: str | None = None
    """Spec string of the model that explores, None for the same."""
    xelatex: str = ""
    """Version of xelatex as probed before the start, '' when there is none."""
    bibliography: str = ""
    """BibTeX text the user vouches for."""
    budget: tuple[str, ...] = ()
    """Caps as written: `10min`."""
    record: str | None = None
    """Folder in which every call is recorded."""
    requests_per_minute: int | None = None
    """Limit of the account."""
    tokens_per_minute: int | None = None
    """Limit of the account."""
    code: str = ""
    """Digest of the code that began it; other code does not continue it."""
    version: str = ""
    """Version that began it, for people."""

    def same_report(self, other: "ReportOrder") -> bool:
        """Whether `other` asks for the same report: the budget and the recording may differ."""
        free = {"budget": (), "record": None, "requests_per_minute": None, "tokens_per_minute": None}
        return self.model_copy(update=free) == other.model_copy(update=free)
