"""A plain HTTP front for the API."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from inkwell import api, sessions
from inkwell.counter import Counter
from inkwell.store import Store


def serve(store: Store, port: int) -> None:
    counter = Counter()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            user = sessions.user_of(self.headers.get("X-Session", ""))
            if user is None:
                self.send_error(401)
                return
            kind, _, name = self.path.lstrip("/").partition("/")
            try:
                if kind == "note":
                    body = api.view(store, user, name).encode()
                    counter.read(name)
                elif kind == "page":
                    body = json.dumps(api.page(store, user, max(1, int(name or 1)))).encode()
                elif kind == "file":
                    body = api.attachment(store, name)
                else:
                    self.send_error(404)
                    return
            except (KeyError, ValueError, FileNotFoundError):
                self.send_error(404)
                return
            except api.Denied:
                self.send_error(403)
                return
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def do_PUT(self) -> None:
            user = sessions.user_of(self.headers.get("X-Session", ""))
            if user is None:
                self.send_error(401)
                return
            length = int(self.headers.get("Content-Length", "0"))
            body = self.rfile.read(min(length, 1_000_000)).decode("utf-8", "replace")
            try:
                api.update(store, user, self.path.lstrip("/").removeprefix("note/"), body)
            except (KeyError, ValueError):
                self.send_error(404)
                return
            self.send_response(204)
            self.end_headers()

    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
