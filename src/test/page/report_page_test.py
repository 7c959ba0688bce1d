"""The pages of report, plan and fleet in headless Chromium, as wide as a screen and as a phone (`make test-page`)."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from urllib.parse import urlsplit

import synthetic_fleet
import synthetic_plan
import synthetic_run
from ecbench.page.points import Runs
from ecbench.point.point import figure_text
from ecbench.runfile.run_file import read_run
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

SOURCE = pathlib.Path(__file__).resolve().parents[3]
WIDTHS = (1280, 390)
SHAPES = ((2, 1), (6, 2), (6, 3))
MOST_BYTES = 1_500_000
HOSTILE = "=1+1</script><img src=x onerror=alert(1)>&\"'"
STORED = SOURCE / "results"

# Texts of charts that are cut off at the edge of the page, or too small.
UNREADABLE = """
const cells = [...document.querySelectorAll("td.sentence")].filter((cell) => cell.scrollWidth > cell.clientWidth);
const bad = cells.map((cell) => "cut off: " + cell.textContent);
for (const text of document.querySelectorAll(".chart svg text, figure svg text")) {
  const box = text.getBoundingClientRect();
  if (!text.textContent.trim()) continue;
  if (box.left < -1 || box.right > innerWidth + 1) bad.push("cut off: " + text.textContent);
  if (box.height < 10) bad.push("too small: " + text.textContent);
}
return bad;
"""


def write_report(folder, *runs):
    """The path of the page."""
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


class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="ecbench report ")))
        points = list(synthetic_run.points(sizes=(4096, 1 << 20), shapes=SHAPES, caches=("warm", "cold"),
                                           packetsizes=(512, 3072, 8192)))
        here, there = cls.folder / "here.jsonl", cls.folder / "there.jsonl"
        synthetic_run.write_run(here, points, failed=(4, 7))
        synthetic_run.write_run(there, points, cpu="Intel(R) Xeon(R) Gold 6336Y", factor=1.4, finished=False)
        cls.run_ = read_run(here)
        cls.page = write_report(cls.folder, here)
        cls.both = write_report(cls.folder, here, there)
        cls.browser = open_browser(cls.folder)
        cls.addClassCleanup(cls.browser.quit)

    def open(self, page, fragment="", width=1280, browser=None, waits=True):
        browser = browser or self.browser
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
        browser.get("about:blank")
        browser.get_log("browser"), browser.get_log("performance")  # discards earlier log entries
        browser.get(page.as_uri() + (f"#{fragment}" if fragment else ""))
        if waits and browser is self.browser:
            self.wait(lambda: self.script("return [...document.querySelectorAll('.chart')].every(one => one.querySelector('svg'))"))

    def assert_clean(self, browser=None, width=1280):
        """No message in the console, and nothing is cut off."""
        browser = browser or self.browser
        self.assertEqual(browser.get_log("browser"), [])
        self.assertLessEqual(browser.execute_script("return document.documentElement.scrollWidth"), width)
        self.assertEqual(browser.execute_script(UNREADABLE), [])

    def wait(self, condition):
        WebDriverWait(self.browser, 20).until(lambda _: condition())

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def choose(self, title, text, block=0):
        found = f"//section[@id='block{block}']//label[starts-with(normalize-space(), '{title}')]"
        label = self.browser.find_element(By.XPATH, found)
        select = Select(label.find_element(By.TAG_NAME, "select"))
        select.select_by_visible_text(next(one.text for one in select.options if one.text.startswith(text)))

    def column(self, name, block=0):
        return self.script("const table = document.querySelector(arguments[0]);"
                           "const place = [...table.tHead.rows[0].cells].findIndex(cell => cell.textContent === arguments[1]);"
                           "return [...table.tBodies[0].rows].map(row => row.cells[place].textContent)",
                           f"#block{block} table", name)

    def texts(self, block=0):
        return self.script("return [...document.querySelectorAll(arguments[0])].map(one => one.textContent)",
                           f"#block{block} .chart svg text")

    def test_no_console_messages_no_requests_and_nothing_is_cut_off(self):
        for page, scheme, width in ((page, scheme, width) for page in (self.page, self.both) for scheme in ("light", "dark")
                                    for width in WIDTHS):
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                         {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            self.open(page, width=width)
            self.assert_clean(width=width)
            messages = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
            asked = [message["params"]["request"]["url"] for message in messages
                     if message["method"] == "Network.requestWillBeSent"]
            self.assertEqual({url for url in asked if urlsplit(url).scheme not in ("data", "blob")}, {page.as_uri()})
            ink, paper = (self.script(f"return getComputedStyle(document.querySelector('{name}')).{key}")
                          for name, key in (("#block0 .chart svg text", "fill"), ("body", "backgroundColor")))
            self.assertNotEqual(ink, paper)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def test_the_answer_its_noise_and_links_are_on_the_first_screen(self):
        for width in WIDTHS:
            self.open(self.page, width=width)
            answer, head = (self.browser.find_element(By.TAG_NAME, name) for name in ("h1", "header"))
            figure = r"[0-9.]+ GB/s ±[0-9.]+ %; fastest: "
            self.assertRegex(answer.text, rf"(?s)^isa .*, {figure}.*6\+2, encode of 1 MiB, warm, on Zen 3, EPYC 7003")
            self.assertLess(answer.location["y"] + answer.size["height"], 450)
            self.assertRegex(head.text, r"Noise \(median\): ±[0-9.]+ %\. 0 of \d+ figures have warnings")
            self.assertLess(head.location["y"] + head.size["height"], 700)

    def test_links_within_the_page_keep_the_selection(self):
        self.open(self.page, "shape=6%2B3")
        for link in self.browser.find_elements(By.CSS_SELECTOR, "nav a"):
            link.click()
            self.assertEqual(self.script("return `#${document.activeElement.id}`"), link.get_attribute("hash"))
        self.assertEqual((self.script("return location.hash"), set(self.column("k+m"))), ("#shape=6%2B3", {"6+3"}))

    def test_filters_change_chart_and_table_together(self):
        self.open(self.page)
        for title, value in (("Object", "4 KiB"), ("k+m", "6+3"), ("Workload", "decode, 2 lost"), ("Cache", "cold")):
            self.choose(title, value)
        expected = [row for row in Runs([self.run_]).points().rows if (row.size, row.shape, row.workload, row.cache) ==
                    (4096, "6+3", "decode, 2 lost", "cold")]
        self.assertEqual(sorted(self.column("Code")), sorted(row.code for row in expected))
        self.assertEqual(sorted(self.column("GB/s")), sorted(figure_text(row.gb_per_s) for row in expected))
        self.wait(lambda: all(row.code in self.texts() for row in expected))
        drawn = [text for text in self.texts() if "±" in text]
        self.assertEqual(sorted(text.split()[0] for text in drawn), sorted(figure_text(row.gb_per_s) for row in expected))
        best = max(expected, key=lambda row: row.gb_per_s)
        said, again = (self.browser.find_element(By.CSS_SELECTOR, f"#block0 {name}").text for name in (".said", "code"))
        self.assertRegex(said, rf"{best.code} .*, [0-9.]+ cores for 100 Gbit/s; fastest: ")
        self.assertEqual(again, f"Repeat this figure: {best.command}")

    def test_a_view_along_an_axis_shows_all_of_it(self):
        self.open(self.page)
        self.choose("View", "GB/s along the object size")
        self.assertEqual(set(self.column("Object")), {"4 KiB", "1 MiB"})
        self.choose("View", "GB/s")
        self.assertEqual(set(self.column("Object")), {"1 MiB"})

    def test_the_answer_is_next_to_the_name_which_stays_in_sight(self):
        for width in WIDTHS:
            self.open(self.page, width=width)
            for block, expected in ((0, ["Code", "GB/s", "Verdict"]), (3, ["Technique", "Fastest packetsize", "GB/s"])):
                titles, left, room = self.script(
                    "const box = document.querySelector(arguments[0]), [first, second] = box.querySelectorAll('td'); "
                    "box.scrollLeft = 9999; const place = (one) => one.getBoundingClientRect(); "
                    "return [[...box.querySelectorAll('th')].slice(0, 3).map(one => one.textContent), "
                    "place(first).left - place(box).left, place(first).width + place(second).width]", f"#block{block} .box")
                self.assertEqual((titles, left < 2, room < width), (expected, True, True))
            self.assertIn(self.column("Code", 1)[0].split()[-1], " ".join(self.texts(1)))

    def test_the_url_restores_a_selection(self):
        self.open(self.page)
        self.choose("k+m", "6+3")
        self.choose("View", "Ratios")
        self.browser.find_element(By.XPATH, "//section[@id='block0']//th[normalize-space()='Code']/button").click()
        before, table = self.script("return location.hash"), self.column("Code")
        self.open(self.page, before[1:])
        self.assertEqual((self.column("Code"), self.script("return location.hash")), (table, before))
        self.assertEqual(set(self.column("k+m")), {"6+3"})
        chosen = [one.text for one in self.browser.find_elements(By.CSS_SELECTOR, "#block0 option:checked")]
        self.assertIn("Ratios", chosen)
        self.assertEqual(table, sorted(table))

    def test_a_url_of_another_page_shows_all_that_fits(self):
        self.open(self.page, "shape=99%2B9&view=77&sort=nothing&5.x=y", waits=False)
        self.assertEqual(self.browser.get_log("browser"), [])
        said = self.browser.find_element(By.CSS_SELECTOR, "#block0 .said").text
        self.assertEqual(said, "No row has these values. Measured: k+m 2+1, 6+2, 6+3.")

    def test_ratios_refer_to_the_chosen_code(self):
        self.open(self.page)
        self.choose("View", "Ratios")
        code = self.column("Code")[-1]
        self.choose("Ratio to", code)
        figures = dict(zip(self.column("Code"), map(float, self.column("GB/s")), strict=True))
        self.wait(lambda: any(" to " in text for text in self.texts()))
        self.assertIn("1.00", self.texts())
        for ratio in (float(text.split()[0]) for text in self.texts() if "(" in text):
            self.assertTrue(any(abs(ratio - value / figures[code]) < 0.02 * ratio for value in figures.values()), ratio)

    def test_the_tooltip_shows_the_values_of_the_row(self):
        self.open(self.page)
        bar = self.browser.find_element(By.CSS_SELECTOR, "#block0 .chart svg .mark-rect path[fill]")
        ActionChains(self.browser).move_to_element(bar).perform()
        self.wait(lambda: self.browser.find_element(By.ID, "tip").is_displayed())
        shown = self.browser.find_element(By.ID, "tip").text
        for title in ("GB/s", "±%", "% of roofline", "cores/100G", "Kernel", "Command"):
            cells = self.column(title)
            self.assertTrue(any(f"{title}\n{cell}" in shown for cell in cells), (title, shown))
        self.assertRegex(shown, r"from\n[0-9.]+\nto\n[0-9.]+\n")

    def test_a_click_or_enter_sorts_and_another_reverses_the_order(self):
        self.open(self.page)
        self.choose("Object", "all")
        for title, key in (("GB/s", float), ("Object", lambda text: {"4 KiB": 0, "1 MiB": 1}[text])):
            heading = self.browser.find_element(By.XPATH, f"//section[@id='block0']//th[normalize-space()='{title}']")
            heading.find_element(By.TAG_NAME, "button").click()
            ways = {heading.get_attribute("aria-sort"): [key(text) for text in self.column(title) if text != "-"]}
            heading.find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
            ways[heading.get_attribute("aria-sort")] = [key(text) for text in self.column(title) if text != "-"]
            self.assertEqual(ways["ascending"], sorted(ways["ascending"]))
            self.assertEqual(ways["descending"], sorted(ways["descending"], reverse=True))
            self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "#block0 [aria-sort]")), 1)

    def test_every_view_of_every_block_draws(self):
        self.open(self.both)
        for select in self.browser.find_elements(By.XPATH, "//label[starts-with(normalize-space(), 'View')]/select"):
            for name in [option.text for option in Select(select).options]:
                Select(select).select_by_visible_text(name)
                section = select.find_element(By.XPATH, "ancestor::section")
                self.wait(lambda section=section: section.find_elements(By.CSS_SELECTOR, ".chart svg path, .chart svg line"))
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_failures_and_machines_are_named(self):
        self.open(self.both)
        told = self.browser.find_element(By.CSS_SELECTOR, ".troubles").text
        self.assertIn("killed by signal 11 </script><b>&", told)
        self.assertIn("Not finished", told)
        self.assertIn("Intel(R) Xeon(R) Gold 6336Y", self.browser.find_element(By.ID, "made").text)
        links = [link.get_attribute("href") for link in self.browser.find_elements(By.CSS_SELECTOR, "#made a")]
        self.assertEqual(links, [(self.folder / name).as_uri() for name in ("here.jsonl", "there.jsonl")])

    def test_hostile_names_are_text(self):
        run = self.folder / "hostile.jsonl"
        synthetic_run.write_run(run, synthetic_run.points(sizes=(4096,), packetsizes=(512,)), cpu=f"CPU {HOSTILE}")
        records = [json.loads(line) for line in run.read_text().splitlines()]
        for record in records[1:]:
            record.update(kernel=HOSTILE, command=HOSTILE)
        run.write_text("".join(json.dumps(record) + "\n" for record in records))
        self.open(write_report(self.folder, run))
        self.assertEqual(self.browser.get_log("browser"), [])
        self.assertEqual(self.browser.find_elements(By.TAG_NAME, "img"), [])
        self.assertEqual(set(self.column("Kernel")), {f"'{HOSTILE}"})
        self.assertIn(HOSTILE, self.browser.find_element(By.ID, "made").text)

    def test_without_scripts_there_are_a_chart_and_a_table(self):
        browser = open_browser(self.folder, with_script=False)
        self.addCleanup(browser.quit)
        for width in WIDTHS:
            self.open(self.page, browser=browser, width=width)
            self.assertTrue(browser.find_element(By.CSS_SELECTOR, "#block0 figure svg").is_displayed())
            self.assert_clean(browser, width)
        self.assertGreater(len(browser.find_elements(By.CSS_SELECTOR, "#block0 tbody tr")), 5)

    def test_names_for_screen_readers(self):
        self.open(self.page)
        for chart in self.browser.find_elements(By.CSS_SELECTOR, ".chart"):
            self.assertIn("GB/s", chart.get_attribute("aria-label"))
        self.assertEqual(self.script("return [...document.querySelectorAll('select')].filter(one => !one.labels.length).length"), 0)
        self.assertEqual(self.script("return [...document.querySelectorAll('.box')].filter(one => one.tabIndex || !one.ariaLabel)"
                                     ".length"), 0)

    def test_pictures_are_current(self):
        command = [SOURCE / "scripts/studies/pictures.py", "--check"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_page_of_a_plan(self):
        page = synthetic_plan.write_plan(self.folder / "plan.html")
        for width in WIDTHS:
            self.open(page, width=width)
            self.assert_clean(width=width)
            self.assertIn("Take isa", self.browser.find_element(By.TAG_NAME, "h1").text)
            self.assertIn("16 chunks </script><b>&", self.browser.find_element(By.ID, "made").text)
        self.assertRegex(self.script("return document.querySelector('#block1 tr').textContent"), "^profilenote")
        self.choose("Plugin", "clay")
        self.assertEqual({name.split()[0] for name in self.column("Profile")}, {"clay"})

    def test_the_page_of_a_fleet(self):
        page, folder = self.folder / "fleet.html", self.folder / "fleet"
        synthetic_fleet.write_fleet(folder)
        command = [sys.executable, "-E", "-s", SOURCE / "scripts/mode.py", "fleet", "report", folder, "--page", page]
        subprocess.run(command, check=True, capture_output=True)
        for width in WIDTHS:
            self.open(page, width=width)
            self.assert_clean(width=width)
            self.assertIn("2 of 70 hosts are slower than their class", self.browser.find_element(By.TAG_NAME, "header").text)
            self.assertIn("no route </script><b>&", self.browser.find_element(By.TAG_NAME, "main").text)
        self.assertEqual([name.split("-")[2] for name in self.column("Host")[:2]], ["20", "40"])

    def test_the_page_of_all_stored_runs(self):
        page = write_report(self.folder, STORED, "--output", self.folder / "all.html")
        self.assertLessEqual(page.stat().st_size, MOST_BYTES)
        self.open(page)
        self.assertEqual(self.browser.get_log("browser"), [])
        cpus = self.script("return [...document.querySelectorAll('#block0 label:nth-child(2) option')].map(one => one.textContent)")
        self.assertGreaterEqual(len(cpus), 3)
        self.assertRegex(self.browser.find_element(By.TAG_NAME, "header").text, r"(?s)GB/s.* (\d+\+\d+), .*GB/s.* \1, ")
