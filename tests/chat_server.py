"""A real HTTP server on localhost that answers chat completions well, badly or never."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MIB = 1 << 20


class ChatServer:
    """Runs ``behaviours`` one a request, the last one for all that follow.

    ``seen`` holds (path, headers, body) of every request, ``times`` when each came, ``most`` how
    many were under way at once, ``sent`` the bytes of ``flood``.
    """

    def __init__(self, *behaviours: Callable):
        self.seen, self.times, self.most, self.sent = [], [], 0, 0
        self.over = threading.Event()
        self._lock, self._now = threading.Lock(), 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.server_side = outer
                self.asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer._lock:
                    outer.seen.append((self.path, dict(self.headers), self.asked))
                    outer.times.append(time.monotonic())
                    number = len(outer.seen) - 1
                    outer._now += 1
                    outer.most = max(outer.most, outer._now)
                try:
                    behaviours[min(number, len(behaviours) - 1)](self)
                except OSError:  # the client has had enough
                    self.close_connection = True
                finally:
                    with outer._lock:
                        outer._now -= 1

            do_GET = do_POST

            def log_message(self, *args):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, request, address):
                pass

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self._server.shutdown()
        self._server.server_close()


def completion(text, finish="stop", **more):
    """The JSON of a chat completion."""
    return {
        "model": "tiny-1",
        "system_fingerprint": "fp_1",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
        **more,
    }


def says(body, status=200, headers=(), reason=None):
    """Answers with a JSON value, or with bytes as they are."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def behave(handler):
        handler.send_response(status, reason)
        handler.send_header("Content-Length", str(len(data)))
        for name, value in dict(headers).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    return behave


def echoes(handler):
    """Answers with the last message."""
    says(completion(handler.asked["messages"][-1]["content"]))(handler)


def echoes_slowly(handler):
    handler.server_side.over.wait(0.1)
    echoes(handler)


def hangs(handler):
    handler.server_side.over.wait(30)


def drops(handler):
    handler.close_connection = True


def half(handler):
    """Half of what was announced, then nothing."""
    data = json.dumps(completion("whole")).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data[: len(data) // 2])
    handler.close_connection = True


def drips(handler):
    """A byte now and then: no single read takes long."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not handler.server_side.over.wait(0.02):
        handler.wfile.write(b" ")


def drips_headers(handler):
    """The same, before the answer has begun."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while not handler.server_side.over.wait(0.02):
        handler.wfile.write(b"x")


def flood(size=100 * MIB, status=200):
    """So many bytes of one text."""

    def behave(handler):
        handler.send_response(status)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        chunk = b"a" * (64 * 1024)
        with contextlib.suppress(OSError):
            for _ in range(size // len(chunk)):
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                handler.server_side.sent += len(chunk)
            handler.wfile.write(b"0\r\n\r\n")

    return behave
