"""Secrets, ciphers, switches, cookies, and what leaves in answers and logs."""

from verifiers.static.claimed.setting import (
    ciphers,
    clear,
    configuration,
    cookies,
    enumeration,
    exposure,
    headers,
    logs,
    pages,
    randomness,
    secrets,
    switches,
    tables,
)
from verifiers.static.claimed.setting.place import Manner, judged
from verifiers.static.ruling import Falsifier

_SECRETS = judged(secrets.look, Manner(secrets.THING), tables.secret)
_CIPHERS = judged(ciphers.look, Manner(ciphers.THING, called=True))
_SLOW = judged(ciphers.look, Manner(ciphers.SLOW_THING, called=True))
_RANDOM = judged(randomness.look, Manner(randomness.THING, called=True))
_DEBUG = judged(switches.debug, Manner(switches.THING))
_OPEN = judged(switches.debug, Manner(switches.THING, lacking=True))
_CONFIGURED = judged(configuration.look, Manner(configuration.THING, broad=True), configuration.text)
_MECHANISM = judged(configuration.look, Manner(configuration.THING, broad=True, lacking=True), configuration.text)
_HEADERS = judged(headers.look, Manner(headers.THING, lacking=True))
_FRAMING = judged(headers.framing, Manner(headers.THING, lacking=True))
_COOKIES = judged(cookies.look, Manner(cookies.THING))
_CLEAR = judged(clear.look, Manner(clear.THING), tables.clear)
_UNPROTECTED = judged(clear.look, Manner(clear.THING, lacking=True), tables.clear)
_LOGGED = judged(logs.look, Manner(logs.THING))
_ENUMERATED = judged(enumeration.look, Manner(enumeration.THING, lacking=True))
_TIMED = judged(enumeration.timing, Manner("a comparison", lacking=True))
_EXPOSED = judged(exposure.look, Manner(exposure.THING, lacking=True), pages.secret)
_ERRORS = judged(exposure.errors, Manner(exposure.ERROR_THING), pages.error)

FALSIFIERS: dict[int, Falsifier] = {
    798: _SECRETS,
    259: _SECRETS,
    321: _SECRETS,
    327: _CIPHERS,
    328: _CIPHERS,
    326: _CIPHERS,
    310: _CIPHERS,
    757: _CIPHERS,
    916: _SLOW,
    759: _SLOW,
    760: _SLOW,
    330: _RANDOM,
    338: _RANDOM,
    340: _RANDOM,
    489: _DEBUG,
    215: _DEBUG,
    11: _DEBUG,
    16: _CONFIGURED,
    693: _MECHANISM,
    668: _OPEN,
    1021: _FRAMING,
    524: _HEADERS,
    525: _HEADERS,
    319: _HEADERS,
    523: _HEADERS,
    614: _COOKIES,
    1004: _COOKIES,
    1275: _COOKIES,
    256: _CLEAR,
    257: _CLEAR,
    312: _UNPROTECTED,
    522: _UNPROTECTED,
    532: _LOGGED,
    203: _ENUMERATED,
    204: _ENUMERATED,
    208: _TIMED,
    200: _EXPOSED,
    209: _ERRORS,
}
"""By CWE."""
