"""ci/fleet on a real Slurm of three nodes, all of them this machine: real rows, built once, and one verdict. Skipped
where Slurm is not installed, without root, and where RATCHET_NO_SLURM is set."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("ci", "support")]
import slurm_cluster  # noqa: E402
from built import BUILD, ROOT  # noqa: E402

FLEET = ROOT / "ci/fleet"
NODES = ["node1", "node2", "node3"]
ROW = "life/cpu/04_packed_bits"
PLAIN = f'#!/bin/sh\nexec {BUILD}/perf/ratchet-bench "$@"\n'
# Twice as long on the nodes that the file "slow" names.
SLOWED = f"""#!/bin/sh
for node in $(cat "$(dirname "$0")/slow"); do
  [ "$node" != "$SLURMD_NODENAME" ] || set -- --ratchet_slowdown=1 "$@"
done
exec {BUILD}/perf/ratchet-bench "$@"
"""


def git(folder, *words):
    subprocess.run(["git", "-C", folder, "-c", "user.name=x", "-c", "user.email=x@y", *words], check=True)


class Fleet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = slurm_cluster.Cluster(NODES)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.cluster.folder))
        git(self.folder, "init", "-q")
        self.bench = self.folder / "bench"
        self.bench.write_text(PLAIN)
        self.bench.chmod(0o755)
        git(self.folder, "add", "bench")
        git(self.folder, "commit", "-q", "-m", "as it was")
        # All nodes have to be free of what the test before left.
        self.cluster.wait_for(lambda: not self.cluster.run("squeue", "-h").strip(), "a job stays")

    def command(self, *more, tolerance="0.3", budget="75"):
        # One row in pairs with the revision before, on nodes that share two CPUs: a wide tolerance is soon decided.
        return [FLEET, "--ratchet", BUILD / "perf/ratchet", "--bench", self.bench, "--base", "HEAD", "--build-cmd",
                "true", "--filter", f"^{ROW}$", "--tolerance", tolerance, "--budget-s", budget, "--verify-limit-s", "0",
                "--history", "none", *more]

    def fleet(self, *more, **settings):
        done = subprocess.run(self.command(*more, **settings), env=self.cluster.environment, cwd=self.folder,
                              capture_output=True, text=True, timeout=300)
        self.said = done.stdout + done.stderr
        return done.returncode

    def left(self):
        return json.loads((self.folder / "results/fleet/fleet.json").read_text())

    def slow_on(self, *nodes):
        (self.folder / "slow").write_text(" ".join(nodes))
        self.bench.write_text(SLOWED)

    def test_unchanged_nodes_pass(self):
        self.assertEqual(self.fleet(), 0, self.said)
        self.assertIn("FLEET: 3 of 3 nodes", self.said)
        self.assertEqual([node["name"] for node in self.left()["nodes"]], NODES)
        self.assertEqual(self.left()["rows"][ROW]["identical_work"], True)

    def test_what_is_slower_on_all_nodes_is_a_regression(self):
        self.slow_on(*NODES)
        self.assertEqual(self.fleet("--by-time", tolerance="0.1", budget="30"), 1, self.said)
        self.assertIn("REGRESSION (exit 1): 1 slower", self.said)
        self.assertEqual(len(self.left()["rows"][ROW]["nodes"]), 3)

    def test_one_slow_node_is_named_and_no_regression(self):
        self.slow_on("node2")
        self.assertEqual(self.fleet("--by-time"), 0, self.said)
        self.assertIn("UNDECIDED (exit 0)", self.said)
        self.assertIn(f"node node2 differs: {ROW} ran -", self.said)
        self.assertNotIn("node node1", self.said)
        self.assertNotIn("node node3", self.said)

    def test_a_fleet_that_is_cancelled_says_so(self):
        running = subprocess.Popen(self.command(), env=self.cluster.environment, cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.cluster.wait_for(self.cluster.jobs, "nothing began")
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=30)
        self.assertEqual(running.returncode, 2, said)
        self.assertIn("ratchet: cancelled, job ", said.splitlines()[-1])
        self.cluster.wait_for(lambda: not self.cluster.jobs(), "the job goes on")

    def test_without_slurm_or_a_controller_that_answers(self):
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ["bash", "env", "dirname", "realpath"]:
            (tools / name).symlink_to(shutil.which(name))
        done = subprocess.run(self.command(), env={"PATH": str(tools)}, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (77, 1), done.stderr)
        self.assertIn("there is no Slurm here", done.stderr)
        self.assertEqual(self.fleet("--partition", "none"), 2, self.said)
        self.assertIn("no node is up", self.said)
        self.assertEqual(self.fleet("--partition", "none", "--nodes", "1"), 2, self.said)
        self.assertIn("Slurm takes no such job: ", self.said)
        self.assertEqual(self.fleet("--nodes", "x"), 2, self.said)
        self.assertIn('--nodes is a number, not "x"', self.said)

    def test_z_a_node_that_dies_leaves_a_verdict_of_the_others(self):  # the last, for node3 stays dead
        running = subprocess.Popen(self.command(), env=self.cluster.environment, cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.cluster.wait_for((self.folder / "results/fleet/nodes/node3").exists, "node3 did not begin")
        self.cluster.kill("node3")
        said, _ = running.communicate(timeout=120)
        self.assertEqual(running.returncode, 0, said)
        self.assertRegex(said, "task [0-2] on node3: NODE_FAIL")
        self.assertIn("node node3 is left out: it left no gate.json", said)
        self.assertIn("PARTIAL: 2 of 3 nodes", said)


if __name__ == "__main__":
    reason = "RATCHET_NO_SLURM is set" if os.environ.get("RATCHET_NO_SLURM") else slurm_cluster.why_not()
    if reason:
        print(reason)
        sys.exit(77)
    unittest.main()
