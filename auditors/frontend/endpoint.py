"""endpoint-unknown and endpoint-method: a page or script calls an address that no route serves, or not with this method.

Why: the user presses the button and gets 404 or 405.

Example: `fetch("/api/orders", {method: "DELETE"})` where the route `/api/orders` takes GET and POST.

Routes of Flask, FastAPI, Starlette and Django are read from the Python code; calls are `fetch`, `axios`, `$.get`, `$.post`,
`$.ajax`, `XMLHttpRequest.open` and the action of forms, as far as their address is a literal that begins with `/`.

What it cannot see: routes that are put together while running, other servers behind the same address, and prefixes: a call
that ends like a route is taken to be served by it.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from auditors.frontend.places import claim, pages, scripts
from auditors.frontend.routes import Route, matching, routes
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location, RelatedLocation
from harness.source.page import Page
from harness.source.project import Project
from harness.source.script import Script

UNKNOWN = Rule(
    id="endpoint-unknown",
    group="frontend",
    title="Call to an address that no route serves",
    severity=Severity.MEDIUM,
    page=__doc__,
)
METHOD = Rule(
    id="endpoint-method",
    group="frontend",
    title="Call with a method that the route refuses",
    severity=Severity.MEDIUM,
    page=__doc__,
)


class _Call(NamedTuple):
    url: str
    method: str
    path: str
    line: int
    column: int


def check(project: Project) -> Iterator[Claim]:
    """Calls by file and place."""
    known = routes(project)
    if not known:
        return
    calls = [call for script in scripts(project) for call in _in_script(script)]
    calls += [call for page in pages(project) for call in _in_page(page)]
    unread = [project.text(path) for path in sorted(project.failures)]
    for call in sorted(set(calls), key=lambda c: (c.path, c.line, c.column)):
        if (
            not call.url.startswith("/")
            or call.url.startswith("//")
            or re.match(r"/(?:static|media|assets)/", call.url)
        ):
            continue
        last = call.url.partition("?")[0].rstrip("/").rpartition("/")[2]
        if any(last in text for text in unread):
            continue  # a module that does not parse may hold the route
        served = matching(known, call.url)
        shown = call.url.replace("\0", "...")
        facts = {"url": call.url.replace("\0", "{}"), "method": call.method}
        if not served:
            yield claim(
                UNKNOWN,
                project,
                call.path,
                call.line,
                call.column,
                scenario=f"A user whose browser sends {call.method} {shown} gets 404: none of the "
                f"{len(known)} routes of the project serves it.",
                fix="Call the address of the route as it is now, or add the route.",
                facts=facts,
            )
        elif all(route.methods and call.method not in route.methods for route in served):
            yield claim(
                METHOD,
                project,
                call.path,
                call.line,
                call.column,
                scenario=f"A user whose browser sends {call.method} {shown} gets 405: the route takes "
                f"{', '.join(sorted(served[0].methods - {'HEAD'}))}.",
                fix=f"Call with {sorted(served[0].methods - {'HEAD'})[0]}, or let the route take {call.method}.",
                facts=facts,
                related=tuple(_place(route) for route in served[:3]),
            )


def _place(route: Route) -> RelatedLocation:
    at = Location(path=route.path, line=route.line, end_line=route.line)
    return RelatedLocation(
        role="route", location=at, message=f"{route.pattern} takes {', '.join(sorted(route.methods))}"
    )


def _in_page(page: Page) -> Iterator[_Call]:
    for element in page.elements:
        action = element.attributes.get("action", "")
        if element.tag == "form" and action.startswith("/"):
            url = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "\0", action, flags=re.DOTALL)
            method = element.attributes.get("method", "get").upper()
            if method in {"GET", "POST"}:
                yield _Call(url, method, page.path, element.line, element.column)
        for verb in ("get", "post", "put", "patch", "delete"):
            target = element.attributes.get(f"hx-{verb}", "")
            if target.startswith("/"):
                url = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "\0", target, flags=re.DOTALL)
                yield _Call(url, verb.upper(), page.path, element.line, element.column)


def _in_script(script: Script) -> Iterator[_Call]:
    for node in script.nodes("call_expression"):
        name = re.sub(r"\s+", "", script.text(node.child_by_field_name("function")))
        arguments = node.child_by_field_name("arguments")
        given = arguments.named_children if arguments else []
        if not given:
            continue
        place = script.place(node)
        url, method = script.pattern(given[0]), "GET"
        if name in {"fetch", "window.fetch"}:
            if len(given) > 1:
                chosen = script.property(given[1], "method")
                literal = script.literal(chosen)
                if (
                    (chosen is not None and literal is None)
                    or given[1].type != "object"
                    or "..." in script.text(given[1])
                    or ",method" in re.sub(r"\s", "", script.text(given[1]))
                ):
                    continue
                method = (literal or "GET").upper()
        elif match := re.fullmatch(r"axios\.(get|post|put|patch|delete|head)", name):
            method = match.group(1).upper()
        elif match := re.fullmatch(r"(?:\$|jQuery)\.(get|post|getJSON)", name):
            method = "POST" if match.group(1) == "post" else "GET"
        elif name.endswith(".open") and len(given) > 1 and re.fullmatch(r"[A-Za-z]+", script.literal(given[0]) or ""):
            method, url = (script.literal(given[0]) or "").upper(), script.pattern(given[1])
            if method not in {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}:
                continue
        elif name in {"$.ajax", "jQuery.ajax", "axios"}:
            url = script.pattern(script.property(given[0], "url"))
            chosen = script.property(given[0], "method") or script.property(given[0], "type")
            if chosen is not None and script.literal(chosen) is None:
                continue
            method = (script.literal(chosen) or "GET").upper()
        else:
            continue
        if url is not None and url.startswith("/") and url.strip("/\0"):
            yield _Call(url, method, script.path, place.line, place.column)


CHECK = Check(rules=(UNKNOWN, METHOD), project=check)
