"""Copies of the sources, and edits of them: experiments change code only through this module."""
import contextlib
import re
import shutil
import tempfile
from pathlib import Path

from .running import ROOT, Failed, run

# The inputs of a build of the tests.
BUILT_FROM = ["CMakeLists.txt", "ci", "kernels", "reference", "correctness", "perf"]


class Misfit(Failed):
    """An edit that no longer fits: the file or the text is gone."""


def edited(tree, path, edit):
    """The text of a file after `edit`, a function of the text."""
    file = tree / path
    if not file.is_file():
        raise Misfit(f"{path} does not exist; adapt the edit")
    before = file.read_text()
    after = edit(before)
    if after == before:
        raise Misfit(f"{path} does not contain the text to edit; adapt the edit")
    return after


def changed(tree, path, edit):
    (tree / path).write_text(edited(tree, path, edit))


@contextlib.contextmanager
def changed_for_now(tree, path, edit):
    """Edits the file, and restores it at the end."""
    after, file = edited(tree, path, edit), tree / path
    before = file.read_text()
    file.write_text(after)
    try:
        yield
    finally:
        file.write_text(before)


def replaced(path, *changes):
    """A function of the text of `path` that replaces, for each (old, new), the old text, which must occur once."""
    def edit(text):
        for old, new in changes:
            if text.count(old) != 1:
                raise Misfit(f"{path} contains {text.count(old)} times, instead of once: {old.strip()}")
            text = text.replace(old, new)
        return text
    return edit


def instead(path, *changes):
    """An edit of a tree by `replaced`."""
    return lambda tree: changed(tree, path, replaced(path, *changes))


def moved(old, new):
    """An edit of a tree: renames or moves a file, and updates its includes."""
    def act(tree):
        if not (tree / old).is_file():
            raise Misfit(f"{old} does not exist; adapt the edit")
        (tree / new).parent.mkdir(parents=True, exist_ok=True)
        (tree / old).rename(tree / new)
        for file in tree.glob("*/**/*"):
            if file.suffix in (".h", ".cpp", ".cu", ".cuh") and "build" not in file.parts[:len(tree.parts) + 1]:
                text = file.read_text()
                if f'"{old}"' in text:
                    file.write_text(text.replace(f'"{old}"', f'"{new}"'))
    return act


def stage_file(tree, stage):
    """The source of FAMILY/BACKEND/NN_IDEA."""
    family, backend, idea = stage.split("/")
    found = sorted((tree / "kernels" / family).glob(f"{backend}_{idea}.c*"))
    if not found:
        raise Misfit(f"there is no stage {stage}")
    return found[0]


def copied_tree(to):
    """Copies the working tree with uncommitted edits, as far as tests are built from it."""
    to.mkdir(parents=True, exist_ok=True)
    for name in BUILT_FROM:
        path = ROOT / name
        (shutil.copytree if path.is_dir() else shutil.copy2)(path, to / name)


@contextlib.contextmanager
def working_clone(keep):
    """A clone of this repository's HEAD in a temporary folder, or in `keep`."""
    folder = keep or Path(tempfile.mkdtemp(prefix="ratchet_lab_"))
    try:
        tree = folder.resolve() / "clone"
        clone(tree)
        yield tree
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def clone(tree):
    """Clones this repository's HEAD to `tree`, reusing an existing clone and its build."""
    if not tree.exists():
        run(["git", "clone", "-q", ROOT, tree])
    run(["git", "fetch", "-q", ROOT, "HEAD"], tree=tree)
    as_cloned(tree)


def as_cloned(tree):
    run(["git", "checkout", "-q", "-f", "FETCH_HEAD"], tree=tree)


def commit(tree, message):
    run(["git", "add", "-A"], tree=tree)
    run(["git", "-c", "user.name=lab", "-c", "user.email=lab@localhost", "-c", "commit.gpgsign=false", "commit", "-q",
         "-m", message], tree=tree)


def wanted(edits, only):
    """The named edits whose name matches."""
    return {name: edit for name, edit in edits.items() if re.search(only, name)}
