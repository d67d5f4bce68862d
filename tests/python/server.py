"""A fake-sqs process for tests: started on a free port, stopped by SIGTERM."""

import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import threading

import urllib3

START_LINE = re.compile(r"^fake-sqs listening on (http://127\.0\.0\.1:\d+)$")
# How long anything may take that takes no time: it ends a test that would go on for ever, and says nothing of speed.
BOUND_SECONDS = 300


class FakeSqs:
    """A running server. ``endpoint_url`` is where it listens; its log goes to a file."""

    def __init__(self, log_file, *arguments):
        binary = os.environ.get("FAKE_SQS_BIN")
        if not binary:
            raise RuntimeError("FAKE_SQS_BIN must name the fake-sqs binary; tests/python/run sets it")
        # The server's own settings from outside must not reach a test.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FAKE_SQS_")}
        self._log_file = log_file
        with log_file.open("w") as log:
            self._process = subprocess.Popen(
                [binary, "--listen", "127.0.0.1:0", *arguments],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=environment,
            )
        self._lines = queue.Queue()
        # The server's output is read to its end, so that a full pipe never blocks it.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.endpoint_url = self._wait_for_start()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def _wait_for_start(self):
        try:
            line = self._lines.get(timeout=BOUND_SECONDS)
        except queue.Empty:
            line = None
        found = START_LINE.match(line or "")
        if not found:
            self._process.kill()
            self._process.wait(BOUND_SECONDS)
            self._close()
            raise RuntimeError(f"no start-up line but {line!r}; its log:\n{self.log()}")
        return found.group(1)

    def control(self, method, path, **body):
        """Asks the control interface: ``control("POST", "clock/advance", seconds=1)``."""
        with urllib3.PoolManager(retries=False, timeout=BOUND_SECONDS) as pool:
            url = f"{self.endpoint_url}/_fake/{path}"
            answer = pool.request(method, url, body=json.dumps(body) if body else None)
        assert answer.status == 200, answer.data
        return json.loads(answer.data)

    @contextlib.contextmanager
    def frozen(self):
        """The queues' time stands meanwhile: nothing is due before the test says so, on a slow machine too."""
        self.control("POST", "clock/freeze")
        try:
            yield
        finally:
            self.control("POST", "clock/resume")

    def log(self):
        """What the server wrote on standard error so far."""
        return self._log_file.read_text()

    def stop(self):
        """Asks the server to stop, waits for it and returns its exit status."""
        self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(BOUND_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(BOUND_SECONDS)
            raise RuntimeError(f"no end within {BOUND_SECONDS} s of SIGTERM; its log:\n{self.log()}")
        finally:
            self._close()

    def _close(self):
        self._reader.join(BOUND_SECONDS)
        self._process.stdout.close()
