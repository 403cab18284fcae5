"""Guards that are said to be missing: login, owner, token of a form, session."""

from verifiers.static.claimed.access import fixation, forgery, identity, missing, owner, privilege, trusted
from verifiers.static.claimed.access.near import near
from verifiers.static.ruling import Falsifier

_AT_THE_PLACE: dict[int, Falsifier] = {
    266: privilege.power,
    269: privilege.power,
    284: missing.permission,
    285: missing.permission,
    287: identity.falsify,
    290: trusted.falsify,
    306: missing.login,
    345: identity.genuine,
    352: forgery.falsify,
    384: fixation.falsify,
    488: fixation.shared,
    565: trusted.falsify,
    639: owner.falsify,
    640: identity.recovery,
    698: missing.goes_on,
    807: trusted.falsify,
    862: missing.permission,
    863: owner.falsify,
    915: privilege.falsify,
}
FALSIFIERS: dict[int, Falsifier] = {cwe: near(falsifier) for cwe, falsifier in _AT_THE_PLACE.items()}
"""By CWE."""
