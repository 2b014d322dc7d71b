#!/usr/bin/python3
"""Headless Chromium through its debugging pipe: pages at an exact width, light or dark, what a script finds in them, and their pixels.

The command line has no such width: a window is at least 500 pixels wide. As a program it says which Chromium that is; exit code 77: none.
"""

import base64
import io
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

import numpy
from PIL import Image

NAMES = ("chromium", "chromium-browser", "google-chrome")
NONE = f"skipped: no Chromium on PATH, which has none of {', '.join(NAMES)}"
STRIP = 4000  # pixels of a screenshot's height that are asked for at once
SECONDS = 120  # for an answer


def find():
    """None where there is none on PATH."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="fmha950_page_", ignore_cleanup_errors=True)
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                   f"--user-data-dir={self.profile.name}", "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe")
        # It reads from descriptor 3 and writes to 4.
        self.process = subprocess.Popen(["sh", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "sh", program, *options],
                                        pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.number, self.session, self.unread, self.events = 0, None, b"", []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.profile.cleanup()

    def message(self):
        """The next one: an answer or an event."""
        end = time.monotonic() + SECONDS
        while b"\0" not in self.unread:
            if not select.select([self.answers], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"Chromium said nothing for {SECONDS} s")
            read = os.read(self.answers, 1 << 20)
            if not read:
                raise EOFError(f"Chromium ended with exit code {self.process.wait()}")
            self.unread += read
        text, self.unread = self.unread.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters, **({"sessionId": self.session} if self.session else {})}
        os.write(self.commands, json.dumps(request).encode() + b"\0")
        while (answer := self.message()).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"Chromium: {method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, url, theme, width):
        """As a reader would whose system has this theme."""
        self.resize(width)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.events = []
        self.ask("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def resize(self, width, height=1000):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def evaluate(self, script):
        """The value of an expression, as JSON has it."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"Chromium: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def complaints(self):
        """What the page and the browser wrote to the console since it was opened."""
        found = []
        for event in self.events:
            said = event.get("params", {})
            if event.get("method") == "Runtime.consoleAPICalled":
                found.append(" ".join(str(argument.get("value", argument.get("description"))) for argument in said["args"]))
            elif event.get("method") == "Runtime.exceptionThrown":
                found.append(said["exceptionDetails"].get("exception", {}).get("description", said["exceptionDetails"]["text"]))
            elif event.get("method") == "Log.entryAdded":
                found.append(f"{said['entry']['text']} {said['entry'].get('url', '')}".strip())
        return found

    def screenshot(self, width, height):
        """Of a window of this size, rows of columns of red, green and blue. One as high as the page has the same pixels each time: one that Chromium moves
        over the page has not."""
        self.resize(width, height)
        strips = []
        for top in range(0, height, STRIP):
            clip = {"x": 0, "y": top, "width": width, "height": min(STRIP, height - top), "scale": 1}
            data = self.ask("Page.captureScreenshot", format="png", clip=clip)["data"]
            strips.append(numpy.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")))
        return numpy.concatenate(strips)


def main():
    program = find()
    print(program or NONE)
    sys.exit(0 if program else 77)


if __name__ == "__main__":
    main()
