"""From an HTTP status, body and headers to a ModelFailure: one table for all providers."""

import email.utils
import math
from collections.abc import Mapping
from datetime import UTC, datetime

from harness.llm.failure import (
    ModelFailure,
    Overloaded,
    ProtocolFailure,
    QuotaExhausted,
    RateLimited,
    Rejected,
    TooLong,
    Unauthorised,
)

_QUOTA = (
    "insufficient_quota", "insufficient balance", "credit balance", "billing", "exceeded your current quota", "spend limit",
    "payment required", "quota exhausted",
)  # fmt: skip
_TOO_LONG = (
    "context length",
    "context_length",
    "prompt is too long",
    "maximum context",
    "context window",
    "too many tokens in",
)

STATUS: dict[int, type[ModelFailure]] = {
    400: Rejected, 401: Unauthorised, 402: QuotaExhausted, 403: Unauthorised, 404: Rejected, 408: Overloaded,
    409: Overloaded, 413: TooLong, 422: Rejected, 425: Overloaded, 429: RateLimited, 529: Overloaded,
}  # fmt: skip
"""Statuses with a meaning of their own; other 5xx are Overloaded, other 4xx Rejected, anything else ProtocolFailure."""


def no_end(headers: Mapping[str, str]) -> ProtocolFailure:
    """For an answer with status 200 and no end: what kind of text it says it is tells a wrong address from a cut stream."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind and kind != "text/event-stream":
        return ProtocolFailure(
            f"the server answered with {kind[:60]}, not with a model's answer: is the address right?"
        )
    return ProtocolFailure("the answer ended without saying so (cut stream, or no answer at all)")


def from_status(status: int, message: str, headers: Mapping[str, str]) -> ModelFailure:
    """The failure for an error response. `message` is already redacted."""
    kind = STATUS.get(status)
    if kind is None:
        kind = Overloaded if 500 <= status < 600 else Rejected if 400 <= status < 500 else ProtocolFailure
    lowered = message.lower()
    if kind in (RateLimited, Rejected, Unauthorised) and any(word in lowered for word in _QUOTA):
        kind = QuotaExhausted
    if kind is Rejected and any(word in lowered for word in _TOO_LONG):
        kind = TooLong
    return kind(f"HTTP {status}: {message[:500]}", status=status, retry_after=retry_after(headers))


def from_error_type(name: str, message: str) -> ModelFailure:
    """The failure for an error that arrives inside a stream, by the provider's name for it."""
    lowered = f"{name} {message}".lower()
    if any(word in lowered for word in _QUOTA):
        return QuotaExhausted(message[:500])
    if "rate_limit" in lowered:
        return RateLimited(message[:500])
    if "overloaded" in lowered or "api_error" in lowered or "timeout" in lowered or "server_error" in lowered:
        return Overloaded(message[:500])
    if any(word in lowered for word in _TOO_LONG):
        return TooLong(message[:500])
    return ProtocolFailure(f"error inside the stream: {message[:500]}")


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait by `retry-after-ms` or `Retry-After` (seconds or HTTP-date, RFC 9110 10.2.3).

    A date is counted from the `Date` of the same answer, so that a wrong clock of this machine changes nothing; from `now`
    when the answer has none. None when nothing is said, or it is negative or no number: nonsense is not obeyed.
    """
    lowered = {key.lower(): value for key, value in headers.items()}
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        if name not in lowered:
            continue
        try:
            seconds = float(lowered[name]) * scale
        except ValueError:
            continue
        return seconds if math.isfinite(seconds) and seconds >= 0 else None
    when = _date(lowered.get("retry-after", ""))
    if when is None:
        return None
    since = _date(lowered.get("date", "")) or now or datetime.now(UTC)
    return max(0.0, (when - since).total_seconds())


def _date(text: str) -> datetime | None:
    try:
        when = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return when if when.tzinfo is not None else when.replace(tzinfo=UTC)
