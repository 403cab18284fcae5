"""What the user asked for: everything a run depends on besides the audited files, kept so that it can be resumed."""

from harness.schema.base import Record
from harness.schema.evidence import Tier
from harness.schema.finding import Severity


class OrderedPython(Record):
    """The interpreter that the user named, as it was when the run began."""

    path: str
    """Absolute path."""
    shown: str
    """Version and place, for people."""
    digest: str
    """Of its version and what is installed in it; a run is not continued with another one."""


class Change(Record):
    """The change to review, as it was when the run began."""

    base: str | None
    """Commit to compare with; None for a gate on a repository whose first commit it is."""
    head: str | None = None
    """Commit under review, None for the work tree, the index or a patch."""
    ref: str = "HEAD"
    """What a person calls the head."""
    at: str | None = None
    """Commit that `ref` was when the run began; a gate's verdict holds for it alone."""
    staged: bool = False
    """The index is under review."""
    index_name: str = "index"
    """Name of the index in the git directory."""
    patch: str | None = None
    """The patch under review, as latin-1 text of its bytes, on top of the base."""
    thorough: bool = False
    """Ask the model also about a small change."""
    gate: bool = False
    """Report everything the head has, and run its tests, for the gate."""
    test_command: str = ""
    """What runs the tests, by the base's configuration; empty for no tests."""
    test_seconds: float = 600.0
    """Wall clock that the tests get."""
    host: bool = False
    """Run the tests without the sandbox, by the wish of the person at the machine."""
    accept_policy: bool = False
    """A loosened policy does not stop the gate, by the wish of the person at the machine."""


class Order(Record):
    """One audit, as ordered."""

    origin: str
    """Absolute path of the folder to audit."""
    revision: str | None = None
    """Git revision, None for the work tree as it is."""
    profile: str = "full"
    """Name of the set of dimensions."""
    dimensions: tuple[str, ...] = ()
    """These dimensions only; empty means all of the profile."""
    exclude: tuple[str, ...] = ()
    """Patterns of paths to leave out."""
    execute: bool = True
    """Whether code of the project may run in the sandbox."""
    python: OrderedPython | None = None
    """What runs code of the project, None for the Python that runs us."""
    advice: str = ""
    """What to do for code of the project to find its dependencies, when that is to be seen."""
    budget: tuple[str, ...] = ()
    """Caps as written: `10min`."""
    fail_on: Severity | None = Severity.HIGH
    """Lowest severity that makes the exit code 1, None for never."""
    min_tier: Tier = Tier.E1
    """Weakest evidence that counts for it."""
    model: str | None = None
    """Spec string of the auditing model, None offline."""
    verifier_model: str | None = None
    """Spec string of the verifying model, None for the same."""
    record: str | None = None
    """Folder in which every call is recorded."""
    requests_per_minute: int | None = None
    """Limit of the account."""
    tokens_per_minute: int | None = None
    """Limit of the account."""
    imported: str | None = None
    """Digest of the file of findings that is verified instead of auditing, kept in the folder of the run."""
    recheck: bool = False
    """Whether these findings were CONFIRMED before and are looked at again."""
    seed: int = 0
    """The only source of chance."""
    change: Change | None = None
    """The change to review, None for an audit."""
    config: str | None = None
    """Configuration file used."""
    code: str = ""
    """Digest of the code that began the run; another version does not continue it."""
    version: str = ""
    """Version that began the run, for people."""
