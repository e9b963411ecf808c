"""ci/site.py builds the site of the pages: no link is dead, nothing is loaded from elsewhere, and a real browser shows
it light and dark, on a phone and on a desk. Needs MkDocs; what needs a browser is skipped without one."""
import functools
import html.parser
import http.server
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.append(str(ROOT / "correctness/perf/output/page/browser"))
import chromium  # noqa: E402

LOADS = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("object", "data"),
         ("form", "action")}
SCHEMES = {"light": "default", "dark": "slate"}
HOLDER = tempfile.TemporaryDirectory()
SITE = pathlib.Path(HOLDER.name) / "site"


def build(root, site):
    return subprocess.run([sys.executable, root / "ci/site.py", site], capture_output=True, text=True)


class Loads(html.parser.HTMLParser):
    """What a page asks for when it is opened, or sends its words to; not where its links lead."""

    def __init__(self, text):
        super().__init__()
        self.addresses = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if (tag, name) in LOADS or tag == "link" and name == "href" and dict(attributes).get("rel") != "canonical":
                self.addresses.append(value or "")


def outside(file):
    """Addresses elsewhere that an HTML or CSS file loads."""
    text = file.read_text()
    found = Loads(text).addresses if file.suffix == ".html" else []
    found += re.findall(r"url\(\s*[\"']?([^\"')]+)|@import\s+[\"']([^\"']+)", text) if file.suffix == ".css" else []
    flat = [part for each in found for part in (each if isinstance(each, tuple) else (each,)) if part]
    return [address for address in flat if re.match(r"(https?:)?//", address)]


class Site(unittest.TestCase):
    def test_every_listed_page_is_there(self):
        pages = re.findall(r": (\S+)\.md$", (ROOT / "mkdocs.yml").read_text(), re.M)
        self.assertGreater(len(pages), 30)
        for page in pages:
            file = SITE / re.sub(r"README$", "index", page)
            self.assertTrue(file.with_name(file.name + ".html").exists(), page)
        listed = {page + ".md" for page in pages}
        for page in (ROOT / "perf").rglob("*.md"):
            self.assertIn(str(page.relative_to(ROOT)), listed, "is not in mkdocs.yml")

    def test_dead_links_and_anchors_fail_the_build(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for part in ("ci/site.py", "mkdocs.yml"):
                (root / part).parent.mkdir(exist_ok=True)
                shutil.copy(ROOT / part, root / part)
            for page in re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M):
                (root / page).parent.mkdir(parents=True, exist_ok=True)
                (root / page).write_text("# A page\n")
            wrong = ("perf/guide/gone.md", "gone.cpp", "perf/guide/ci.md#gone")
            (root / "README.md").write_text("# A page\n\n" + " ".join(f"[gone]({link})" for link in wrong))
            done = build(root, root / "out")
            self.assertNotEqual(done.returncode, 0)
            for link in wrong:
                self.assertIn(link, done.stderr)
            self.assertEqual(done.stderr.count("WARNING"), len(wrong), done.stderr)

    def test_nothing_is_loaded_from_elsewhere(self):
        files = [file for file in SITE.rglob("*") if file.suffix in (".html", ".css")]
        self.assertGreater(len(files), 30)
        for file in files:
            self.assertEqual(outside(file), [], file.relative_to(SITE))

    def test_what_is_loaded_from_elsewhere_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            page, style = pathlib.Path(folder) / "a.html", pathlib.Path(folder) / "a.css"
            page.write_text('<a href="https://a/">x</a><script src="https://b/c.js"></script>'
                            '<link rel="stylesheet" href="//d/e.css">')
            style.write_text("@import 'https://f/g.css'; a { background: url(https://h/i.png) }")
            self.assertEqual(outside(page), ["https://b/c.js", "//d/e.css"])
            self.assertEqual(sorted(outside(style)), ["https://f/g.css", "https://h/i.png"])

    @unittest.skipIf(chromium.missing(), chromium.missing())
    def test_in_a_browser(self):
        handler = functools.partial(Quiet, directory=SITE)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        here = f"http://127.0.0.1:{server.server_port}/"
        papers = {}
        for width, scheme in ((390, "dark"), (1280, "light")):
            browser = chromium.Browser("artifacts/site")  # a new one: the site remembers the reader's colours
            self.addCleanup(browser.close)
            for page in ("index.html", "perf/guide/evaluation.html", "kernels/life/index.html"):
                with self.subTest(page=page, width=width, scheme=scheme):
                    browser.open(here + page, width=width, height=844, scheme=scheme)
                    browser.wait(f"document.body.dataset.mdColorScheme === '{SCHEMES[scheme]}'", "other colours", 20)
                    browser.wait("[...document.images].every(i => i.complete && i.naturalWidth > 0)",
                                 "a picture is missing", 20)
                    self.assertLessEqual(browser.run("return document.documentElement.scrollWidth"), width)
                    for address in browser.requests():
                        self.assertTrue(address.startswith((here, "about:", "data:", "blob:")), address)
                    self.assertEqual(browser.complaints(), [])
                    browser.picture(f"{page.replace('/', '-')}-{width}")
                    papers[scheme] = browser.run("return getComputedStyle(document.body).backgroundColor")
        self.assertNotEqual(papers["light"], papers["dark"])
        browser.open(here + "index.html")
        browser.run("const box = document.querySelector('input[name=query]'); box.focus(); box.value = 'signed-rank';"
                    "box.dispatchEvent(new Event('keyup')); box.dispatchEvent(new Event('input'))")
        browser.wait("[...document.querySelectorAll('.md-search-result__link')].some(a => a.href.includes('perf/'))",
                     "the search found nothing", 20)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


if __name__ == "__main__":
    done = build(ROOT, SITE)
    if done.returncode == 77:
        print(done.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    unittest.main()
