"""Runs the service on this machine until it is stopped."""

import secrets
import socket
from collections.abc import Callable

import uvicorn

from agent.service.app import application
from agent.service.reports import Reports
from harness.errors import UsageError

ADDRESS = "127.0.0.1"


def serve(reports: Reports, port: int, announce: Callable[[str], None]) -> None:
    """Serve on `port` (0 for a free one) and tell `announce` the address to open. Raises UsageError for a taken port."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
    except OSError as error:
        listener.close()
        raise UsageError(
            f"port {port} cannot be used: {error.strerror}", hint="Leave --port out for a free one."
        ) from error
    token = secrets.token_urlsafe(24)
    port = listener.getsockname()[1]
    app = application(reports, port=port, token=token)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2
    )
    announce(f"http://{ADDRESS}:{port}/?token={token}")
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        reports.close()
        listener.close()
