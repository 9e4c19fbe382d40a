# SPDX-License-Identifier: LGPL-2.1-or-later
"""A headless Chromium, driven by its DevTools protocol through two pipes."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

QUIET = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-extensions", "--hide-scrollbars", "--force-device-scale-factor=1"]


def find():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Page:
    """One page. What its console says, and exceptions, are in `complaints`."""

    def __init__(self, path, width=1200, height=800):
        self.complaints = []
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._number = 0
        self._events = []
        command = [find(), "--headless=new", "--no-sandbox", *QUIET, f"--user-data-dir={self._profile.name}",
                   f"--window-size={width},{height}", "--remote-debugging-pipe", "about:blank"]
        in_read, self._in = os.pipe()
        self._out, out_write = os.pipe()
        # The browser reads commands from its descriptor 3, and answers on 4.
        shell = 'exec "$@" 3<&%d 4>&%d' % (in_read, out_write)
        self._process = subprocess.Popen(["bash", "-c", shell, "bash", *command], pass_fds=[in_read, out_write],
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(in_read)
        os.close(out_write)
        self._answers = os.fdopen(self._out, "rb")
        self._session = None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Page.navigate", url=f"file://{path}")
        self._wait_for("Page.loadEventFired")
        self.settle()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._session = None
            self.call("Browser.close")
        except (OSError, EOFError):
            pass
        os.close(self._in)
        self._answers.close()
        self._process.wait(timeout=60)
        self._profile.cleanup()

    def _read(self):
        message = bytearray()
        while (byte := self._answers.read(1)) != b"\0":
            if not byte:
                raise EOFError("the browser is gone")
            message += byte
        return json.loads(message)

    def _note(self, message):
        kind, given = message.get("method"), message.get("params", {})
        if kind == "Runtime.exceptionThrown":
            self.complaints.append(given["exceptionDetails"])
        elif kind == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.complaints.append(given["args"])
        elif kind == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.complaints.append(given["entry"])
        self._events.append(kind)

    def _wait_for(self, kind):
        while kind not in self._events:
            self._note(self._read())

    def call(self, method, **given):
        self._number += 1
        message = {"id": self._number, "method": method, "params": given}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._in, json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != self._number:
            self._note(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def settle(self):
        """Until what was asked for is drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")

    def state(self):
        self.settle()
        return self.evaluate("window.strideweave.state()")

    def mouse(self, kind, x, y, **given):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **given)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", buttons=0, clickCount=1)
        self.settle()

    def click_on(self, selector):
        box = self.evaluate(f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                            " return [b.left + b.width / 2, b.top + b.height / 2]; })()")
        self.click(*box)

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def press(self, key, code=0):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, text="\r" if key == "Enter" else "")
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)
        self.settle()

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
