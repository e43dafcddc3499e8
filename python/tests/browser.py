"""A real Chromium, driven through its DevTools protocol over two pipes: no package is needed but the browser itself."""

import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

# Seconds that a step may take on a busy machine.
LIMIT = 300
NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


def executable():
    """The browser, or None."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    return found


class Browser:
    """One browser with one page at a time."""

    def __init__(self):
        self._profile = tempfile.mkdtemp(prefix="clmatch-browser-")
        to_child, self._write = os.pipe()
        self._read, from_child = os.pipe()
        # The browser reads from 3 and writes to 4: its ends must not lie there before they are moved.
        to_child, from_child = (fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (to_child, from_child))

        def move_ends():
            os.dup2(to_child, 3)
            os.dup2(from_child, 4)

        options = [
            "--headless=new",
            "--remote-debugging-pipe",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-extensions",
            "--no-first-run",
            "--hide-scrollbars",
            "--force-color-profile=srgb",
            f"--user-data-dir={self._profile}",
            "about:blank",
        ]
        self._process = subprocess.Popen(
            [executable(), *options],
            preexec_fn=move_ends,
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_child)
        os.close(from_child)
        self._buffer = b""
        self._last = 0
        self._session = None
        self.events = []

    def close(self):
        """Ends the browser and removes its profile."""
        try:
            self._send("Browser.close", {}, None)
            self._process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _send(self, method, params, session):
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._last

    def _receive(self, deadline):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self._read, 1 << 16)
            if not piece:
                raise ConnectionError("the browser has ended")
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        """The result of a command of the protocol."""
        sent = self._send(method, params, self._session)
        deadline = time.monotonic() + LIMIT
        while True:
            message = self._receive(deadline)
            if message.get("id") == sent:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def _wait_for(self, event):
        deadline = time.monotonic() + LIMIT
        while not any(message["method"] == event for message in self.events):
            message = self._receive(deadline)
            if "method" in message:
                self.events.append(message)

    def open(self, path, width=1200, height=900, scheme="light"):
        """Loads a file, or an address that begins with http, in a new page."""
        self._session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events.clear()
        address = str(path)
        url = address if address.startswith("http") else pathlib.Path(path).resolve().as_uri()
        self.call("Page.navigate", url=url)
        self._wait_for("Page.loadEventFired")
        # That may have been the event of the empty page, or of one that was left.
        self.wait_until("location.href !== 'about:blank'")

    def evaluate(self, script):
        """The value of a JavaScript expression; promises are waited for."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def wait_until(self, condition):
        """Waits until a JavaScript expression is true in a page whose scripts have run, also across pages."""
        deadline = time.monotonic() + LIMIT
        while True:
            try:
                # Before that a button may be there, and a click on it be lost.
                if self.evaluate(f"document.readyState === 'complete' && ({condition})"):
                    return
            except RuntimeError:
                # The page was left while it was asked.
                pass
            if time.monotonic() > deadline:
                raise TimeoutError(condition)
            time.sleep(0.05)

    def choose_file(self, selector, path):
        """Chooses a file as a user does."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])

    def run(self, source):
        """Runs a whole script, for its effects."""
        self.call("Runtime.evaluate", expression=source, returnByValue=False)

    def mouse(self, kind, x, y):
        """A step of the mouse with its left button."""
        buttons = 0 if kind == "mouseReleased" else 1
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=buttons, clickCount=1)

    def click(self, x, y):
        """A click."""
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def drag(self, start, end):
        """Drags from one place to another."""
        (x, y), (to_x, to_y) = start, end
        self.mouse("mousePressed", x, y)
        for step in range(1, 6):
            self.mouse("mouseMoved", x + (to_x - x) * step / 5, y + (to_y - y) * step / 5)
        self.mouse("mouseReleased", to_x, to_y)

    def place(self, selector):
        """Scrolls to an element and tells where it lies: left, top, width, height."""
        return self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}});"
            " const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()"
        )

    def screenshot(self, path, whole=True):
        """Writes a PNG of the whole page, or of what is seen of it."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **self._clip(whole))
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def _clip(self, whole):
        if not whole:
            return {}
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12000), "scale": 1}}

    def pdf(self):
        """The page as it is printed."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def requests(self):
        """What the page has asked for since it was opened, besides itself and what it holds."""
        urls = [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [url for url in urls[1:] if not url.startswith("data:")]

    def complaints(self):
        """Errors and warnings of the console, refused loads, uncaught exceptions."""
        self.evaluate("0")
        said = []
        for event in self.events:
            params = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                said.append(json.dumps(params["exceptionDetails"])[:500])
            elif event["method"] == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                said.append(json.dumps(params["args"])[:500])
            elif event["method"] == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                said.append(params["entry"]["text"])
        return said
