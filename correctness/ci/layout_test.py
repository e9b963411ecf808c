"""Every JSON file below baselines/ is laid out for a diff, and ci/lab writes that layout."""
import json
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ci"))
from lab import layout  # noqa: E402


def spread(text):
    """Lines on which an element of a list, or a list of plain values, begins that goes on in the next line."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    innermost = re.finditer(r"[\[,]\s*\{([^{}\[\]]*)\}|\[([^{}\[\]]*)\]", bare)
    return [bare[:found.start()].count("\n") + 1 for found in innermost if "\n" in (found[1] or found[2] or "").strip()]


class Layout(unittest.TestCase):
    def test_stored_files_have_a_launch_a_line(self):
        files = sorted((ROOT / "baselines").rglob("*.json"))
        self.assertGreater(len(files), 50)
        self.assertEqual({str(file.relative_to(ROOT)): spread(file.read_text())[:3] for file in files
                          if spread(file.read_text())}, {})

    def test_files_of_launches_are_as_the_writers_write_them(self):
        """Down to the spaces; a number may be written in another way."""
        def words(text):
            return re.sub(r"(?<![\w\"])-?[0-9][0-9.eE+-]*", "0", text)

        for file in sorted((ROOT / "baselines").rglob("*.json")):
            content = json.loads(file.read_text())
            if "benchmarks" in content:
                self.assertEqual(words(file.read_text()), words(layout.text(content)), file)

    def test_one_key_a_line_is_found(self):
        self.assertEqual(spread('{"a": [\n  {"b": 1},\n  {"b": "}, {\\"c\\n"}\n]}'), [])
        self.assertEqual(spread('{"a": [\n  {\n    "b": 1,\n    "c": 2\n  }\n]}'), [1])
        self.assertEqual(spread('{"a": [\n  1,\n  2\n]}'), [1])

    def test_what_is_written_reads_the_same(self):
        content = {"context": {"caches": [{"level": 1}, {"level": 2}], "load_avg": [1.5, 2], "none": {}, "text": "é\n"},
                   "benchmarks": [{"name": "a/cpu/01", "real_time": 1e-7}, {"name": "a/cpu/02"}]}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "a.json"
            layout.write(file, content)
            self.assertEqual(json.loads(file.read_text()), content)
            self.assertEqual(spread(file.read_text()), [])
            self.assertIn('\n    {"name":"a/cpu/02"}\n', file.read_text())


if __name__ == "__main__":
    unittest.main()
