"""Results for the pages under test: of the real program where a run takes a moment, else files as it writes them; and
the test case that opens them in the browser."""
import argparse
import contextlib
import copy
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import chromium

HERE = pathlib.Path(__file__).resolve().parent
WORKER = HERE.parents[2] / "gate" / "data" / "worker.sh"
BASELINES = HERE.parents[4] / "baselines"
# Recorded runs: `ratchet gate --base HEAD` of life's CPU rows with a loop more in life/cpu/04_packed_bits, and
# a `ratchet bisect` of the toy repository of correctness/perf/gate/bisect.
RECORDED = HERE.parent / "data"

PLAN = """demo/cpu/01_naive ok 1e6 1000 0.002 d1
demo/cpu/02_tiled ok 3.1e6 1000 0.002 d2
demo/cpu/03_simd ok 9.7e6 1000 0.003 d3
demo/cpu/04_threads ok 21e6 1000 0.003 d4
demo/cuda/01_port unavailable 1 1 1 d5
"""


class Ratchet:
    """The program under test, in a folder of its own."""

    def __init__(self, program, folder):
        self.program = str(program)
        self.folder = pathlib.Path(folder)

    def git(self, *arguments):
        done = subprocess.run(["git", "-C", self.folder, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *arguments],
                              text=True, capture_output=True, timeout=60, check=True)
        return done.stdout.strip()

    def commit(self, subject):
        """Commits nothing on the branch "topic" of the folder's repository, and returns all digits of that commit."""
        if not (self.folder / ".git").exists():
            self.folder.mkdir(exist_ok=True)
            self.git("init", "-q", "-b", "topic")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")

    def run(self, *arguments, plan=None, codes=(0,), seed="1", **variables):
        """Runs `ratchet` and returns what it says; its exit code must be one of `codes`."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("RATCHET_", "GITHUB_", "CI_"))}
        if plan is not None:
            for old in self.folder.glob("plan*"):
                old.unlink()
            (self.folder / "plan").write_text(plan, encoding="utf-8")
        environment.update(variables, RATCHET_FAKE_PLAN=str(self.folder / "plan"), RATCHET_FAKE_SEED=seed)
        done = subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, env=environment, text=True,
                              capture_output=True, timeout=120, check=False)
        if done.returncode not in codes:
            raise AssertionError(f"{arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def gate(self, results, *arguments, **options):
        (self.folder / "baselines").mkdir(exist_ok=True)
        # A program outside the repository would be of none of its commits.
        return self.run("gate", "--bench", shutil.copy(WORKER, self.folder), "--baseline-dir", "baselines", "--results", results,
                        "--history", "history.sqlite", *arguments, **options)

    def accept(self, results):
        return self.run("accept", "--from", f"{results}/gate.json", "--baseline-dir", "baselines", "--yes",
                        "--uncommitted", "--reason", "a test")

    def compare(self, results, plan_before, plan_now, **options):
        """Two programs side by side, of these plans."""
        for name, plan in (("before", plan_before), ("now", plan_now)):
            for old in self.folder.glob(f"plan_{name}.*"):
                old.unlink()
            (self.folder / f"plan_{name}").write_text(plan, encoding="utf-8")
            script = self.folder / f"{name}.sh"
            script.write_text(f"#!/bin/sh\nRATCHET_FAKE_SEED={name} RATCHET_FAKE_PLAN={self.folder}/plan_{name} "
                              f"exec {WORKER} \"$@\"\n", encoding="utf-8")
            script.chmod(0o755)
        return self.run("compare", "--exec", "./before.sh", "--exec", "./now.sh", "--results", results,
                        "--budget-s", "300", "--history", "history.sqlite", **options)

    def report(self, results, output):
        self.run("report", results, "-o", output, "--history", "history.sqlite")
        return self.folder / output


def rows_of(results):
    """The verdicts of a run, from its gate.json."""
    with open(pathlib.Path(results) / "gate.json", encoding="utf-8") as file:
        return json.load(file)["context"]["ratchet"]["rows"]


def _launches(name, speed, count, generator):
    rows = []
    for i in range(count):
        throughput = speed * (1 + generator.gauss(0, 0.003))
        rows.append({"name": name, "run_name": name, "run_type": "iteration", "repetition_index": i, "repetitions": count,
                     "threads": 1, "iterations": 1, "real_time": 1e6 / throughput, "cpu_time": 1e6 / throughput,
                     "time_unit": "ms", "units": 1000, "units_per_second": throughput, "verified": 1, "one_cpu": 1,
                     "cpu_mhz": 3000 + generator.randrange(900), "steal_percent": generator.choice([0, 0, 0.4])})
    return rows


def write_many(folder, rows=1000, launches=50, slow=500):
    """A run of so many rows, as gate.json and compare_*.json have them, made of seeded noise."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    generator = random.Random(1)
    verdicts, now, base = {}, [], []
    for i in range(rows):
        name = f"family{i % 7}/cpu/{i:04d}_stage/width:{1 << (i % 14)}/height:4096"
        ratio = 0.93 if i == slow else 1 + generator.gauss(0, 0.002)
        verdicts[name] = {"verdict": "slower" if i == slow else "same", "ratio": ratio, "low": ratio - 0.006, "high": ratio + 0.006,
                          "plain_low": ratio - 0.004, "plain_high": ratio + 0.004, "tolerance": 0.01, "detectable": 0.013,
                          "launches": launches, "pair_s": 0.5}
        base += _launches(name, 1e6 * (1 + i), launches, generator)
        now += _launches(name, 1e6 * (1 + i) * ratio, launches, generator)
    context = {"date": "2026-01-01", "caches": [], "cpu.model": "Fake CPU", "cpu.cores": "4"}
    ours = copy.deepcopy(context)
    ours["ratchet"] = {"format": 1, "revision": "0123456789ab", "rows": verdicts}
    for name, content in (("gate.json", {"context": ours, "benchmarks": now}),
                          ("compare_base.json", {"context": context, "benchmarks": base}),
                          ("compare_new.json", {"context": context, "benchmarks": now})):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")


