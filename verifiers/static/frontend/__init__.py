"""Falsifiers for claims of the group `frontend`, by claim kind."""

from verifiers.static.frontend import addresses, markup, pages, scripts
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {
    "dom-html-injection": scripts.falsify,
    "duplicate-id": pages.twice,
    "element-missing": pages.missing,
    "endpoint-method": addresses.method,
    "endpoint-name": addresses.name,
    "endpoint-unknown": addresses.unknown,
    "form-without-token": pages.form,
    "markup-from-parts": markup.falsify,
    "template-missing": addresses.template,
    "template-unescaped": pages.unescaped,
    "template-variable": pages.variable,
}
