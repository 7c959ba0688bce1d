"""Opens the pages of the modes report, plan, mixed, fleet and site in headless Chromium, with the widths of a desktop screen and
of a phone screen. The browser console must stay empty, and the charts must be readable. In addition, the page of `report`
must not use the network, its tables must be sortable, and it must work without scripts. `make test-page` runs this test."""

import base64
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from urllib.parse import urlsplit

import synthetic_fleet
import synthetic_mixed
import synthetic_plan
import synthetic_run
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SOURCE = pathlib.Path(__file__).resolve().parents[3]
WIDTHS = (1280, 390)
SHAPES = ((2, 1), (4, 2), (6, 2), (6, 3))
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
        points = list(synthetic_run.points(sizes=(4096, 1 << 20), shapes=SHAPES, caches=("warm", "cold"),
                                           packetsizes=(512, 3072, 8192)))
        cls.points = len(points)
        here, there = cls.folder / "here.jsonl", cls.folder / "there.jsonl"
        synthetic_run.write_run(here, points, failed=(4, 7))
        synthetic_run.write_run(there, points, cpu="Intel(R) Xeon(R) Gold 6336Y", factor=1.4, finished=False)
        cls.page = write_report(cls.folder, here)
        cls.both = write_report(cls.folder, here, there)
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

    def test_no_console_messages_and_no_requests(self):
        for page in (self.page, self.both):
            for width in WIDTHS:
                with self.subTest(page=page.name, width=width):
                    self.open(page, width)
                    self.assertEqual(self.browser.get_log("browser"), [])
                    messages = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
                    asked = [message["params"]["request"]["url"] for message in messages
                             if message["method"] == "Network.requestWillBeSent"]
                    self.assertEqual({urlsplit(url).scheme for url in asked} - {"data", "blob"}, {"file"})
                    self.assertEqual([url for url in asked if urlsplit(url).scheme == "file"], [page.as_uri()])
            self.assertNotIn("http:", page.read_text("utf-8"))
            self.assertNotIn("https:", page.read_text("utf-8"))

    def test_charts_are_legible_and_the_page_does_not_scroll_sideways(self):
        for page in (self.page, self.both):
            for width in WIDTHS:
                with self.subTest(page=page.name, width=width):
                    self.open(page, width)
                    self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), width)
                    self.assertGreater(self.script("return document.querySelectorAll('figure svg text').length"), 500)
                    self.assertEqual(self.script(UNREADABLE, SMALLEST_TEXT), [])

    def test_the_answer_comes_first_in_light_and_dark(self):
        backgrounds = set()
        for scheme in ("light", "dark"):
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                         {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            for width in WIDTHS:
                with self.subTest(scheme=scheme, width=width):
                    self.open(self.page, width)
                    answer, verdict = (self.browser.find_element(By.CSS_SELECTOR, name) for name in ("h1.answer", ".verdict"))
                    self.assertRegex(answer.text, r"^On AMD EPYC, .* is the fastest technique in [0-9]+ of [0-9]+ cases")
                    self.assertIn("Packetsize 3072", verdict.text)
                    self.assertLess(self.script("return arguments[0].getBoundingClientRect().bottom", verdict), 900)
                    order = self.script("return [...document.querySelectorAll('main section')].map(one => one.id || one.className)")
                    self.assertEqual(order[:3], ["answer", "troubles", "heat"])
            backgrounds.add(self.script("return getComputedStyle(document.body).backgroundColor"))
            ink = self.script("return getComputedStyle(document.querySelector('#heat svg text')).fill")
            self.assertNotIn(ink, backgrounds)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        self.assertEqual(len(backgrounds), 2)

    def test_long_parameters_fit_in_headings_and_legends(self):
        run = self.folder / "aligned.jsonl"
        synthetic_run.write_run(run, synthetic_run.aligned_points())
        page = write_report(self.folder, run)
        for width in WIDTHS:
            with self.subTest(width=width):
                self.open(page, width)
                self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), width)
                self.assertEqual(self.script(UNREADABLE, SMALLEST_TEXT), [])
        self.assertIn("alignment=", self.script("return document.querySelector('#heat svg').textContent"))

    def test_no_section_is_empty(self):
        run = self.folder / "short.jsonl"
        synthetic_run.write_run(run, synthetic_run.points(sizes=(4096,), packetsizes=(512,)))
        self.open(write_report(self.folder, run))
        names = self.script("return [...document.querySelectorAll('main section')].map(one => one.id || one.className)")
        self.assertNotIn("heat", names)
        self.assertNotIn("findings", names)
        self.assertEqual(self.script("return [...document.querySelectorAll('main section')].filter(one => "
                                     "!one.querySelector('svg, table, ul, dl, script')).length"), 0)
        missing = self.script("return [...document.querySelectorAll('nav a')].filter(one => !document.querySelector("
                              "one.getAttribute('href'))).length")
        self.assertEqual(missing, 0)

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

    def test_the_page_of_mixed_in_light_and_dark(self):
        page = synthetic_mixed.write_mixed(self.folder / "mixed.html")
        texts = [("result", "95 % interval"), ("result", "at repair rates up to 400 MB/s"), ("result", "thread 0 </script><b>&"),
                 ("tables", ">")]
        self.check_in_light_and_dark(page, lambda: self.check_content(2, texts))
        codes = self.script("return JSON.parse(document.getElementById('data').textContent).codes")
        self.assertEqual([code["steps"][-1]["unfinished"] for code in codes], [0, 18])

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

    def test_every_section_has_its_charts(self):
        self.open(self.page)
        for anchor, panels in (("heat", 24), ("packetsize", 24), ("profiles", 8), ("cache", 24)):
            with self.subTest(section=anchor):
                self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, f"#{anchor} figure svg")), panels)
        self.assertIn("the first 24 of", self.browser.find_element(By.CSS_SELECTOR, "#heat .left-out").text)

    def test_each_heat_map_marks_its_best_cell(self):
        self.open(self.page)
        for chart in self.browser.find_elements(By.CSS_SELECTOR, "#heat figure svg"):
            texts = [text.get_attribute("textContent") for text in chart.find_elements(By.TAG_NAME, "text")]
            marked = [text for text in texts if text.startswith(("★", "?"))]  # "?": inconclusive, on a busy machine
            figures = [float(text) for text in map(str.strip, texts) if "." in text and text[0].isdigit()]
            self.assertEqual(len(marked), 1, texts)
            self.assertGreaterEqual(float(marked[0][2:]), max(figures))

    def column(self, name):
        names = self.script("return [...document.querySelectorAll('#all-points th')].map(cell => cell.textContent)")
        return self.script("return [...document.querySelector('#all-points').tBodies[0].rows].map(row => row.cells[arguments[0]]"
                           ".textContent.trim())", names.index(name))

    def test_a_click_sorts_and_another_reverses_the_order(self):
        self.open(self.page)
        heading = self.browser.find_element(By.XPATH, "//table[@id='all-points']//th[normalize-space()='GB/s']")
        before = collections.Counter(self.column("Command"))
        heading.find_element(By.TAG_NAME, "button").click()
        upwards = [float(text) for text in self.column("GB/s") if text != "failed"]
        self.assertEqual(upwards, sorted(upwards))
        self.assertEqual(heading.get_attribute("aria-sort"), "ascending")
        heading.find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
        downwards = [float(text) for text in self.column("GB/s") if text != "failed"]
        self.assertEqual(downwards, upwards[::-1])
        self.assertEqual(heading.get_attribute("aria-sort"), "descending")
        self.assertEqual(collections.Counter(self.column("Command")), before)

    def test_sizes_sort_as_sizes(self):
        self.open(self.page)
        self.browser.find_element(By.XPATH, "//table[@id='all-points']//th[normalize-space()='Object']/button").click()
        found = self.column("Object")
        self.assertEqual(found, ["4 KiB"] * found.count("4 KiB") + ["1 MiB"] * found.count("1 MiB"))

    def test_only_the_last_sorted_column_is_marked(self):
        self.open(self.page)
        for name in ("GB/s", "Plugin"):
            self.browser.find_element(By.XPATH, f"//table[@id='all-points']//th[normalize-space()='{name}']/button").click()
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "#all-points [aria-sort]")), 1)

    def test_ids_are_used_once(self):
        self.open(self.both)
        names = self.script("return [...document.querySelectorAll('[id]')].map(element => element.id)")
        self.assertEqual([name for name, count in collections.Counter(names).items() if count > 1], [])
        missing = self.script("return [...document.querySelectorAll('use')].map(use => use.getAttribute('xlink:href'))"
                              ".filter(name => !document.getElementById(name.slice(1)))")
        self.assertEqual(missing, [])

    def test_failures_are_at_the_top_as_text(self):
        self.open(self.both)
        told = self.browser.find_element(By.CSS_SELECTOR, ".troubles").text
        self.assertIn("killed by signal 11 </script><b>&", told)
        self.assertIn("Not finished", told)

    def test_the_raw_data_are_complete_and_can_be_downloaded(self):
        self.open(self.both)
        data = self.script("return JSON.parse(document.getElementById('data').textContent)")
        self.assertEqual([run["run"]["run"] for run in data["runs"]], ["here", "there"])
        self.assertEqual([len(run["points"]["rows"]) for run in data["runs"]], [self.points] * 2)
        self.assertEqual(len(data["runs"][0]["rows"]["rows"]), 2 * (self.points - 2))
        self.assertEqual(data["runs"][0]["failures"][0]["why"], "killed by signal 11 </script><b>&")
        link = self.browser.find_element(By.ID, "download")
        self.assertTrue(link.get_attribute("href").startswith("blob:"))
        self.assertTrue(link.get_attribute("download").endswith(".json"))

    def test_machines_are_next_to_each_other(self):
        self.open(self.both)
        titles = [title.text for title in self.browser.find_elements(By.CSS_SELECTOR, "#heat .panels:first-of-type figcaption")][:2]
        self.assertEqual(titles, ["AMD EPYC", "Intel(R) Xeon(R) Gold 6336Y"])
        tops = self.script("return [...document.querySelectorAll('#heat .panels')].map(group => new Set([...group.children].map("
                           "figure => figure.offsetTop)).size)")
        self.assertEqual(set(tops), {1})

    def test_works_without_a_script(self):
        browser = open_browser(self.folder, with_script=False)
        self.addCleanup(browser.quit)
        self.open(self.page, 1280, browser)
        self.assertEqual(len(browser.find_elements(By.CSS_SELECTOR, "#all-points tbody tr")), self.points)
        self.assertEqual(browser.find_elements(By.TAG_NAME, "button"), [])
        self.assertTrue(browser.find_element(By.CSS_SELECTOR, "#heat figure svg").is_displayed())
        self.assertIn("element with the id “data”", browser.find_element(By.ID, "raw").text)
        self.assertFalse(browser.find_element(By.ID, "download").is_displayed())

    def test_prints(self):
        self.open(self.page)
        paper = base64.b64decode(self.browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
        self.assertTrue(paper.startswith(b"%PDF"))
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        try:
            self.assertFalse(self.browser.find_element(By.TAG_NAME, "nav").is_displayed())
            self.assertTrue(self.browser.find_element(By.CSS_SELECTOR, "#heat figure svg").is_displayed())
            self.assertEqual(self.script("return [...document.querySelectorAll('.box')].filter(box => box.scrollHeight > "
                                         "box.clientHeight + 1).length"), 0)
        finally:
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


class Site(unittest.TestCase):
    """The site about the stored runs."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="ecbench site ")
        cls.addClassCleanup(temporary.cleanup)
        cls.site = pathlib.Path(temporary.name, "site")
        subprocess.run([sys.executable, "-E", "-s", SOURCE / "scripts" / "mode.py", "site", cls.site, "--runs", SOURCE / "results"],
                       check=True, capture_output=True)
        cls.browser = open_browser(temporary.name, with_script=False)
        cls.addClassCleanup(cls.browser.quit)

    def test_pages_fit_and_request_only_themselves(self):
        cpu, library, code, run = (sorted(self.site.glob(f"{kind}-*.html"))[0] for kind in ("cpu", "library", "code", "run"))
        for page in (self.site / "index.html", cpu, library, code, run):
            for width in WIDTHS:
                with self.subTest(page=page.name, width=width):
                    self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                        "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
                    self.browser.get_log("browser"), self.browser.get_log("performance")
                    self.browser.get(page.as_uri())
                    self.assertEqual(self.browser.get_log("browser"), [])
                    messages = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
                    asked = {message["params"]["request"]["url"] for message in messages
                             if message["method"] == "Network.requestWillBeSent"}
                    self.assertEqual({url for url in asked if not url.startswith("data:")}, {page.as_uri()})
                    metrics = self.browser.execute_cdp_cmd("Page.getLayoutMetrics", {})
                    self.assertLessEqual(metrics["cssContentSize"]["width"], width)

    def test_the_answer_is_on_the_first_screen_and_its_links_work(self):
        self.browser.get((self.site / "index.html").as_uri())
        answer = self.browser.find_element(By.CSS_SELECTOR, ".how").text
        self.assertRegex(answer, r"^In Ceph, encode: \w+ is fastest in \d+ of \d+ cases")
        table = self.browser.find_element(By.CSS_SELECTOR, "table.cases")
        self.assertLess(table.location["y"], 900)
        self.assertRegex(table.text, r"(?s)6\+2.* isa reed_sol_van.*fastest in \d+ of \d+ cases")
        link = self.browser.find_elements(By.CSS_SELECTOR, ".jumps a")[-1]
        shape = link.text
        link.click()
        row = self.browser.find_element(By.CSS_SELECTOR, "tbody:target")
        self.assertEqual(row.find_element(By.TAG_NAME, "td").text, shape)
        self.browser.find_element(By.LINK_TEXT, "simd").click()
        self.assertTrue(self.browser.current_url.endswith("/library-simd.html"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
