"""survey of ci/lab: rows in launches, disturbed ones made again or kept as such. The program is made up."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Writes a launch of each row that the filter selects; row "busy" is disturbed in its first two
# launches, "shared" in all. Counts its launches by row in the file "seen", and launches nothing that no
# check vouched for, with "own_check" what one did; from launch "last" on it fails.
BENCH = '''#!/usr/bin/env python3
import json, pathlib, re, sys
options = dict(each.lstrip("-").split("=", 1) for each in sys.argv[1:] if "=" in each)
folder = pathlib.Path(__file__).parent
rows = ["a/cpu/01/n:1", "a/cpu/busy", "a/cpu/shared"]
names = [name for name in rows if re.search(options["benchmark_filter"], name)]
if "--benchmark_list_tests" in sys.argv:
    print("\\n".join(names))
    sys.exit()
for what in ["check_only", "verify_in_situ"]:
    if f"--ratchet_{what}" in sys.argv:
        print(what, *names)
        sys.exit()
proofs = pathlib.Path(options["ratchet_verified"]).read_text() if "ratchet_verified" in options else None
seen = json.loads((folder / "seen").read_text())
wanted = "".join(f"check_only {row}\\nverify_in_situ {row}\\n" for row in rows)
if proofs != (None if "own_check" in options else wanted) or seen.get("a/cpu/shared", 0) >= int(options.get("last", 9)):
    sys.exit(1)
rows = []
for name in names:
    seen[name] = seen.get(name, 0) + 1
    kept = name.endswith("shared") or name.endswith("busy") and seen[name] <= 2
    rows.append({"name": name, "repetition_index": 0, "real_time": seen[name], "preempted_kept": int(kept)})
(folder / "seen").write_text(json.dumps(seen))
pathlib.Path(options["benchmark_out"]).write_text(json.dumps(
    {"context": {"launch": seen, "host_name": "x", "executable": "y", "ratchet.revision": "new"}, "benchmarks": rows}))
sys.exit(int(options.get("fail", 0)))
'''


class Survey(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.bench = self.folder / "bench"
        self.bench.write_text(BENCH)
        self.bench.chmod(0o755)
        (self.folder / "seen").write_text("{}")
        self.out = self.folder / "out.json"

    def survey(self, *more, code=0):
        done = subprocess.run([sys.executable, ROOT / "ci/lab", "survey", self.out, "^a/", "--bench", self.bench,
                               *more], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def launches(self, name):
        rows = json.loads(self.out.read_text())["benchmarks"]
        return [(row["repetition_index"], row["real_time"], row["repetitions"]) for row in rows if row["name"] == name]

    def test_rows_have_launches_and_disturbed_ones_are_made_again(self):
        self.survey()
        self.assertEqual(self.launches("a/cpu/01/n:1"), [(0, 1, 3), (1, 2, 3), (2, 3, 3)])
        self.assertEqual(self.launches("a/cpu/busy"), [(0, 3, 3), (1, 4, 3), (2, 5, 3)], "the first two were disturbed")
        self.assertEqual(self.launches("a/cpu/shared"), [(0, 1, 3), (1, 2, 3), (2, 3, 3)], "there are no others")
        lines = self.out.read_text().splitlines()
        self.assertEqual(sum('"name":"a/' in line for line in lines), 9, "one launch a line")
        seen = json.loads((self.folder / "seen").read_text())
        self.assertEqual(seen, {"a/cpu/01/n:1": 3, "a/cpu/busy": 5, "a/cpu/shared": 6}, "only what lacks launches")

    def test_a_survey_that_is_cut_short_leaves_what_it_has(self):
        self.survey("--last=2", code=2)
        self.assertEqual(self.launches("a/cpu/01/n:1"), [(0, 1, 2), (1, 2, 2)])
        self.assertEqual(self.launches("a/cpu/busy"), [(0, 1, 2), (1, 2, 2)])

    def test_one_launch_checks_for_itself(self):
        self.survey("--launches=1", "--again=0", "--own_check=1")
        self.assertEqual(self.launches("a/cpu/01/n:1"), [(0, 1, 1)])
        self.survey("--launches=2", "--own_check=1", code=2)

    def test_what_was_measured_takes_the_place_of_stored_rows(self):
        """Of which one is a point that its stage no longer has, and two are of stages that cannot run here."""
        stored = self.folder / "stored.json"
        old = [{"name": name, "real_time": 7, **more} for name, more in
               [("a/cpu/02", {}), ("a/cpu/01/n:2", {}), ("a/cpu/busy", {}), ("a/cpu/03", {"revision": "oldest"})]]
        stored.write_text(json.dumps({"context": {"ratchet.revision": "old"}, "benchmarks": old}))
        self.survey("--into", stored)
        merged = json.loads(stored.read_text())
        self.assertEqual([(row["name"], row["revision"]) for row in merged["benchmarks"]],
                         [("a/cpu/02", "old")] + 3 * [("a/cpu/busy", "new")] + [("a/cpu/03", "oldest")] +
                         3 * [("a/cpu/01/n:1", "new")] + 3 * [("a/cpu/shared", "new")])
        self.assertEqual([row["real_time"] for row in merged["benchmarks"]][:4], [7, 3, 4, 5])
        self.assertEqual(set(merged["context"]), {"launch", "ratchet.revision"}, "no host, no path")
        (self.folder / "seen").write_text("{}")
        new = self.folder / "new.json"
        self.survey("--into", new)
        self.assertEqual({row["revision"] for row in json.loads(new.read_text())["benchmarks"]}, {"new"})

    def test_a_failed_launch_leaves_the_file_alone(self):
        self.out.write_text("stored")
        self.assertIn("ended with 1", self.survey("--fail=1", code=2))
        self.survey("--fail=77", code=77)
        self.assertEqual(self.out.read_text(), "stored")


if __name__ == "__main__":
    unittest.main()
