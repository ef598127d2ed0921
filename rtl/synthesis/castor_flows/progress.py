"""Progress display of a flow: one line on a terminal that is overwritten, nothing if standard error is no terminal."""

import sys
import threading
import time


class Progress:
    """Progress line of a flow: a text and the seconds since the text was set. Thread-safe.

    It is a context manager; its exit clears the line.
    """

    def __init__(self, stream=None):
        self.stream = stream or sys.stderr
        self.on = self.stream.isatty()
        self.text = ""
        self.since = time.monotonic()
        self.lock = threading.Lock()
        self.stop = threading.Event()
        self.thread = None

    def __enter__(self):
        if self.on:
            self.thread = threading.Thread(target=self._tick, daemon=True)
            self.thread.start()
        return self

    def __exit__(self, *_):
        if self.on:
            self.stop.set()
            self.thread.join()
            self._wipe()

    def say(self, text):
        """Sets the text of the progress line."""
        with self.lock:
            self.text = text
            self.since = time.monotonic()

    def line(self, text):
        """Clears the progress line and prints a line of the result on standard output."""
        with self.lock:
            if self.on:
                self._wipe()
            print(text, flush=True)

    def _wipe(self):
        self.stream.write("\r\033[K")
        self.stream.flush()

    def _tick(self):
        while not self.stop.wait(0.5):
            with self.lock:
                if self.text:
                    self.stream.write(f"\r\033[K{self.text}, {time.monotonic() - self.since:.0f} s")
                    self.stream.flush()
