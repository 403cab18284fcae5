"""Handlers of the standard library's server: the path, the headers and the body come from the client."""

import json
import os
import pickle
from http.server import BaseHTTPRequestHandler, HTTPServer


class Store:
    def load(self, raw):
        return pickle.loads(raw)  # expect: unsafe-deserialization

    def read(self, raw):
        return json.loads(raw)


class Files(BaseHTTPRequestHandler):
    FOLDER = "./files"

    def __init__(self, *args):
        self.store = Store()
        super().__init__(*args)

    def do_GET(self):
        name = self.path.split("/download/")[-1]
        with open(os.path.join(self.FOLDER, name), "rb") as stream:  # expect: path-traversal
            self.wfile.write(stream.read())

    def do_HEAD(self):
        name = os.path.basename(self.path)
        with open(os.path.join(self.FOLDER, name), "rb") as stream:
            self.wfile.write(stream.read())

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        self.store.load(self.rfile.read(length))

    def do_PUT(self):
        self.store.read(self.rfile.read(int(self.headers["Content-Length"])))


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", 8000), Files).serve_forever()
