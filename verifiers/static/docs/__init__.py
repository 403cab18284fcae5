"""Falsifiers for claims of the group `docs`, by claim kind."""

from verifiers.static.docs import blocks, docstrings, files, links, names, settings, versions
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {
    "doc-code-block": blocks.falsify,
    "doc-env-var": settings.unknown_variable,
    "doc-link": links.falsify,
    "doc-name": names.falsify,
    "doc-option": settings.unknown_option,
    "doc-path": files.falsify,
    "docstring-parameter": docstrings.falsify,
    "env-var-undocumented": settings.unmentioned_variable,
    "option-undocumented": settings.unmentioned_option,
    "version-differs": versions.falsify,
}
