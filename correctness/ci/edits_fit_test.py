"""The sources still have what harmless-edits, injected-slowdowns, injected-on-gpu and bisect-check of ci/lab edit.
What comes of the edits, these measure."""
import itertools
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "ci"))
from lab import bisect_check, harmless_edits, injected_on_gpu, injected_slowdowns, sources  # noqa: E402


class EditsFit(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.tree = pathlib.Path(holder.name)
        for folder in ("kernels", "perf", "baselines"):
            shutil.copytree(ROOT / folder, self.tree / folder)
        (self.tree / "correctness/graveler").mkdir(parents=True)
        shutil.copy(ROOT / "README.md", self.tree)

    def check(self, edits):
        self.assertGreater(len(edits), 5)
        for name, edit in edits.items():
            with self.subTest(name):
                edit(self.tree)  # raises Misfit

    def test_harmless_edits(self):
        self.check(harmless_edits.EDITS)

    def test_injected_slowdowns(self):
        self.check(injected_slowdowns.SLOWDOWNS)

    def test_injected_on_gpu(self):
        self.check(injected_on_gpu.SLOWDOWNS)

    def test_shared_headers(self):
        injected_slowdowns.share(self.tree)  # raises Misfit

    def test_bisect_check(self):
        numbers = itertools.count()
        for stage in bisect_check.STAGES:
            path = f"kernels/graveler/cpu_{stage}.cpp"
            for kind in ("text", "test", "remark", "other stage", "same stage"):
                bisect_check.harmless(self.tree, path, next(numbers), kind)
            bisect_check.plant(self.tree, path, 0.05)


class Edits(unittest.TestCase):
    """The mechanism itself, on a file of its own."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.tree = pathlib.Path(holder.name)
        (self.tree / "file").write_text("one two two")

    def text(self):
        return (self.tree / "file").read_text()

    def test_what_occurs_once_is_replaced(self):
        sources.instead("file", ("one", "1"))(self.tree)
        self.assertEqual(self.text(), "1 two two")

    def test_what_does_not_fit_is_a_misfit_and_changes_nothing(self):
        for path, change in (("file", ("two", "2")), ("file", ("three", "3")), ("file", ("one", "one")),
                             ("gone", ("one", "1"))):
            with self.assertRaises(sources.Misfit):
                sources.instead(path, change)(self.tree)
        self.assertEqual(self.text(), "one two two")

    def test_a_change_for_now_is_undone_even_where_what_it_was_for_fails(self):
        with self.assertRaises(ZeroDivisionError):
            with sources.changed_for_now(self.tree, "file", sources.replaced("file", ("one", "1"))):
                self.assertEqual(self.text(), "1 two two")
                raise ZeroDivisionError
        self.assertEqual(self.text(), "one two two")


if __name__ == "__main__":
    unittest.main()
