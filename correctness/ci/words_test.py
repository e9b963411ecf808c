"""Pages and messages use the field's terms: no banned word, a guide of short pages, a short glossary.
With --messages it prints every message of the programs, to be read in one sitting."""
import ast
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = sorted((ROOT / "perf/guide").glob("*.md"))
PAGES = [ROOT / name for name in ("README.md", "AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES += [ROOT / folder / "README.md" for folder in ("baselines", "ci", "correctness", "reference",
                                                    "correctness/perf/gate/data/figures", "correctness/rivals")]
PAGES += sorted(page for folder in ("kernels", "perf") for page in (ROOT / folder).rglob("*.md"))
CODE = sorted(path for folder in ("perf", "kernels", "reference", "ci")
              for path in (ROOT / folder).rglob("*")
              if path.is_file() and "examples" not in path.parts and "__pycache__" not in path.parts)
# What was said, and what the field says. Identifiers, options and keys stand in `code` and are left alone.
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

# A family's stages: their strings are part of their digests, so a change for its word alone costs a measurement.
STAGE = re.compile(r"kernels/(?!contract|support)\w+/((\w+/)?\w+\.(cu|cuh)|c\w+\.cpp)$")

# Said in messages only: a sentence of the field for each.
BANNED_IN_MESSAGES = BANNED | {
    r"(?<!there\s)is no (?!longer|more|less|other|need|stage of)": "is not a ...",
    r"(that|which) is none\b": "say what it is instead",
    r"heeds?\b": "accept, follow",
    r"in vain": "failed",
    r"passed over": "skipped",
    r"held against": "compared with",
    r"all the same$": "anyway, the same",
    r"no end within": "did not finish within",
    r"knows no\b": "has no",
    r"(lets|it) tell\b": "report, state",
}


def prose(text):
    """Without code, comments, quotations and where links lead; every line in its place."""
    def blank(match):
        return "\n" * match.group().count("\n")
    text = re.sub(r"^ *```.*?^ *```$|<!--.*?-->", blank, text, flags=re.M | re.S)
    text = re.sub(r"(?<=\n\n)(    .*\n)+", blank, text)
    return re.sub(r"`[^`]*`|\"[^\"\n]*\"|(?<=\])\([^)]*\)", blank, text)


def banned(text, words=None):
    """(line, word, what to say) of each banned word in a page, also one that a line's end cuts in two."""
    plain = prose(text)
    for word, say in (words or BANNED).items():
        for match in re.finditer(r"\b(?:" + word.replace(" ", r"\s+") + ")", plain, re.I):
            yield plain.count("\n", 0, match.start()) + 1, match.group(), say


# A comment, a character, or a string of C++ and JavaScript.
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|(?<!\w)'(?:\\.|[^'\\\n])'|R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)\"|"""
                   r""""(?P<text>(?:\\.|[^"\\\n])*)"|"""
                   r"""(?P<quote>['`])(?P<script>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)""", re.S)
OPERATOR = re.compile(r"\)?\s*(\+|<<)[^;\"]*(\+|<<)\s*(std::string\()?")
SENTENCE = re.compile(r"[A-Za-z]{2,}[^A-Za-z]* [^A-Za-z]*[A-Za-z]{2,}")  # two words


def of_program(text):
    """(line, string) of C++ and JavaScript. Neighbours are joined, and "{}" stands for what is put between them."""
    found, end = [], 0
    for match in TOKEN.finditer(text):
        string = next((match[name] for name in ("raw", "text", "script") if match[name] is not None), None)
        line_start = text.rfind("\n", 0, match.start()) + 1
        if string is None or text.startswith("#include", line_start):
            continue
        between = re.sub(r"//[^\n]*|/\*.*?\*/", "", text[end:match.start()], flags=re.S)
        if found and not between.strip():
            found[-1][1] += string
        elif found and OPERATOR.fullmatch(between):
            found[-1][1] += "{}" + string
        else:
            found.append([text.count("\n", 0, match.start()) + 1, string])
        end = match.end()
    return [(line, string.replace('\\"', '"')) for line, string in found]


def of_python(text):
    """(line, string) of Python, but for comments and documentation of functions."""
    tree = ast.parse(text)
    inner = {id(node.body[0].value) for node in ast.walk(tree)
             if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node)}
    inner |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(part.value if isinstance(part, ast.Constant) else "{}"
                                       for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            yield node.lineno, node.value


def of_shell(text):
    """(line, string) of what a shell script prints."""
    printed = r"""^(?!\s*#).*?\b(?:echo|printf|fail|usage|die)\b.*?("(?:\\.|[^"\\])*"|'[^']*')"""
    for match in re.finditer(printed, text, re.M):
        yield text.count("\n", 0, match.start()) + 1, match.group(1)[1:-1]


READERS = {".cpp": of_program, ".h": of_program, ".cu": of_program, ".cuh": of_program, ".js": of_program,
           ".py": of_python, "#!/usr/bin/env python3": of_python,
           "#!/usr/bin/env bash": of_shell, "#!/bin/sh": of_shell}


def messages():
    """(file, line, text) of each string of two words or more in the code of the gate, the library and ci."""
    for path in CODE:
        text = path.read_text(errors="replace")
        read = READERS.get(path.suffix or text.partition("\n")[0])
        for line, string in read(text) if read else []:
            if SENTENCE.search(string):
                yield path.relative_to(ROOT), line, string


class Words(unittest.TestCase):
    def test_no_message_says_what_is_banned(self):
        every = list(messages())
        self.assertGreater(len(every), 1000)
        found = [f"{path}:{line}: \"{word}\": {say}" for path, line, text in every if not STAGE.match(str(path))
                 for _, word, say in banned(text, BANNED_IN_MESSAGES)]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_messages_are_found(self):
        program = """#include "a b.h"
            throw Error("no such " /* "in vain" */
                        "row: " + name + "; name another");  // "a comment"
            const char separator = '"'; say(R"(raw text)");"""
        self.assertEqual(of_program(program), [(2, "no such row: {}; name another"), (4, "raw text")])
        self.assertEqual(of_program("a = 'one word'; b = `two ${words}`;"), [(1, "one word"), (1, "two ${words}")])
        self.assertEqual(list(of_python('def f():\n    """Says."""\n    fail(f"no {row} here", "or there")\n')),
                         [(3, "no {} here"), (3, "or there")])
        script = '# echo "a comment"\n[ -f x ] || { echo "no x here" >&2; exit 2; }\n'
        self.assertEqual(list(of_shell(script)), [(2, "no x here")])

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
        for page in GUIDE:
            words = len(page.read_text().replace("|", " ").split())  # those of tables and code too
            self.assertLess(words, 1500, page.name)
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), 180)

    def test_the_glossary_is_short_and_in_order(self):
        terms = re.findall(r"^\| ([^|]+) \|", (ROOT / "perf/guide/glossary.md").read_text(), re.M)[1:]
        self.assertGreater(len(terms), 20)
        self.assertLessEqual(len(terms), 40)
        self.assertEqual(terms, sorted(terms))


if __name__ == "__main__":
    if sys.argv[1:] == ["--messages"]:
        for path, line, text in messages():
            print(f"{path}:{line}: {text}")
    else:
        unittest.main()
