"""Ranks that srun starts on a real Slurm of three nodes, all of them this machine. Skipped where Slurm, its PMIx or MPI
is not installed, without root, and where RATCHET_NO_SLURM is set."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("ci", "support")]
import slurm_cluster  # noqa: E402
from built import BUILD  # noqa: E402

FAULTY = BUILD / "correctness/faulty_ranks"
BENCH = BUILD / "perf/ratchet-bench"
NODES = ["node1", "node2", "node3"]
ROW = "graveler/mpi/01_shards/battles:100000/ranks:2"


def why_not():
    if os.environ.get("RATCHET_NO_SLURM"):
        return "RATCHET_NO_SLURM is set"
    if reason := slurm_cluster.why_not():
        return reason
    if not (BUILD / "lib/libratchet_ranks.so").exists():
        return "built without MPI; install libopenmpi-dev, and build again"
    return ""


class Srun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = slurm_cluster.Cluster(NODES)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()
        if "pmix" not in cls.srun("--mpi=list").stdout.split():
            raise unittest.SkipTest("this Slurm has no plugin for PMIx, by which Open MPI knows its ranks")

    @classmethod
    def srun(cls, *words, limit_s=100):
        # No rank but one that hangs may be taken for that, however long it waits for a CPU.
        environment = dict(cls.cluster.environment, RATCHET_RANK_LIMIT_S=str(limit_s))
        return subprocess.run(["srun", *words], env=environment, cwd=cls.cluster.folder, capture_output=True, text=True,
                              timeout=300)

    def ranks(self, count, *words, limit_s=100):
        return self.srun("--mpi=pmix", f"-n{count}", *words, limit_s=limit_s)

    def expect_over(self):
        """No process of the job lives on."""
        self.cluster.wait_for(lambda: not self.cluster.jobs(), "processes are left")

    def test_ranks_on_nodes_of_their_own_add_up(self):
        for count in 2, 3:
            done = self.ranks(count, FAULTY, "none")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, f"sum {count * (count + 1) // 2}\n" * 2)

    def test_several_ranks_of_a_node_add_up(self):
        done = self.ranks(3, "-N1", "--overcommit", FAULTY, "none")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "sum 6\nsum 6\n")

    def test_a_row_of_two_ranks_is_measured(self):
        out = self.cluster.folder / "row.json"
        done = self.ranks(2, BENCH, f"--benchmark_filter=^{ROW}$", "--ratchet_set=battles=100000",
                          "--ratchet_budget_s=0.3", f"--benchmark_out={out}")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(out.read_text())["benchmarks"]
        self.assertEqual([(row["name"], row["ranks"], row["verified"]) for row in rows], [(ROW, 2, 1)])

    def test_a_rank_that_fails_is_named_and_ends_the_step(self):
        done = self.ranks(2, FAULTY, "throws")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("ratchet: rank 1 on ", done.stderr)
        self.assertIn("in a run of toy/mpi/01_sum: a fault on purpose", done.stderr)
        self.expect_over()

    def test_a_killed_rank_is_named_by_its_node(self):
        done = self.ranks(2, "--kill-on-bad-exit", FAULTY, "killed")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("node2: task 1: Killed", done.stderr)
        self.expect_over()
        # Without it the others wait for the dead rank as for one that hangs.
        done = self.ranks(2, FAULTY, "killed", limit_s=4)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("rank 1 on ", done.stderr)
        self.assertIn("hangs: the others have waited 4 s for it", done.stderr)
        self.expect_over()

    def test_without_pmix_tasks_are_no_ranks(self):
        done = self.srun("--mpi=none", "-n2", FAULTY, "none")
        self.assertEqual(done.stdout, "sum 1\n" * 4)
        done = self.srun("--mpi=none", "-n2", BENCH, f"--benchmark_filter=^{ROW}$", "--ratchet_set=battles=100000")
        self.assertIn("it takes 2 ranks, and this job has 1", done.stderr)


if __name__ == "__main__":
    if reason := why_not():
        print(reason)
        sys.exit(77)
    unittest.main()
