"""A test for the project's own suite that fails while a reproduced defect is there and passes once it is gone."""

import re
from collections.abc import Mapping

from pydantic import JsonValue

from harness.files import sha256
from harness.schema.evidence import Evidence, Tier
from harness.schema.finding import Finding

_TRACES = "/tmp/reproducer"  # as in `inside.payloads`: payloads carry it
_MARKED = frozenset({"command", "code", "deserialization"})
_TEMPLATE = """import os
from pathlib import Path

{imports}


def test_{name}() -> None:
    mark = Path("{traces}", "{token}")
    mark.parent.mkdir(exist_ok=True)
    mark.unlink(missing_ok=True)
    os.environ["REPRODUCER_MARK"] = str(mark)
    response = {call}
    {check}
"""


def regression_test(finding: Finding, kind: str, token: str, attack: Mapping[str, JsonValue]) -> tuple[Evidence, ...]:
    """The test as evidence, nothing where the harm shows only to an instrumented sink or no test could import the way in."""
    client, request = attack.get("client"), attack.get("request")
    check = _check(kind, token, str(attack.get("harm", "")))
    if not isinstance(client, list) or not isinstance(request, dict) or not check:
        return ()
    framework, module, application = (str(part) for part in client)
    imports = f"from {module} import {application.removesuffix('()')}"
    if framework == "starlette":
        imports = f"{imports}\nfrom starlette.testclient import TestClient"
    if kind == "redirect":
        imports = f"from urllib.parse import urlsplit\n\n{imports}"
    name = re.sub(r"\W+", "_", f"{finding.rule}_{finding.symbol or 'module'}").lower()
    call = _flask(application, request) if framework == "flask" else _starlette(application, request)
    code = _TEMPLATE.format(imports=imports, name=name, traces=_TRACES, token=token, call=call, check=check)
    summary = "a test for the project that fails while the defect is there"
    return (Evidence(tier=Tier.E4, kind="regression-test", summary=summary, detail=code, sha256=sha256(code)),)


def _check(kind: str, token: str, harm: str) -> str:
    if kind in _MARKED:
        return "assert not mark.exists()"
    if kind == "html":
        return f'assert "<script>{token}</script>" not in response.text'
    if kind == "redirect":
        return f'assert urlsplit(response.headers.get("Location", "")).hostname != "{token}.example"'
    product = re.search(r"\d{6,}", harm)
    return f'assert "{product.group()}" not in response.text' if kind == "template" and product else ""


def _flask(application: str, request: Mapping[str, JsonValue]) -> str:
    headers = _mapping(request.get("headers"))
    if cookies := _mapping(request.get("cookies")):
        headers["Cookie"] = "; ".join(f"{key}={value}" for key, value in cookies.items())
    options = {"query_string": _mapping(request.get("query")), "headers": headers, **_payload(request, "data")}
    return f"{application}.test_client().open({_arguments(request, options, last=True)})"


def _starlette(application: str, request: Mapping[str, JsonValue]) -> str:
    options = {
        "params": _mapping(request.get("query")),
        "headers": _mapping(request.get("headers")),
        "cookies": _mapping(request.get("cookies")),
        **_payload(request, "content"),
    }
    client = f"TestClient({application}, raise_server_exceptions=False, follow_redirects=False)"
    return f"{client}.request({_arguments(request, options, last=False)})"


def _payload(request: Mapping[str, JsonValue], raw: str) -> dict[str, object]:
    body = str(request.get("body", "")).encode("latin-1")
    return {"json": _mapping(request.get("json")), **({raw: body} if body else {"data": _mapping(request.get("form"))})}


def _mapping(value: JsonValue) -> dict[str, str]:
    return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}


def _arguments(request: Mapping[str, JsonValue], options: Mapping[str, object], *, last: bool) -> str:
    method, path = repr(request.get("method")), repr(request.get("path"))
    first = [path, f"method={method}"] if last else [method, path]
    return ", ".join([*first, *(f"{key}={value!r}" for key, value in options.items() if value)])
