"""Opens the pages of the modes plan and fleet in headless Chromium, with the widths of a desktop screen and of a phone
screen. The browser console must stay empty, and the charts must be readable. `make test-page` runs this test."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import synthetic_fleet
import synthetic_plan
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

SOURCE = pathlib.Path(__file__).resolve().parents[3]
WIDTHS = (1280, 390)
SMALLEST_TEXT = 9.5  # CSS pixels

# This script returns a list of errors. It has an entry for each text in a chart that is cut off at the edge of the chart, that
# overlaps another text, or that is too small.
UNREADABLE = """
const bad = [];
for (const svg of document.querySelectorAll("figure svg")) {
  const frame = svg.getBoundingClientRect();
  const seen = [];
  for (const text of svg.querySelectorAll("text")) {
    const box = text.getBoundingClientRect();
    if (!text.textContent.trim()) continue;
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
      bad.push(svg.getAttribute("aria-label").slice(0, 80) + " cuts off " + text.textContent);
    if (parseFloat(getComputedStyle(text).fontSize) * frame.width / svg.viewBox.baseVal.width < arguments[0])
      bad.push(svg.getAttribute("aria-label").slice(0, 80) + " has a text that is too small: " + text.textContent);
    for (const [other, words] of seen)
      if (Math.min(box.right, other.right) - Math.max(box.left, other.left) > 2
          && Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > 4)
        bad.push(svg.getAttribute("aria-label").slice(0, 80) + ": " + words + " overlaps " + text.textContent);
    seen.push([box, text.textContent]);
  }
}
return bad;
"""


def write_report(folder, *runs):
    """Runs bench.sh report for the run files. Returns the path of the page."""
    command = [sys.executable, "-E", "-s", SOURCE / "scripts" / "mode.py", "report", *runs]
    done = subprocess.run([str(word) for word in command], cwd=folder, text=True, capture_output=True, check=False)
    if done.returncode or done.stderr:
        raise AssertionError(f"report has exit code {done.returncode}: {done.stderr}")
    return pathlib.Path(folder, done.stdout.splitlines()[0])


def open_browser(folder, with_script=True):
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", f"--user-data-dir={tempfile.mkdtemp(dir=folder)}"):
        options.add_argument(argument)
    if not with_script:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="ecbench page ")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.browser = open_browser(cls.folder)
        cls.addClassCleanup(cls.browser.quit)

    def open(self, page, width=1280, browser=None):
        browser = browser or self.browser
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
        browser.get_log("browser"), browser.get_log("performance")  # discards earlier log entries
        browser.get(page.as_uri())
        return browser

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def check_in_light_and_dark(self, page, check):
        """Opens the page in each colour scheme and at each width, and calls `check` each time."""
        backgrounds = set()
        for scheme in ("light", "dark"):
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                         {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            for width in WIDTHS:
                with self.subTest(scheme=scheme, width=width):
                    self.open(page, width)
                    self.assertEqual(self.browser.get_log("browser"), [])
                    self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), width)
                    self.assertEqual(self.script(UNREADABLE, SMALLEST_TEXT), [])
                    check()
            backgrounds.add(self.script("return getComputedStyle(document.body).backgroundColor"))
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        self.assertEqual(len(backgrounds), 2)

    def check_content(self, charts, texts):
        """Checks that the page has `charts` charts. For each pair (id, text) in `texts`, checks that the element with this id
        contains the text."""
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "figure svg")), charts)
        for name, text in texts:
            self.assertIn(text, self.browser.find_element(By.ID, name).text)

    def test_the_page_of_plan_in_light_and_dark(self):
        page = synthetic_plan.write_plan(self.folder / "plan.html")
        texts = [("recommendation", "Take isa"), ("assumptions", "16 chunks </script><b>&")]
        self.check_in_light_and_dark(page, lambda: self.check_content(2, texts))

    def check_fleet(self):
        answer, verdict = (self.browser.find_element(By.CSS_SELECTOR, name) for name in ("h1.answer", ".verdict"))
        self.assertRegex(answer.text, "^On .* is the fastest technique|are each the fastest technique")
        self.assertIn("2 of 70 hosts are slower than their class", verdict.text)
        self.assertIn("no route </script><b>&", self.browser.find_element(By.CSS_SELECTOR, ".troubles").text)
        self.assertIn("storage-node-20-w", self.script("return document.querySelector('#hosts svg').textContent"))

    def test_the_page_of_fleet_in_light_and_dark(self):
        page = self.folder / "fleet.html"
        synthetic_fleet.write_fleet(self.folder / "fleet")
        command = [sys.executable, "-E", "-s", SOURCE / "scripts" / "mode.py", "fleet", "report", self.folder / "fleet", "--page"]
        subprocess.run([*command, page], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.check_in_light_and_dark(page, self.check_fleet)


if __name__ == "__main__":
    unittest.main(verbosity=2)
