"""The CPU stages whose digest the last commits moved, compared with those that they can have affected.

Each of the last N (100) commits, along first parents, is built in a clone without CUDA stages, and the digests of its
stages are compared with those of the previous commit. A commit can affect a stage if it changes the build, a file that
the stage's source includes, or a file that a source without a stage includes, of the stage's family, kernels/support or
perf/measure. One line of JSON goes to FILE (results/gate-figures.jsonl), from which `python3 ci/lab gate-figures table`
makes its rows. With --keep the clone and the results per commit stay in FOLDER, so that an interrupted search continues
and a later one builds only the new commits.

Exit codes: 0 no commit moved a digest that it cannot affect; 1 some did, each named; 2 it could not be measured.
"""
import json
import os
import re
import sys
from pathlib import Path

from .running import Failed, add_record, append, build, circumstances, configure, run, work_digests
from .sources import working_clone

STAGE_SOURCE = re.compile(r"kernels/(\w+)/(cpu|mpi|opencl)_(\w+)\.cpp")
BUILDS = re.compile(r"(.*/)?CMakeLists\.txt|.*\.cmake")


def includes(tree):
    """By object file, the files of the tree from which it was compiled."""
    made, known = {}, {}
    for block in run(["ninja", "-C", "build", "-t", "deps"], tree=tree).stdout.split("\n\n"):
        head, *files = block.strip().splitlines() or [""]
        for file in files:
            known.setdefault(file, os.path.relpath(os.path.join(tree, "build", file.strip()), tree))
        made[head.split(":")[0]] = {known[file] for file in files if not known[file].startswith("..")}
    return made


def touching(tree):
    """By stage, the files on which its digest can depend."""
    of_stage, of_room = {}, {}
    for files in includes(tree).values():
        stages = {STAGE_SOURCE.fullmatch(file) for file in files} - {None}
        for stage in stages:
            of_stage["{}/{}/{}".format(*stage.groups())] = files
        for file in files if not stages else ():
            room = re.match(r"kernels/\w+/|perf/measure/", file)
            if room and file.endswith(".cpp"):
                of_room.setdefault(room[0], set()).update(files)
    shared = of_room.get("kernels/support/", set()) | of_room.get("perf/measure/", set())
    return {stage: files | shared | of_room.get(f"kernels/{stage.split('/')[0]}/", set())
            for stage, files in of_stage.items()}


class Histories:
    """Builds one commit after the other, each once: the results are stored next to the clone. A failed build is not
    stored, since an interrupted build looks the same."""

    def __init__(self, tree):
        self.tree = tree.resolve()
        self.found = self.tree.parent / "found"
        self.found.mkdir(exist_ok=True)

    def at(self, commit):
        """Digests and dependencies of its stages; None if it does not build."""
        kept = self.found / f"{commit}.json"
        if not kept.exists():
            found = self.built(commit)
            if found is None:
                return None
            partial = kept.with_suffix(".part")
            partial.write_text(json.dumps(found, default=sorted))
            partial.rename(kept)
        stages, touching_files = json.loads(kept.read_text())
        return stages, {stage: set(files) for stage, files in touching_files.items()}

    def built(self, commit):
        run(["git", "checkout", "-q", "-f", commit], tree=self.tree)
        try:
            configure(self.tree, self.tree / "build", "-DRATCHET_CUDA=OFF", "-DRATCHET_BY_FOLDER=OFF")
            build(self.tree / "build", "ratchet-bench")
        except Failed as error:
            print(error, file=sys.stderr)
            return None
        return work_digests(self.tree / "build"), touching(self.tree)

    def compare(self, before, commit):
        """What the commit moved, what it can have touched; and what it is itself."""
        changed = set(run(["git", "diff", "--name-only", f"{commit}^", commit], tree=self.tree).stdout.split())
        now = self.at(commit)
        if now is None or before is None:
            return now, None
        both = before[0].keys() & now[0].keys() & now[1].keys()
        touched = {stage for stage in both if changed & (now[1][stage] | before[1].get(stage, set()))}
        if any(BUILDS.fullmatch(file) for file in changed):
            touched = both
        moved = {stage for stage in both if before[0][stage] != now[0][stage]}
        return now, {"commit": commit[:12], "stages": len(both), "touched": len(touched), "moved": len(moved),
                     "beyond": sorted(moved - touched)}


def look_back(tree, number):
    """What each of the last so many commits moved, of those after which the tree builds."""
    commits = run(["git", "rev-list", "--first-parent", "--reverse", f"-{number + 1}", "FETCH_HEAD"],
                  tree=tree).stdout.split()
    history, commits_seen = Histories(tree), []
    before = history.at(commits[0])
    for commit in commits[1:]:
        before, seen = history.compare(before, commit)
        if seen:
            commits_seen.append(seen)
            print(seen, file=sys.stderr, flush=True)
    return commits_seen


def add_options(parser):
    parser.add_argument("--commits", type=int, default=100, metavar="N")
    add_record(parser)
    parser.add_argument("--keep", type=Path, metavar="FOLDER")


def run_experiment(options):
    with working_clone(options.keep) as tree:
        about = circumstances()
        commits_seen = look_back(tree, options.commits)
    append(options.record, {"figure": "history", "commits": commits_seen, **about})
    return 1 if any(seen["beyond"] for seen in commits_seen) else 0
