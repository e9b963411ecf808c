"""ci/harmless-edits, ci/planted-slowdowns and ci/planted-on-gpu: what they edit is still there. What comes of it, they measure."""
import importlib.machinery
import importlib.util
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def script(name):
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT / "ci"))
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(ROOT / "ci" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class EditsFit(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.tree = pathlib.Path(holder.name)
        for folder in ("kernels", "perf", "baselines"):
            shutil.copytree(ROOT / folder, self.tree / folder)

    def check(self, edits):
        self.assertGreater(len(edits), 5)
        for name, edit in edits.items():
            with self.subTest(name):
                edit(self.tree)  # raises Misfit

    def test_harmless_edits(self):
        self.check(script("harmless-edits").EDITS)

    def test_planted_slowdowns(self):
        self.check(script("planted-slowdowns").SLOWDOWNS)

    def test_planted_on_gpu(self):
        self.check(script("planted-on-gpu").SLOWDOWNS)

    def test_shared_headers(self):
        script("planted-slowdowns").share(self.tree)  # raises Misfit


if __name__ == "__main__":
    unittest.main()
