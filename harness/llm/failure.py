"""Why a call gave no reply: a closed list, so that each reason has one policy.

    ModelFailure
    ├── RateLimited      wait (retry_after), then the same call may work
    ├── Overloaded       the provider is busy or broken: back off, count towards the breaker
    │   └── BreakerOpen  it was so a moment ago, so it was not asked
    ├── Unreachable      no connection, or it broke: back off, count towards the breaker
    ├── ProtocolFailure  an answer without an explicit end: cut stream, HTML, error body with status 200, nothing in it
    ├── DeadlineExceeded the total deadline of the call has passed: tried once more while the question has time
    ├── QuotaExhausted   money or quota is used up: no retry; the run pauses (resume_at when the provider says)
    ├── Unwritten        what was asked or answered cannot be written down: nothing more is sent until somebody resumes
    ├── Unauthorised     the key is missing, wrong or may not use this model: no retry
    ├── TooLong          the request does not fit the model's context: split it
    └── Rejected         the provider says the request itself is wrong: no retry; our bug or an unknown model

The text of a failure never holds a credential: it passes `harness.redact`.
"""

from datetime import datetime

from harness.errors import IncompleteError


class ModelFailure(IncompleteError):
    """A call without a reply. Never a result of any kind."""

    retryable = False
    counts_against_provider = False

    def __init__(
        self, message: str, *, status: int | None = None, retry_after: float | None = None, hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.retry_after = retry_after
        """Seconds the provider asked to wait; None when it did not say or said nonsense."""


class RateLimited(ModelFailure):
    """Too many requests or tokens a minute."""

    retryable = True


class Overloaded(ModelFailure):
    """The provider has trouble of its own."""

    retryable = True
    counts_against_provider = True


class BreakerOpen(Overloaded):
    """The provider had trouble a moment ago; this call did not leave."""

    counts_against_provider = False


class Unreachable(ModelFailure):
    """No connection."""

    retryable = True
    counts_against_provider = True


class ProtocolFailure(ModelFailure):
    """An answer that is none."""

    retryable = True
    counts_against_provider = True


class DeadlineExceeded(ModelFailure):
    """The call took longer than it may in all."""

    retryable = True
    counts_against_provider = True


class QuotaExhausted(ModelFailure):
    """Nothing more to spend at this provider."""

    resume_at: datetime | None = None


class Unwritten(ModelFailure):
    """The record of what is spent cannot be written: a full disk, one that broke, one that is read-only."""


class Unauthorised(ModelFailure):
    """The key does not open this door."""


class TooLong(ModelFailure):
    """The request is larger than the model takes."""


class Rejected(ModelFailure):
    """The request is wrong."""
