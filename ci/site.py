#!/usr/bin/env python3
"""Builds the pages of this repository as a site, by MkDocs (mkdocs.yml; ci/setup installs it).

ci/site.py [FOLDER]     the site goes to FOLDER (build/site); exit code 77 where MkDocs is not installed
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ratchet/docs-tools"
LINK = re.compile(r"""\]\(([^)\s#]+)|\bsrc="([^"#]+)\"""")


def pages():
    """What mkdocs.yml lists."""
    return re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)


def linked(page):
    """The files that a page shows or links to."""
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", (ROOT / page).read_text(), flags=re.M | re.S)
    for match in LINK.finditer(text):
        target = match.group(1) or match.group(2)
        if not re.match(r"[a-z]+:", target):
            yield (ROOT / page).parent / target


def lay_out(folder):
    """Pages, and the files that they link to, where they lie in the repository. MkDocs finds what is missing."""
    for page in pages():
        for file in [ROOT / page, *linked(page)]:
            if file.is_file() and (file.suffix != ".md" or file.resolve() == ROOT / page):
                copy = folder / file.resolve().relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, copy)


def main():
    site = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/site").absolute()
    environment = dict(os.environ, PYTHONPATH=f"{TOOLS}:{os.environ.get('PYTHONPATH', '')}", NO_MKDOCS_2_WARNING="1")
    mkdocs = [sys.executable, "-m", "mkdocs"]
    if subprocess.run([*mkdocs, "--version"], env=environment, capture_output=True).returncode != 0:
        print("ratchet: MkDocs is not installed; run ci/setup", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder).resolve())
        return subprocess.run([*mkdocs, "build", "--strict", "--config-file", ROOT / "mkdocs.yml",  # not --quiet:
                               "--site-dir", site],                    # it hides warnings from --strict, too
                              env=dict(environment, RATCHET_PAGES=folder)).returncode


if __name__ == "__main__":
    sys.exit(main())
