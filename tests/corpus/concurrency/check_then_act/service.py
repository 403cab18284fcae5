import asyncio
import threading
from collections import defaultdict

from fastapi import FastAPI, HTTPException
from flask import Flask

api = FastAPI()
runs: dict[str, object] = {}
runs_lock: asyncio.Lock = asyncio.Lock()
by_session = defaultdict(asyncio.Lock)
pool = None
NAMES = {}


async def create(session):
    await asyncio.sleep(0)
    return session


@api.post("/start")
async def start(session: str):
    async with runs_lock:
        if session in runs:
            raise HTTPException(409)
    run = await create(session)
    async with runs_lock:
        runs[session] = run  # expect: check-then-act
    return {"ok": True}


@api.post("/start-once")
async def start_once(session: str):
    async with runs_lock:
        if session in runs:
            raise HTTPException(409)
        runs[session] = await create(session)
    return {"ok": True}


async def get_pool():
    global pool
    if pool is None:
        pool = await create("pool")  # expect: check-then-act
    return pool


def create_app():
    app = Flask(__name__)
    seen = {}
    guard = threading.Lock()

    @app.post("/claim/<name>")
    def claim(name):
        with guard:
            taken = name in seen
        if taken:
            return "taken", 409
        seen[name] = True  # expect: check-then-act; unguarded-shared-state UNCERTAIN
        return "ok"

    @app.post("/free/<name>")
    def free(name):
        with guard:
            seen.pop(name, None)
            seen["free"] = name
        return "ok"

    @app.post("/register/<name>")
    def register(name):
        if name in NAMES:
            return "taken", 409
        NAMES[name] = True  # expect: check-then-act
        return "ok"

    @app.post("/note/<name>")
    def note(name):
        local = {}
        if name in local:
            return "taken", 409
        local[name] = True
        return "ok"

    return app


class Lazy:
    def __init__(self):
        self._client = None
        self._lock = asyncio.Lock()

    async def client(self):
        if self._client is None:
            self._client = await create("client")  # expect: check-then-act; unguarded-shared-state UNCERTAIN
        return self._client

    async def client_once(self):
        async with self._lock:
            if self._client is None:
                self._client = await create("client")
        return self._client
