"""Draws the pictures of the pages in docs/images/, from stored runs and simulated hosts. Needs what make test-page needs, and
pillow. Look at each picture before you commit it.

`pictures.py [--width PIXELS] [--output DIR] [NAME...]`"""

import argparse
import gzip
import io
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

import page_test
from PIL import Image
from selenium.webdriver.common.by import By

RESULTS = page_test.SOURCE / "results"

HEIGHT = 690  # of a picture
COLORS = 128

# Name of the picture → the mode's arguments, which write PAGE, and the element of the page at which the picture begins. Words are
# separated by blanks; RUN is a copy of a stored run.
PICTURES = {
    "report": ("report RESULTS --output PAGE", "#block0", None),
    "plan": ("plan hosts=12 drives=24x20T --counts-only --page PAGE", "#charts", None),
    "fleet": ("fleet report HOSTS --page PAGE", "#hosts", None),
}


def write_page(folder: pathlib.Path, name: str) -> pathlib.Path:
    words, _, stored = PICTURES[name]
    page, run, hosts = folder / f"{name}.html", folder / f"{name}.jsonl", folder / "hosts"
    if stored:
        run.write_bytes(gzip.decompress(stored.read_bytes()))
    if "HOSTS" in words:
        script = page_test.SOURCE / "src/test/page/synthetic_fleet.py"
        subprocess.run([sys.executable, script, hosts, "12", "24", "2", "7"], check=True)
    paths = {"PAGE": page, "RUN": run, "HOSTS": hosts, "RESULTS": RESULTS}
    command = [sys.executable, "-E", "-s", page_test.SOURCE / "scripts/mode.py",
               *(paths.get(word, word) for word in shlex.split(words))]
    subprocess.run([str(word) for word in command], cwd=folder, check=True, capture_output=True)
    return next(path for path in (page, run.with_name(f"{name}-page.html")) if path.exists())


def main() -> None:
    parser = argparse.ArgumentParser(description="Draws the pictures in docs/images/.")
    parser.add_argument("--width", type=int, default=1280, help="the width of the browser in pixels (default 1280)")
    parser.add_argument("--output", type=pathlib.Path, default=page_test.SOURCE / "docs/images", help="directory of the pictures")
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"picture (default: {' '.join(PICTURES)})")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        browser = page_test.open_browser(folder)
        try:
            for name in arguments.names or PICTURES:
                browser.get(write_page(folder, name).as_uri())
                browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                    "width": arguments.width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": arguments.width < 600})
                browser.execute_script("document.documentElement.style.scrollbarWidth = 'none'")
                time.sleep(3)  # the charts are drawn
                begin = browser.find_element(By.CSS_SELECTOR, PICTURES[name][1])
                browser.execute_script("arguments[0].scrollIntoView(true)", begin)
                drawn = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
                path = arguments.output / f"{name}.png"
                drawn.quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)
                print(f"{path}: {path.stat().st_size} bytes")
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
