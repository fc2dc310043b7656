"""A web server for the playground, on this machine only."""

from __future__ import annotations

import errno
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from niwaki_host.errors import UsageError
from niwaki_host.playground.build import POLICY

HOST = "127.0.0.1"


class _Handler(SimpleHTTPRequestHandler):
    extensions_map = {
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)  # the worker needs it: <meta> is for pages
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: nobody needs to see each request."""


def server(directory: Path, port: int) -> ThreadingHTTPServer:
    """A server for the directory; the caller must start it. Port 0 takes any free port."""
    try:
        return ThreadingHTTPServer((HOST, port), partial(_Handler, directory=str(directory)))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise UsageError(f"port {port} is taken: choose another, or --port 0 for any free one") from None
        if error.errno == errno.EACCES:
            raise UsageError(f"port {port} is not for everybody: choose one above 1023") from None
        raise


def address(running: ThreadingHTTPServer) -> str:
    return f"http://{HOST}:{running.server_address[1]}/"