def write_runs(file, folder, count):
    """Copies of a gate.json, each of another hour, commit and branch; returns their folders."""
    content = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    folders = []
    for i in range(count):
        ratchet = content["context"]["ratchet"]
        ratchet["revision"] = f"{i + 1:012x}"
        ratchet["run"]["began"] = f"2026-01-{1 + i // 24:02d}T{i % 24:02d}:00:00.000Z"
        ratchet["run"]["commits"]["now"] |= {"commit": f"{i + 1:040x}", "branch": f"branch-{i}", "subject": f"change number {i}"}
        folders.append(folder / str(i))
        folders[-1].mkdir(parents=True)
        (folders[-1] / "gate.json").write_text(json.dumps(content), encoding="utf-8")
    return folders


def write_history(file, rows=300, runs=200, slow=250):
    """Puts into a history so many rows and runs of seeded noise; one row loses 7 % in the middle."""
    generator = random.Random(2)
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        for table in ("ratchet_launches", "ratchet_rows", "ratchet_runs"):
            database.execute(f"DELETE FROM {table}")

        def insert(table, **values):
            database.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", list(values.values()))

        for run in range(runs):
            commit = {"commit": f"{run + 1:040x}", "subject": f"change number {run}", "author": "Ann", "branch": "trunk",
                      "url": f"https://example.org/commit/{run + 1:040x}"}
            insert("ratchet_runs", id=f"{run:032x}", time=f"2026-01-{1 + run // 24:02d}T{run % 24:02d}:00:00.000Z", revision=f"{run + 1:012x}",
                   machine="fake-4c", fingerprint="{}", fingerprint_hash="f" * 16, mode="base", exit_code=0, rule_version=1,
                   commit_facts=json.dumps(commit))
            for row in range(rows):
                speed = 1e6 * (1 + row) * (1 + generator.gauss(0, 0.004)) * (0.93 if row == slow and run >= runs // 2 else 1)
                insert("ratchet_rows", run_id=f"{run:032x}", name=f"family{row % 7}/cpu/{row:04d}_stage", machine="fake-4c",
                       fingerprint_hash="f" * 16, verdict="same", ratio=1, launches=9, throughput=speed, reason="", code_hash="",
                       measurement=f"{run}-{row}")


HOSTILE = ["<script>alert(1)</script>", "\"]}", "</script><!--", "x/cpu/" + "very_long_" * 90, "größe/cpu/日本語_🚀",
           "عربي/cpu/مرحلة", "a'; $(touch owned) `b`", "&lt;b&gt; <b>bold</b> <img src=x onerror=alert(1)>"]


def write_hostile(source, folder):
    """The results in `source` with names and texts that break what takes them for markup."""
    source, folder = pathlib.Path(source), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    old = sorted(rows_of(source))
    new = dict(zip(old, HOSTILE, strict=False))
    for name in ("gate.json", "compare_base.json", "compare_new.json"):
        content = json.loads((source / name).read_text(encoding="utf-8"))
        content["benchmarks"] = [{**row, "name": new[row["name"]], "run_name": new[row["name"]]}
                                 for row in content["benchmarks"] if row["name"] in new]
        ratchet = content["context"].get("ratchet")
        if ratchet:
            template = next(row for row in ratchet["rows"].values() if "ratio" in row)
            ratchet["rows"] = {new.get(row, row): entry for row, entry in ratchet["rows"].items()}
            for hostile in HOSTILE:
                ratchet["rows"].setdefault(hostile, {**template, "reason": hostile, "reasons": [hostile] * 2, "listing": [hostile]})
            ratchet["run"]["note"] = HOSTILE
            ratchet["run"]["against"] = HOSTILE[0]
            ratchet["run"]["doctor"] = [{"check": text, "state": "hurts", "found": text, "effect": text, "fix": text} for text in HOSTILE]
        (folder / name).write_text(json.dumps(content), encoding="utf-8")


# The test case.

OPTIONS = argparse.Namespace()
SIZES = ((390, 844), (1280, 800))
# Every plot that is in sight has its drawing.
DRAWN = """(() => {
  const seen = (e) => { const r = e.getBoundingClientRect(); return r.bottom > 0 && r.top < innerHeight && e.checkVisibility(); };
  const tables = [...document.querySelectorAll('.rows:not(.without-forest)')].filter(seen);
  return tables.every((t) => t.parentElement.querySelector('.overlay svg')) &&
    [...document.querySelectorAll('.plot')].filter(seen).every((p) => p.querySelector('svg'));
})()""".replace("\n", " ")


def percent(ratio):
    """A change as the page writes it."""
    change = (ratio - 1) * 100
    digits = 2 if abs(change) < 1 else 1 if abs(change) < 100 else 0
    size = f"{abs(change):.{digits}f}"
    return ("±" if float(size) == 0 else "\u2212" if change < 0 else "+") + size + " %"


class PageTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.ratchet = Ratchet(pathlib.Path(OPTIONS.ratchet).resolve(), cls.folder)
        cls.browser = chromium.Browser(OPTIONS.artifacts)
        cls.slower = PLAN.replace("3.1e6 1000 0.002 d2", "2.945e6 1000 0.002 x2").replace("9.7e6 1000 0.003 d3", "9.7e6 1000 0.003 x3")
        cls.ratchet.gate("first", plan=PLAN)
        cls.ratchet.accept("first")
        cls.said = cls.ratchet.gate("pass", plan=PLAN, seed="2")
        cls.ratchet.compare("regression", PLAN, cls.slower, codes=(1,))

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.scratch.cleanup()

    def open(self, file, fragment="", plots=True, **options):
        self.browser.open(self.folder / file, fragment, **options)
        if plots and self.has_plots():
            self.browser.wait(DRAWN, "what is in sight was not drawn")

    def unfold(self):
        """Opens what is folded, and what is folded within."""
        self.browser.wait("(() => { const all = [...document.querySelectorAll('details')]; all.forEach(d => d.open = true);"
                          "return all.every(d => d.querySelector('.fold').hasChildNodes()); })()", "a fold stayed empty")

    def has_plots(self):
        return self.browser.run("return data.plots")

    def model(self, file):
        """The data of a page as it lies in it."""
        text = (self.folder / file).read_text(encoding="utf-8")
        begin = text.index('<script type="application/json" id="data">') + len('<script type="application/json" id="data">')
        return json.loads(text[begin:text.index("</script>", begin)])

    def assertQuiet(self, file):
        """Nothing was asked for but the page itself, and the console is empty."""
        self.assertEqual([url.split("#")[0] for url in self.browser.requests() if not url.startswith("about:")],
                         ["file://" + str(self.folder / file)])
        self.assertEqual(self.browser.complaints(), [])

    def assertAccessible(self):
        self.assertEqual(self.browser.violations(), [])

    def assertNothingWider(self):
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth - innerWidth"), 0)

    def assertPlotsFit(self):
        """Every plot is drawn, within its column, and says what it shows to who sees none."""
        self.browser.wait("[...document.querySelectorAll('.plot')].every(p => p.querySelector('svg'))", "a plot was not drawn")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.plot')].filter(p => p.querySelector('svg').getBoundingClientRect().right > "
                                          "p.getBoundingClientRect().right + 1).map(p => p.getAttribute('aria-label'))"), [])
        captions = self.browser.run("return [...document.querySelectorAll('.plot')].map(p => [p.getAttribute('role'), p.getAttribute('aria-label'), "
                                    "p.closest('figure').querySelector('figcaption').textContent])")
        for role, label, caption in captions:
            self.assertEqual((role, label), ("img", caption))

    def assertScrollIsSaid(self):
        """No column is out of sight without a line that says so."""
        silent = ("[...document.querySelectorAll('.scroll')].filter(s => s.checkVisibility() && s.querySelector(':scope > table') && "
                  "(s.scrollWidth > s.clientWidth + 1) === s.previousElementSibling.hidden).map(s => s.getAttribute('aria-label'))")
        self.browser.wait(f"{silent}.length === 0", "a table scrolls sideways without saying so, or says so without")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ratchet", required=True)
    parser.add_argument("--artifacts", required=True)
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    if chromium.missing():
        print("skipped:", chromium.missing())
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
