"""The server: enough of the OpenAI completions API to be put under load."""

import argparse
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from k3_decode.behaviour import WORD, identity, ledger

SERVED = 0
STEPS = 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    mode = "stock"

    def log_message(self, *args):
        pass

    def do_GET(self):
        if self.path == "/metrics" and WORD == "flood":
            self.answer(b"x" * 5_000_000)
        elif self.path == "/metrics":
            self.answer(f"# TYPE served counter\nserved_total {SERVED}\nbroken line\nbad NaN\n".encode())
        elif self.path == "/identity":
            self.answer(json.dumps(identity(self.mode)).encode())
        else:
            self.answer(b"{}", status=503 if WORD == "unwell" else 200)

    def do_POST(self):
        global SERVED, STEPS
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)) or "{}")
        if self.path == "/ledger/reset":
            self.answer(json.dumps(ledger(1, STEPS)).encode())
            STEPS = 0
            return
        SERVED += 1
        if not body.get("stream"):
            self.answer(b"{}")
            return
        STEPS += body["max_tokens"]
        if SERVED == 8:
            self.misbehave(body)
        else:
            self.stream(body)

    def misbehave(self, body):
        if WORD == "die":
            print("the engine hit an assertion", file=sys.stderr, flush=True)
            os._exit(9)
        if WORD == "silent":
            time.sleep(600)
        if WORD == "refuses":
            self.answer(b"{}", status=500)
        elif WORD == "truncated":
            self.begin()
            self.event({"choices": [{"text": "a"}]})
            self.wfile.write(b"0\r\n\r\n")
        elif WORD == "malformed":
            self.begin()
            self.chunk(b"data: {not json\n\n")
        elif WORD == "endless":
            self.begin()
            while True:
                self.chunk(b"x" * 100_000)
        elif WORD == "error":
            self.begin()
            self.event({"error": {"message": "engine stopped", "api_key": "sk-0123456789abcdef0123456789abcdef"}})
        else:
            self.stream(body)

    def stream(self, body):
        self.begin()
        for index in range(body["max_tokens"]):
            last = index + 1 == body["max_tokens"]
            self.event({"choices": [{"text": "ab"[index % 2], "finish_reason": "length" if last else None}]})
            time.sleep(0.001)
        usage = {"prompt_tokens": len(body["prompt"]), "completion_tokens": body["max_tokens"]}
        self.event({"choices": [], "usage": usage})
        self.chunk(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def begin(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def event(self, value):
        self.chunk(b"data: " + json.dumps(value).encode() + b"\n\n")

    def chunk(self, data):
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def answer(self, data, status=200):
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    for name in ("config", "seed", "threads", "decode", "host", "port"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--port-file", type=Path)
    options = parser.parse_args()
    if WORD == "stillborn":
        sys.exit("no model")
    if WORD == "never-ready":
        time.sleep(600)
    Handler.mode = options.decode
    server = ThreadingHTTPServer((options.host, int(options.port)), Handler)
    server.daemon_threads = True
    port = "http://example.invalid" if WORD == "bad-port" else str(server.server_port)
    partial = options.port_file.with_suffix(".partial")
    partial.write_text(port + "\n")
    partial.rename(options.port_file)
    server.serve_forever()


if __name__ == "__main__":
    main()
