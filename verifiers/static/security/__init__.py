"""Falsifiers for claims of the group `security`, by claim kind."""

from verifiers.static.ruling import Falsifier
from verifiers.static.security import (
    fails_open,
    hardcoded_secret,
    insecure_cookie,
    mixed_scripts,
    reviewer_addressed_text,
    switches,
    taint,
    unguarded_route,
    weak_hash,
    weak_randomness,
)

FALSIFIERS: dict[str, Falsifier] = {
    "mixed-script-identifier": mixed_scripts.falsify,
    "reviewer-addressed-text": reviewer_addressed_text.falsify,
    "command-injection": taint.falsify,
    "code-injection": taint.falsify,
    "sql-injection": taint.falsify,
    "path-traversal": taint.falsify,
    "unsafe-deserialization": taint.falsify,
    "cross-site-scripting": taint.falsify,
    "template-injection": taint.falsify,
    "open-redirect": taint.falsify,
    "xpath-injection": taint.falsify,
    "ldap-injection": taint.falsify,
    "xml-external-entity": taint.falsify,
    "server-side-request-forgery": taint.falsify,
    "trust-boundary-violation": taint.falsify,
    "catastrophic-pattern": taint.falsify,
    "weak-hash": weak_hash.falsify,
    "weak-randomness": weak_randomness.falsify,
    "insecure-cookie": insecure_cookie.falsify,
    "certificate-check-off": switches.certificate,
    "cors-any-origin": switches.cors,
    "debug-on": switches.debug,
    "default-secret": switches.default_secret,
    "fails-open": fails_open.falsify,
    "hardcoded-secret": hardcoded_secret.falsify,
    "unguarded-route": unguarded_route.falsify,
}
