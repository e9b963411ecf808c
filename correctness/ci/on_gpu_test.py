"""Tests on a machine with several GPUs: CTest deals them out, and no two share one. The GPUs are made up."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "correctness/support"))
from built import BUILD, ROOT  # noqa: E402

ON_GPU = ROOT / "ci/on-gpu"
# Holds a file of its device's name while it runs, and finds nobody else's there.
TEST = 'mkdir "$1/$CUDA_VISIBLE_DEVICES" && sleep 0.2 && rmdir "$1/$CUDA_VISIBLE_DEVICES" && ' \
       'echo "$CUDA_VISIBLE_DEVICES" >>"$1/seen"'


class OnGpu(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("CTEST_RESOURCE", "CUDA_VISIBLE"))}

    def spec(self, smi=None, visible=None):
        """The specification of a machine whose nvidia-smi prints so, or nothing."""
        tools = self.folder / "tools"
        tools.mkdir(exist_ok=True)
        for name in ["rm", "tr", "sh"]:
            if not (tools / name).exists():
                (tools / name).symlink_to(shutil.which(name))
        (tools / "nvidia-smi").unlink(missing_ok=True)
        if smi is not None:
            (tools / "nvidia-smi").write_text(f"#!/bin/sh\nprintf '{smi}'\n")
            (tools / "nvidia-smi").chmod(0o755)
        environment = {"PATH": str(tools)} | ({"CUDA_VISIBLE_DEVICES": visible} if visible is not None else {})
        file = self.folder / "spec.json"
        done = subprocess.run([ON_GPU, "--spec", file], env=environment, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 0 if file.exists() else 77)
        return json.loads(file.read_text())["local"][0]["gpus"] if file.exists() else None

    def test_the_gpus_of_a_machine_are_written_down(self):
        one_each = [{"id": "0", "slots": 1}, {"id": "1", "slots": 1}, {"id": "2", "slots": 1}]
        self.assertEqual(self.spec(smi="0\\n1\\n2\\n"), one_each)
        self.assertEqual([gpu["id"] for gpu in self.spec(smi="0\\n1\\n2\\n", visible="2,7")], ["2", "7"])
        for nothing in [dict(), dict(smi=""), dict(smi="0\\n"), dict(smi="0\\n1\\n", visible=""),
                        dict(smi="0\\n1\\n", visible="1"), dict(visible="GPU-1,GPU-2")]:
            self.assertIsNone(self.spec(**nothing), nothing)

    def test_no_two_tests_share_one(self):
        self.spec(smi="3\\n5\\n")
        lines = []
        for i in range(8):
            lines += [f'add_test(t{i} "{ON_GPU}" sh -c [==[{TEST}]==] sh "{self.folder}")',
                      f'set_tests_properties(t{i} PROPERTIES RESOURCE_GROUPS "gpus:1")']
        (self.folder / "CTestTestfile.cmake").write_text("\n".join(lines))
        began = time.monotonic()
        done = subprocess.run(["ctest", "-j8", "--resource-spec-file", self.folder / "spec.json"], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertGreaterEqual(time.monotonic() - began, 4 * 0.2)
        self.assertEqual(set((self.folder / "seen").read_text().split()), {"3", "5"})

    def test_without_several_a_test_sees_what_there_is(self):
        for visible in [None, "1"]:
            environment = self.environment | ({"CUDA_VISIBLE_DEVICES": visible} if visible else {})
            done = subprocess.run([ON_GPU, "sh", "-c", 'echo "${CUDA_VISIBLE_DEVICES-none}"; exit 3'], env=environment,
                                  capture_output=True, text=True)
            self.assertEqual((done.stdout, done.returncode), (f"{visible or 'none'}\n", 3))

    def test_tests_of_stages_are_dealt_one(self):
        if not (BUILD / "CTestTestfile.cmake").exists():
            self.skipTest("no build")
        if "RATCHET_HAVE_CUDA" not in (BUILD / "build.ninja").read_text():
            self.skipTest("a build without CUDA")
        # From a folder of its own: to list tests, too, ctest begins the log of its folder anew.
        (self.folder / "CTestTestfile.cmake").write_text(f'subdirs("{BUILD}")\n')
        shown = json.loads(subprocess.run(["ctest", "--show-only=json-v1"], cwd=self.folder, capture_output=True,
                                          text=True).stdout)
        dealt = {test["name"]: test["command"][0] for test in shown["tests"]
                 if any(each["name"] == "RESOURCE_GROUPS" for each in test["properties"])}
        for name in ["life_test_0", "bmn_test_1", "stages_test_0"]:
            self.assertEqual(dealt.get(name), str(ON_GPU), name)
        self.assertNotIn("perf_output_history_test_0", dealt)


if __name__ == "__main__":
    unittest.main()
