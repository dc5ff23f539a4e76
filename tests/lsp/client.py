"""A language server's client for tests: starts `lockstep lsp`, sends what it is told to, collects answers."""
import json
import os
import queue
import subprocess
import threading
import time


class Client:
    def __init__(self, binary, environment=None):
        self.process = subprocess.Popen([binary, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment)
        self.messages = queue.Queue()
        self.seen = []
        self.number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        out = self.process.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if not line:
                    self.messages.put(None)
                    return
                if line == b"\r\n":
                    break
                name, value = line.split(b":")
                if name == b"Content-Length":
                    length = int(value)
            self.messages.put(json.loads(out.read(length)))

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def wait(self, wanted, seconds=120):
        """The first message, of those not taken yet, for which wanted() holds."""
        end = time.time() + seconds
        for i, message in enumerate(self.seen):
            if wanted(message):
                return self.seen.pop(i)
        while time.time() < end:
            try:
                message = self.messages.get(timeout=max(0.01, end - time.time()))
            except queue.Empty:
                break
            if message is None:
                raise EOFError("the server has ended")
            if wanted(message):
                return message
            self.seen.append(message)
        raise TimeoutError("no such message; there were: " + json.dumps(self.seen)[:4000])

    def request(self, method, params, seconds=60):
        self.number += 1
        number = self.number
        self.send({"id": number, "method": method, "params": params})
        return self.wait(lambda m: m.get("id") == number and "method" not in m, seconds)

    def start(self, options=None, capabilities=None):
        answer = self.request("initialize", {"processId": os.getpid(), "rootUri": None,
                                             "capabilities": capabilities or {},
                                             "initializationOptions": options or {}})
        self.notify("initialized", {})
        return answer["result"]

    def open(self, path, text=None, version=1, language="cuda-cpp"):
        if text is None:
            text = open(path, encoding="utf-8").read()
        uri = path if path.startswith("untitled:") else "file://" + path
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": language,
                                                              "version": version, "text": text}})
        return uri

    def change(self, uri, version, changes):
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version},
                                               "contentChanges": changes})

    def diagnostics(self, uri, version=None, holds=lambda list: True, seconds=120):
        def wanted(m):
            p = m.get("params") or {}
            return (m.get("method") == "textDocument/publishDiagnostics" and p.get("uri") == uri and
                    (version is None or p.get("version") == version) and holds(p["diagnostics"]))
        return self.wait(wanted, seconds)["params"]["diagnostics"]

    def stop(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        status = self.process.wait(30)
        self.process.stdin.close()
        self.process.stdout.close()
        return status
