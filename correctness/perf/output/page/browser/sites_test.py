"""The pages of several runs in a real browser: whose commits they are, an index, a history, a fleet, a self-test, a
bisection. As report_test.py, whose words it takes.
"""
import json

import inputs
from inputs import SIZES, percent

SUBJECT = "tile by 64 <script>alert(1)</script> " + "very_long_" * 60


class SitesTest(inputs.PageTest):
    @classmethod
    def setUpClass(cls):
        """Besides, three runs in a repository with a remote, by hand as a CI job would: its own folder, its own history."""
        super().setUpClass()
        cls.team = inputs.Ratchet(cls.ratchet.program, cls.folder / "team")
        cls.commits = [cls.team.commit("reference kernels"), cls.team.commit(SUBJECT), cls.team.commit("make it slow")]
        cls.team.git("remote", "add", "origin", "https://user:secret@github.com/ann/swift.git")
        cls.team.git("checkout", "-q", cls.commits[0])
        cls.team.gate("results/1", plan=inputs.PLAN)
        cls.team.accept("results/1")
        cls.team.git("checkout", "-q", cls.commits[1])
        cls.team.gate("results/2", plan=inputs.PLAN, seed="2")
        cls.team.git("checkout", "-q", "topic")
        cls.team.gate("results/3", "--stored", plan=cls.slower.replace("2.945e6", "1.5e6"), seed="3", codes=(1,),
                      GITHUB_SERVER_URL="https://github.com", GITHUB_REPOSITORY="ann/swift", GITHUB_RUN_ID="42")
        cls.team.run("report", *(f"results/{i}" for i in (2, 1, 3)), "-o", "site/", "--history", "history.sqlite")

    # Of whose code the run is, and where a team finds it.

    def test_a_gate_shows_the_commits_that_it_compares(self):
        page = "team/results/3/report.html"
        self.open(page)
        sides = self.browser.run("return [...document.querySelectorAll('.commits > div')].map(d => [d.querySelector('dt').textContent, "
                                 "d.querySelector('dd').textContent, d.querySelector('a').getAttribute('href')])")
        repository = "https://github.com/ann/swift"
        self.assertEqual(sides[0], ["measured", f"{self.commits[2][:10]} make it slow", f"{repository}/commit/{self.commits[2]}"])
        self.assertEqual(sides[1], ["base", f"{self.commits[0][:10]} reference kernels", f"{repository}/commit/{self.commits[0]}"])
        self.assertEqual(sides[2][0], "links")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.commits > div:last-child a')].map(a => [a.textContent, a.href])"),
                         [["swift", repository], ["CI run", repository + "/actions/runs/42"]])
        text = self.browser.texts(".commits")[0]
        for part in ("by Ann", "on topic", "built in "):
            self.assertIn(part, text)
        self.assertNotIn("secret", (self.folder / page).read_text(encoding="utf-8"))
        self.assertEqual(self.browser.run("return document.title").rsplit(" – ", 1)[1], "swift")
        self.browser.picture("commits")
        self.assertQuiet(page)
        # A report of the kept results needs no repository; a subject is never markup, and is cut.
        self.ratchet.report("team/results/2", "second.html")
        for width, height in SIZES:
            self.open("second.html", width=width, height=height)
            self.assertEqual(self.browser.texts(".commits dd strong")[0], SUBJECT[:300] + "...")
            self.assertEqual(self.browser.run("return document.querySelectorAll('main script').length"), 0)
            self.assertNothingWider()
            self.browser.picture(f"commits-{width}")

    def test_the_index_of_a_site_lists_its_runs(self):
        self.open("team/site/index.html")
        self.assertEqual(self.browser.texts("h1"), ["swift"])
        cells = self.browser.run("return [...document.querySelectorAll('[aria-label^=Runs] tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        self.assertEqual([row[3] for row in cells], [commit[:10] for commit in reversed(self.commits)])
        self.assertEqual([row[4][:12] for row in cells], ["make it slow", SUBJECT[:12], "reference ke"])
        self.assertEqual([row[2] for row in cells], ["topic", "", ""])  # the others were checked out without a branch
        self.assertIn("slower1 row got slower: demo/cpu/02_tiled", cells[0][1])
        self.assertIn("passNothing got slower", cells[1][1])
        self.assertIn("not compared", cells[2][1])
        self.assertEqual(cells[0][6], "1 slower, 3 same, 1 unavailable")
        links = self.browser.run("return [...document.querySelectorAll('main a')].map(a => a.textContent).filter(t => !/^[0-9a-f]{10}$/.test(t))")
        self.assertEqual(len(set(links)), len(links))
        self.assertQuiet("team/site/index.html")
        self.ratchet.run("report", "team/results/2", "-o", "titled/", "--title", "Kernels of <b>", "--history", "none")
        self.open("titled/index.html")
        self.assertEqual(self.browser.texts("h1"), ["Kernels of <b>"])
        self.ratchet.run("report", "pass", "-o", "untitled/", "--history", "none")
        self.open("untitled/index.html")
        self.assertEqual(self.browser.texts("h1"), [self.folder.name])

    def test_the_index_of_many_runs_is_filtered_and_sorted(self):
        from selenium.webdriver.common.keys import Keys
        folders = inputs.write_runs(self.folder / "team/results/2/gate.json", self.folder / "runs", 40)
        self.ratchet.run("report", *folders, "-o", "many-runs/", "--history", "none")
        shown = "return [...document.querySelectorAll('[aria-label^=Runs] tbody tr')].map(r => r.cells[0].textContent)"
        for width, height in SIZES:
            with self.subTest(width):
                self.open("many-runs/index.html", width=width, height=height)
                newest = self.browser.run(shown)
                self.assertEqual(len(newest), 40)
                self.assertEqual(newest, sorted(newest, reverse=True))
                self.assertLessEqual(len(self.browser.texts("#pages a")), 4)
                self.browser.press("/")
                for key in "branch-7":
                    self.browser.press(key)
                self.assertEqual(self.browser.texts(".filter-line [role=status]"), ["1 of 40."])
                self.browser.press(Keys.ESCAPE)
                self.browser.run("document.querySelector('[data-sort=run]').focus()")
                self.browser.press(Keys.ENTER)
                self.assertEqual(self.browser.run(shown), newest[::-1])
                self.assertNothingWider()
                self.assertAccessible()
                self.browser.picture(f"index-{width}")

    # Over commits.

    def test_a_history_agrees_with_its_runs(self):
        self.open("team/site/history.html")
        heading = self.browser.texts(".banner.state-regression h1")[0]
        self.assertIn("demo/cpu/02_tiled, -5", heading)
        self.assertIn(f"(the gate of {self.commits[2][:12]} against {self.commits[0][:12]})", heading)
        self.assertIn("No change point", heading)
        self.browser.run("document.querySelector('main td a').click()")
        self.browser.wait("document.querySelector('.series-page')", "the series did not open")
        self.assertEqual(self.browser.texts(".series-page h1"), ["demo/cpu/02_tiled"])
        self.unfold()
        rows = self.browser.run("return [...document.querySelectorAll('[aria-label=\"Runs of the series\"] tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        self.assertEqual([row[1] for row in rows], [commit[:10] for commit in self.commits])
        self.assertEqual(rows[2][2:4], ["make it slow", "topic"])
        ratio = inputs.rows_of(self.folder / "team/results/3")["demo/cpu/02_tiled"]["ratio"]
        self.assertEqual(rows[2][5:7], [f"slower {percent(ratio)} (gate against {self.commits[0][:10]})", ""])
        self.assertEqual(self.browser.texts("[aria-label^=Gates] tbody td")[1:4], [self.commits[0][:10], "slower", percent(ratio)])
        self.check_series_plot()
        self.assertQuiet("team/site/history.html")
        self.browser.picture("series", whole=True)
        # The row's page of that run has the same series.
        self.open("team/results/3/report.html", "#row=demo%2Fcpu%2F02_tiled")
        self.unfold()
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('[aria-label=History] tbody tr')].map(r => [...r.cells].map(c => c.textContent))"), rows)
        self.open("team/site/history.html", "#series=no%20such")
        self.assertIn("There is no series no such", self.browser.texts("main [role=status]")[0])

    def check_series_plot(self):
        """A point a run, the loss as a red triangle, each with its commit for the mouse."""
        if not self.has_plots():
            return
        self.browser.wait("document.querySelector('.plot svg')", "the series was not drawn")
        points = "[...document.querySelectorAll('.plot .mark-symbol.role-mark path')]"
        self.assertEqual(self.browser.run(f"return {points}.length"), 3)
        self.assertEqual(self.browser.run(f"return {points}.map(p => p.getAttribute('fill'))")[2], "var(--bad)")
        self.assertIn(self.commits[2][:10], self.browser.texts(".plot svg")[0])
        from selenium.webdriver.common.action_chains import ActionChains
        ActionChains(self.browser.driver).move_to_element(self.browser.run(f"return {points}[2]")).perform()
        self.browser.wait("document.getElementById('tip') && !document.getElementById('tip').hidden", "no tooltip")
        self.assertIn(f"commit: {self.commits[2][:10]} make it slow", self.browser.texts("#tip")[0])
        self.assertPlotsFit()

    def test_a_large_history_stays_small(self):
        from selenium.webdriver.common.keys import Keys
        (self.folder / "large.sqlite").write_bytes((self.folder / "team/history.sqlite").read_bytes())
        inputs.write_history(self.folder / "large.sqlite")
        self.ratchet.run("report", "pass", "-o", "large/", "--history", "large.sqlite")
        self.assertLess((self.folder / "large/history.html").stat().st_size, 4_000_000)
        self.open("large/history.html")
        # What loading costs, whatever else runs here: the elements that are built. The 60 000 points are none.
        self.assertLess(self.browser.run("return document.querySelectorAll('*').length"), 8000)
        names = "return [...document.querySelectorAll('[aria-label=Series] tbody tr')].map(r => r.cells[0].textContent)"
        self.assertEqual(len(self.browser.run(names)), 300)
        self.assertIn("family5/cpu/0250_stage, -", self.browser.texts(".banner.state-undecided h1")[0])
        self.assertQuiet("large/history.html")
        self.browser.picture("large-history")
        self.browser.run("document.querySelector('[data-sort=\"last change point\"]').click()")
        self.assertEqual(self.browser.run(names)[0], "family5/cpu/0250_stage")
        self.browser.press("/")
        for key in "0250":
            self.browser.press(key)
        self.assertEqual(self.browser.run(names), ["family5/cpu/0250_stage"])
        self.assertEqual(self.browser.texts(".filter-line [role=status]"), ["1 of 300."])
        self.browser.run("document.querySelector('main td a').focus()")
        self.browser.press(Keys.ENTER)
        self.browser.wait("document.querySelector('.series-page')", "Enter did not open the series")
        change = self.browser.texts("[aria-label='Change points'] tbody td")
        self.assertEqual((change[0], change[5]), (f"{101:012x}"[:10], "change number 100"))
        self.unfold()
        self.assertEqual(len(self.browser.texts("[aria-label=\"Runs of the series\"] tbody tr")), 200)
        self.browser.picture("large-series", whole=True)

    # Every kind of page.

    def pages(self):
        """A page of each kind: its file, and what stands behind the #."""
        self.ratchet.report(inputs.RECORDED / "bisect.json", "bisect.html")
        self.ratchet.report(sorted((inputs.BASELINES / "selftest").glob("*/*.jsonl"))[0], "selftest.html")
        row = "#row=demo%2Fcpu%2F02_tiled"
        found = {"gate": ("team/results/3/report.html", ""), "row": ("team/results/3/report.html", row), "comparison": ("regression/report.html", ""),
                 "index": ("team/site/index.html", ""), "history": ("team/site/history.html", ""), "bisect": ("bisect.html", ""),
                 "selftest": ("selftest.html", "")}
        series = self.model("team/site/history.html")["sections"][0]["series"][0]
        found["series"] = ("team/site/history.html", f"#series={series['name']}%20on%20{series['machine']}%20{series['fingerprint']}")
        return found

    def test_every_kind_of_page_is_accessible(self):
        from selenium.webdriver.common.keys import Keys
        for kind, (page, fragment) in self.pages().items():
            for options in ({"width": 390, "height": 844}, {"width": 1280, "height": 800, "scheme": "dark"}):
                with self.subTest(kind, **options):
                    self.open(page, fragment, **options)
                    self.unfold()
                    self.assertEqual(self.browser.complaints(), [])
                    self.assertNothingWider()
                    self.assertAccessible()
                    self.assertScrollIsSaid()
            with self.subTest(kind + ", keyboard and paper"):  # of the page in the dark, still open
                self.browser.press(Keys.TAB)
                self.assertEqual(self.browser.run("return document.activeElement.id"), "skip")
                self.browser.press(Keys.ENTER)
                self.assertEqual(self.browser.run("return document.activeElement.id"), "main")
                self.browser.media("print", scheme="dark")
                self.assertEqual(self.browser.run("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
                self.assertEqual(self.browser.run("return [...document.querySelectorAll('#pages, .skip, .filter-line, .hint')].filter(e => e.checkVisibility()).length"), 0)
                self.browser.picture(f"paper-{kind}", whole=True)

    def test_a_fleet_shows_its_rows_by_node(self):
        half = inputs.PLAN.replace("3.1e6 1000 0.002 d2", "1.5e6 1000 0.002 x2")
        for node in ("north", "south", "east"):
            self.ratchet.gate(f"nodes/{node}", "--stored", plan=half, seed=node, codes=(1,))
        self.ratchet.run("gate", "--merge", "nodes", "--nodes", "4", "--results", "fleet", "--history", "history.sqlite", codes=(1,))
        self.open("fleet/report.html")
        self.assertIn("demo/cpu/02_tiled lost 5", self.browser.texts(".banner.state-regression h1")[0])
        self.assertIn("3 of 4 judged", self.browser.texts(".facts dd"))
        self.open("fleet/report.html", "#row=demo%2Fcpu%2F02_tiled")
        self.assertEqual(self.browser.texts(".row-page h2"), ["Reason", "Nodes", "History", "Place in its family", "Commands"])
        with open(self.folder / "fleet/fleet.json", encoding="utf-8") as text:
            nodes = json.load(text)["rows"]["demo/cpu/02_tiled"]["nodes"]
        self.assertEqual(sorted(nodes), ["east", "north", "south"])
        shown = self.browser.texts("[aria-label=Nodes] td")
        self.assertEqual(shown, [cell for name in sorted(nodes) for cell in (name, percent(nodes[name]))])
        self.assertQuiet("fleet/report.html")
        self.ratchet.run("gate", "--merge", "nodes/north", "nodes/south", "--results", "two", "--history", "none")
        self.open("two/report.html")
        self.unfold()
        heads = self.browser.texts("[aria-label='Undecided rows'] thead th")
        self.assertIn("tolerance", heads)
        self.assertNotIn("what would settle it", heads)  # of no row anything is stated
        self.assertAccessible()
        self.assertNothingWider()

    def test_a_selftest_has_its_rates(self):
        record = sorted((inputs.BASELINES / "selftest").glob("*/*.jsonl"))[0]
        self.ratchet.report(record, "selftest.html")
        self.open("selftest.html")
        section = self.model("selftest.html")["sections"][0]
        runs = sum(each["slower"][1] for each in section["alarms"])
        self.assertIn(f"of {runs} runs over unchanged code", self.browser.texts(".banner h1")[0])
        self.assertEqual(len(section["detectable"]), len(self.browser.run(
            "return [...document.querySelectorAll('section:last-of-type tbody tr')]")))
        self.browser.picture("selftest", whole=True)
        self.assertQuiet("selftest.html")
        self.ratchet.report(inputs.BASELINES / "selftest/nvidia-h100/whole.jsonl", "alone.html")
        self.open("alone.html")  # without a busy neighbour
        self.assertEqual(self.browser.texts(".role-legend-label text"), ["alone"])

    def test_a_bisect_names_the_commit(self):
        self.ratchet.report(inputs.RECORDED / "bisect.json", "bisect.html")
        conclusion = json.loads((inputs.RECORDED / "bisect.json").read_text(encoding="utf-8"))["conclusion"]
        step = conclusion["steps"][conclusion["rows"][0]["first_bad"]]
        self.open("bisect.html")
        self.assertIn(f"Commit {step['commit'][:12]} made toy/cpu/01_sum slower by 5.1 %: {step['subject']}",
                      self.browser.texts(".banner h1")[0])
        self.unfold()
        words = self.browser.run("return [...document.querySelectorAll('details tbody tr')].map(r => r.cells[2].textContent)")
        self.assertEqual(words.index("▼ slower"), conclusion["rows"][0]["first_bad"])
        self.assertQuiet("bisect.html")
        self.browser.picture("bisect")

    def test_a_site_has_pages_of_results_history_and_articles(self):
        self.ratchet.run("report", "regression", "-o", "site/", "--history", "history.sqlite", "--baseline-dir", inputs.BASELINES)
        self.open("site/index.html")
        pages = self.browser.run("return data.links.map(l => l.href)")
        self.assertEqual(len(list((self.folder / "site").glob("comparison-*.html"))), 1)
        self.browser.picture("site-index")
        articles = [page for page in pages if page.startswith("article-")]
        for page in pages:
            self.open("site/" + page, plots=page not in articles)
            self.assertQuiet("site/" + page)
            self.assertNothingWider()
            if page in articles:
                self.browser.size(718, 1000)  # A4 within its margins
                self.browser.media("print")
                self.assertNothingWider()
        self.open("site/history.html")
        self.assertEqual(len(self.browser.texts("[aria-label=Series] tbody tr")), 4)
        self.unfold()
        self.browser.picture("site-history", whole=True)
        for page in articles[:1]:  # the tool for other people's programs has none
            self.assertEqual(len(articles), len(list((inputs.BASELINES / "published").glob("*.json"))))
            self.check_article("site/" + page)

    def check_article(self, page):
        """Readable in both schemes and on a phone, with its sources unfolded."""
        papers = set()
        for options in ({}, {"scheme": "dark"}, {"width": 360, "height": 740}):
            self.open(page, plots=False, **options)
            self.unfold()
            self.assertNothingWider()
            self.assertAccessible()
            papers.add(self.browser.run("return getComputedStyle(document.querySelector('figure svg > rect')).fill"))
            self.browser.picture(f"site-article-{len(papers)}")
        self.assertEqual(len(papers), 2, "pictures have the colours of the scheme")
        self.browser.run("document.querySelector('.skip').click()")
        self.assertEqual(self.browser.run("return document.activeElement.id"), "main")

    def test_several_results_share_a_page(self):
        self.ratchet.run("report", "pass", "regression", "-o", "both.html")
        self.open("both.html")
        self.assertEqual(len(self.browser.texts(".overview a")), 2)
        self.browser.run("document.querySelectorAll('.overview a')[1].click()")
        self.browser.wait("document.querySelector('.state-regression')", "the second part was not shown")
        self.assertQuiet("both.html")


if __name__ == "__main__":
    inputs.main()
