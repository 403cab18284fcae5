"""The routes of the service. What a route cannot do is an HTTP status with one sentence."""

import asyncio
from collections.abc import AsyncIterator
from importlib.resources import files
from typing import Annotated

from fastapi import FastAPI, Header, Request, Response
from fastapi.responses import FileResponse, JSONResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import Field

import harness
from agent.service.door import Door
from agent.service.reports import FILES, Busy, Reports, Summary, Wish
from agent.service.uploads import MOST_BYTES, MOST_FILES, Refused
from harness.schema.base import Record

LOOK_S = 0.2
"""Seconds between looks at a session's events while a page listens."""
_PAGE = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
}


class Name(Record):
    """What a folder is called."""

    name: str = Field(max_length=400)


class About(Record):
    """What the page has to know before anything else."""

    version: str
    has_model: bool
    most_files: int
    most_bytes: int
    reports: tuple[Summary, ...]


def application(reports: Reports, *, port: int, token: str) -> FastAPI:
    """The service, reachable at `port` of this machine with `token`."""
    app = FastAPI(title="harness report", version=harness.__version__, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(Door, port=port, token=token)

    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> JSONResponse:
        del request
        return JSONResponse({"message": str(error)}, error.status)

    @app.exception_handler(Busy)
    async def busy(request: Request, error: Busy) -> JSONResponse:
        del request, error
        return JSONResponse({"message": "this report is being made already"}, 409)

    def page(file: str, kind: str) -> Response:
        return Response((files("agent.service") / "page" / file).read_bytes(), media_type=kind)

    for path, (file, kind) in _PAGE.items():
        app.add_api_route(path, lambda file=file, kind=kind: page(file, kind), methods=["GET"])

    @app.get("/api/about")
    def about() -> About:
        return About(
            version=harness.__version__, has_model=reports.has_model, most_files=MOST_FILES, most_bytes=MOST_BYTES,
            reports=tuple(reports.all()),
        )  # fmt: skip

    @app.post("/api/reports", status_code=201)
    def new(name: Name) -> Summary:
        return reports.new(name.name)

    @app.get("/api/reports/{id_}")
    def summary(id_: str) -> Summary:
        return reports.summary(id_)

    @app.put("/api/reports/{id_}/files", status_code=204)
    async def upload(id_: str, path: str, request: Request) -> None:
        await reports.uploads(id_).take(path, request.stream())

    @app.post("/api/reports/{id_}/start")
    def start(id_: str, wish: Wish) -> Summary:
        return reports.start(id_, wish)

    @app.post("/api/reports/{id_}/stop")
    def stop(id_: str) -> Summary:
        return reports.stop(id_)

    @app.get("/api/reports/{id_}/events", response_class=EventSourceResponse)
    async def events(id_: str, last_event_id: Annotated[str, Header()] = "") -> AsyncIterator[ServerSentEvent]:
        session, number = _position(last_event_id)
        while True:
            newest, told, working = await asyncio.to_thread(reports.told, id_, session, number)
            if newest != session:
                session, number = newest, 0
            for one in told:
                number = one.id
                yield ServerSentEvent(data=one.event, id=f"{session}-{number}")
            if not told and not working:
                yield ServerSentEvent(data=reports.summary(id_).model_dump(mode="json"), event="rest")
                return
            if not told:
                await asyncio.sleep(LOOK_S)

    @app.get("/api/reports/{id_}/files/{name}")
    def fetch(id_: str, name: str) -> FileResponse:
        path = reports.file(id_, name)
        inline = name in ("report.pdf", "report.log", "checks.md", "report.tex", "trace.json")
        return FileResponse(
            path, media_type=FILES[name], filename=name, content_disposition_type="inline" if inline else "attachment"
        )

    return app


def _position(last: str) -> tuple[str, int]:
    """Session and number of the last event a page saw; nothing seen for anything that is none of ours."""
    session, _, number = last.partition("-")
    return (session, int(number)) if session.isdigit() and number.isdigit() and len(number) < 16 else ("", 0)
