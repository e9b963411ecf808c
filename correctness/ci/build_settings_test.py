"""build-settings of ci/lab: what it keeps of comparisons, and what it refuses. ratchet and the programs are made up."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "correctness/support"))
from built import BUILD, ROOT  # noqa: E402

# Lists two stages, of which "native" has the first alone.
PROGRAM = """#!/usr/bin/env python3
import pathlib, sys
rows = ["g/cpu/01_a", "g/cpu/02_b"]
print("\\n".join(rows[:1] if pathlib.Path(sys.argv[0]).name == "native" else rows))
"""
# Leaves the results of a comparison: of the rows of --filter, what "answer.json" says of each.
RATCHET = """#!/usr/bin/env python3
import json, pathlib, re, sys
options = dict(zip(sys.argv, sys.argv[1:]))
answer = json.loads((pathlib.Path(__file__).parent / "answer.json").read_text())
assert pathlib.Path(options["--exec"]).name in ("lto", "one_unit", "native", "all_three"), "the last is the changed one"
names = [name for name in ["g/cpu/01_a", "g/cpu/02_b"] if re.search(options["--filter"], name)]
rows = {name: {"verdict": "slower", "ratio": 0.9, "plain_low": 0.88, "plain_high": 0.92, "reasons": ["/here"],
               **answer["row"]} for name in names}
launches = [{"name": name, "run_name": name, "preempted_kept": kept} for name in names for kept in answer["kept"]]
about = {"format": 1, "revision": answer["revision"], "rows": rows, "run": {"against": "/here"}}
context = {"date": "today", "ratchet": about}
(pathlib.Path(options["--results"]) / "gate.json").write_text(json.dumps({"context": context, "benchmarks": launches}))
sys.exit(answer["code"])
"""


class BuildSettings(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        for name in ("plain", "lto", "one_unit", "native", "all_three"):
            self.program(name, PROGRAM)
        self.program("ratchet", RATCHET)
        self.out = self.folder / "out.json"
        self.out.write_text("before")

    def program(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def measure(self, *more, exit_code=0, **answer):
        answer = {"row": {}, "kept": [0, 1], "revision": "abc", "code": 1, **answer}
        (self.folder / "answer.json").write_text(json.dumps(answer))
        done = subprocess.run([sys.executable, ROOT / "ci/lab", "build-settings", self.out, "--programs", self.folder,
                               "--ratchet", self.folder / "ratchet", *more], capture_output=True, text=True)
        self.assertEqual(done.returncode, exit_code, done.stderr)
        return done.stderr

    def rows(self):
        return json.loads(self.out.read_text())["context"]["ratchet"]["rows"]

    def test_every_setting_has_the_rows_of_its_program(self):
        self.measure()
        names = [f"g/cpu/{stage}/build:{setting}" for stage, setting in (
            ("01_a", "all_three"), ("01_a", "lto"), ("01_a", "native"), ("01_a", "one_unit"),
            ("02_b", "all_three"), ("02_b", "lto"), ("02_b", "one_unit"))]
        self.assertEqual(sorted(self.rows()), names)
        row = self.rows()[names[0]]
        self.assertEqual((row["verdict"], row["ratio"], row["low"], row["high"]), ("slower", 0.9, 0.88, 0.92))
        self.assertEqual(json.loads(self.out.read_text())["benchmarks"], [], "launches of pairs are no figures")
        self.assertNotIn("/here", self.out.read_text(), "nothing names files of this machine")

    def test_an_interval_that_decided_goes_before_the_rows_own(self):
        self.measure("--only", "lto", row={"low": 0.8, "high": 0.95})
        self.assertEqual({name: (row["low"], row["high"]) for name, row in self.rows().items()},
                         {"g/cpu/01_a/build:lto": (0.8, 0.95), "g/cpu/02_b/build:lto": (0.8, 0.95)})

    def test_what_would_have_to_be_flagged_is_not_stored(self):
        self.assertIn("preempted in every launch", self.measure(kept=[1, 1], exit_code=3))
        self.assertIn("too few pairs", self.measure(row={"plain_low": None}, exit_code=3))
        self.assertIn("ended with 2", self.measure(code=2, exit_code=2))
        self.assertIn("commit first", self.measure(revision="abc-dirty", exit_code=2))
        self.assertIn("invalid choice: 'O4'", self.measure("--only", "O4", exit_code=2))
        (self.folder / "lto").unlink()
        self.assertIn("lto", self.measure(exit_code=2))
        (self.folder / "ratchet").unlink()
        self.assertIn("build it with ci/build ratchet", self.measure(exit_code=2))
        self.assertEqual(self.out.read_text(), "before")


class OneUnit(unittest.TestCase):
    """The programs are not built here, which takes minutes."""

    def test_holds_every_stage_that_it_can_and_compiles(self):
        if not shutil.which("ninja"):
            self.skipTest("no ninja")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cmake", "-S", ROOT / "ci/lab/profile_settings", "-B", folder, "-G", "Ninja",
                            "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], check=True, capture_output=True)
            compiled = {}
            for entry in json.loads((pathlib.Path(folder) / "compile_commands.json").read_text()):
                target = re.search(r"CMakeFiles/(\w+)\.dir/unit", entry["command"])
                if target:
                    text = pathlib.Path(entry["file"]).read_text()
                    compiled[target[1]] = re.findall(r'name = "graveler/cpu/(\d\d)', text)
                    done = subprocess.run(entry["command"] + " -fsyntax-only", shell=True, cwd=entry["directory"],
                                          capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr[:2000])
        stages = {path.name[4:6] for path in ROOT.glob("kernels/graveler/cpu_0[1-8]_*.cpp")} - {"07"}
        self.assertEqual(compiled, {"one_unit": sorted(stages), "all_three": sorted(stages - {"04", "06"})})


class BattleLoops(unittest.TestCase):
    """What the text's `panic = "abort"` would remove from the loops that are timed."""

    def test_have_no_path_of_unwinding(self):
        objects = list(BUILD.glob("kernels/CMakeFiles/ratchet_kernels_graveler.dir/graveler/cpu_0[1-8]_*.o"))
        if not objects:
            self.skipTest("no build")
        for file in objects:
            sections = subprocess.run(["readelf", "-SW", file], capture_output=True, text=True, check=True).stdout
            self.assertRegex(sections, r" \.text\S*max_ones", f"{file.name} has its loop in a section of its own")
            self.assertNotRegex(sections, r"gcc_except_table\S*max_ones",
                                f"{file.name} catches or cleans up in its loop")


if __name__ == "__main__":
    unittest.main()
