"""The pages speak the field's terms: no word that was given up, a guide of short pages, a short glossary."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = sorted((ROOT / "perf/guide").glob("*.md"))
PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES += [ROOT / folder / "README.md" for folder in ("baselines", "ci", "correctness", "reference")]
PAGES += sorted(page for folder in ("kernels", "perf") for page in (ROOT / folder).rglob("*.md"))
# What pages said, and what the field says. Identifiers, options and keys stand in `code` and are left alone.
BANNED = {
    r"(first|next|further|later|plan of|all its) looks?\b|\blooks\b(?! (for|at|like))": "interim analyses",
    r"alarm intervals?\b": "simultaneous interval",
    r"plain intervals?\b": "per-comparison interval",
    r"(in|by|takes?|taking) turns\b": "interleaved",
    r"lanes of (pairs|rows)|gate's lanes": "workers",
    r"beside\b": "against, next to, concurrently, with",
    r"at (its|the|their|this) (very )?points?\b": "configuration, in-situ check",
    r"displaced": "preempted",
    r"ballast|planted (slow|half|per)|slowdowns? planted": "injected slowdown",
    r"yardstick|reference workload": "control workload",
    r"evidence": "static metrics",
    r"ceilings?": "machine peaks",
    r"warden|laborator(y|ies)|patience|seats|laps|stood still": "say what it is",
    r"nobody|whoever": "say who",
    r"what is no\b|of now\b|of before\b": "say which",
    r"in the middle [-+±]": "median",
    r"(the|a|its|their) text's|(the|a|its) text (has|says|tells|prints|leaves)": "the article's",
}


def prose(text):
    """Without code, comments, quotations and where links lead; every line in its place."""
    def blank(match):
        return "\n" * match.group().count("\n")
    text = re.sub(r"^ *```.*?^ *```$|<!--.*?-->", blank, text, flags=re.M | re.S)
    text = re.sub(r"(?<=\n\n)(    .*\n)+", blank, text)
    return re.sub(r"`[^`]*`|\"[^\"\n]*\"|(?<=\])\([^)]*\)", blank, text)


def banned(text):
    """(line, word, what to say) of each banned word in a page, also one that a line's end cuts in two."""
    plain = prose(text)
    for word, say in BANNED.items():
        for match in re.finditer(r"\b(?:" + word.replace(" ", r"\s+") + ")", plain, re.I):
            yield plain.count("\n", 0, match.start()) + 1, match.group(), say


class Words(unittest.TestCase):
    def test_no_page_says_what_is_banned(self):
        found = [f"{page.relative_to(ROOT)}:{line}: \"{word}\": {say}"
                 for page in PAGES for line, word, say in banned(page.read_text())]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_each_banned_word_is_seen(self):
        for text in ("its next look", "The alarm\ninterval", "plain intervals", "They take turns.", "beside it",
                     "at its very point", "displaced", "the ballast", "yardstick", "evidence", "the ceiling", "warden",
                     "Nobody", "what is no stage", "in the middle -3 %", "the text's kernel"):
            self.assertEqual(len(list(banned(text))), 1, text)
        for text in ("`--displaced`", "```\nbeside\n```\n", "look at the reason", "[a](beside.md)", "<!-- beside -->",
                     "\n\n    beside\n", "\"beside\""):
            self.assertEqual(list(banned(text)), [], text)
        self.assertEqual([line for line, *_ in banned("a\n\n```\nb\n```\nbeside\n")], [6])

    def test_pages_of_the_guide_are_short(self):
        self.assertGreater(len(GUIDE), 12)
        for page in GUIDE:  # of the evaluation and of lists of counters the tables are the content
            words = len(re.sub(r"^\|.*", "", prose(page.read_text()), flags=re.M).split())
            self.assertLess(words, 1500, page.name)
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), 180)

    def test_the_glossary_is_short_and_in_order(self):
        terms = re.findall(r"^\| ([^|]+) \|", (ROOT / "perf/guide/glossary.md").read_text(), re.M)[1:]
        self.assertGreater(len(terms), 20)
        self.assertLessEqual(len(terms), 40)
        self.assertEqual(terms, sorted(terms))


if __name__ == "__main__":
    unittest.main()
