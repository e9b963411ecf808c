"""Chromium without a window, driven by Selenium: opens a page, and tells what it asked for and complained of."""
import json
import os
import shutil
import sys
import tempfile

TOOLS = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ratchet", "browser-tools")
sys.path.insert(0, TOOLS)


def missing():
    """What is not installed here that a browser needs, in one line; "" where nothing is missing."""
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            return f"{program} is not installed (package {'chromium' if program == 'chromium' else 'chromium-driver'})"
    try:
        import selenium  # noqa: F401
    except ImportError:
        return f"the Python package selenium is neither installed nor in {TOOLS} (ci/setup leaves it there)"
    if not os.path.exists(axe_file()):
        return f"there is no {axe_file()} (Python package axe-core-python, by ci/setup)"
    return ""


def axe_file():
    return os.path.join(TOOLS, "axe_core_python", "axe.min.js")


class Browser:
    """One Chromium for many pages."""

    def __init__(self, artifacts):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.scratch = tempfile.TemporaryDirectory()  # Chromium leaves files in its own
        self.driver = webdriver.Chrome(options=options, service=Service(
            shutil.which("chromedriver"), env=dict(os.environ, TMPDIR=self.scratch.name)))
        self.driver.set_script_timeout(300)
        self.artifacts = artifacts

    def close(self):
        self.driver.quit()
        self.scratch.cleanup()

    def size(self, width, height, mobile=False):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile})

    def media(self, media="", scheme="light"):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, file, fragment="", width=1280, height=800, scheme="light"):
        """Opens a file, or an address, from nothing: logs begin anew."""
        self.size(width, height, mobile=width < 500)
        self.media(scheme=scheme)
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get((str(file) if "://" in str(file) else f"file://{file}") + fragment)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, condition, what, seconds=300):
        """Until a script's condition is true."""
        from selenium.webdriver.support.ui import WebDriverWait
        WebDriverWait(self.driver, seconds, poll_frequency=0.03).until(lambda driver: driver.execute_script("return " + condition), what)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def shown(self, selector):
        """Where an element lies in the window: {left, top, right, bottom}; None where it is not shown."""
        return self.run("const e = document.querySelector(arguments[0]);"
                        "if (!e || !e.checkVisibility()) return null; const r = e.getBoundingClientRect();"
                        "return {left: r.left, top: r.top, right: r.right, bottom: r.bottom}", selector)

    def press(self, key):
        from selenium.webdriver.common.action_chains import ActionChains
        ActionChains(self.driver).send_keys(key).perform()

    def complaints(self):
        """What the console says: errors, and warnings of the page's own."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def _network(self, method):
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [message["params"] for message in messages if message["method"] == "Network." + method]

    def requests(self):
        """Every address that was asked for since open()."""
        return [event["request"]["url"] for event in self._network("requestWillBeSent")]

    def refused(self):
        """Why each request was refused that was."""
        return [event.get("blockedReason") for event in self._network("loadingFailed")]

    def violations(self):
        """What axe finds, of any impact: "rule: where", a line each."""
        with open(axe_file(), encoding="utf-8") as file:
            self.run(file.read())
        found = self.driver.execute_async_script(
            "const done = arguments[0];"  # of what it finds right, axe need not say where
            "axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations), e => done([{id: String(e), impact: 'critical', nodes: []}]));")
        return [f"{each['id']}: {[node['target'] for node in each['nodes']][:3]} {[node.get('failureSummary') for node in each['nodes']][:1]}"
                for each in found]

    def picture(self, name, whole=False):
        """Keeps what is seen, for people, among the test's artifacts."""
        parameters = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
            parameters["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        import base64
        data = self.driver.execute_cdp_cmd("Page.captureScreenshot", parameters)["data"]
        os.makedirs(self.artifacts, exist_ok=True)
        with open(os.path.join(self.artifacts, name + ".png"), "wb") as file:
            file.write(base64.b64decode(data))
