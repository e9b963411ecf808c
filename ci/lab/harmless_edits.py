"""Edits that change no executed code, one commit each: how many stages the gate would time for them.

Each edit is made in a clone, the benchmark program is built there, and the digests of all stages are compared with
those before the edit. One line of JSON goes to FILE (results/gate-figures.jsonl), from which `python3 ci/lab
gate-figures table` makes its row.

Exit codes: 0 no digest moved; 1 some did, each named; 2 an edit did not fit or did not build.
"""
import re
import sys
import time

from .running import Failed, add_clone, add_record, append, build, circumstances, configure, run, work_digests
from .sources import changed, commit, moved, stage_file, wanted, working_clone


def comment(path, before):
    """A line of comment above the line that begins with `before`."""
    return lambda tree: changed(tree, path, lambda text: re.sub(
        rf"^(?={re.escape(before)})", "// A comment.\n", text, count=1, flags=re.M))


def rename(path, old, new):
    """Another name for a local name of a file."""
    return lambda tree: changed(tree, path, lambda text: re.sub(rf"\b{old}\b", new, text))


def reflow(path):
    """Doubles the blank lines between all paragraphs."""
    return lambda tree: changed(tree, path, lambda text: text.replace("\n\n", "\n\n\n"))


def added(stage, number):
    """A copy of a stage under another number: an additional stage, and no other change."""
    def act(tree):
        family, backend, idea = stage.split("/")
        source = stage_file(tree, stage)
        copy = source.with_name(source.name.replace(idea, f"{number}_copy"))
        copy.write_text(source.read_text().replace(stage, f"{family}/{backend}/{number}_copy"))
    return act


EDITS = {
    "comment in the contract of all stages": comment("kernels/contract/stage.h", "class Stage"),
    "comment in a header of all graveler CPU stages": comment("kernels/graveler/rounds/cpu_scalar-inl.h", "template"),
    "comment in a header of life's SIMD stages": comment("kernels/life/packed/cpu_shift-inl.h", "#include"),
    "comment in bmn's rules": comment("kernels/bmn/text/game.h", "#include"),
    "comment in a header of officers": comment("kernels/officers/bytes/byte_values.h", "#include"),
    "comment in a stage of tiny_mc": comment("kernels/tiny_mc/cpu_01_scalar.cpp", "void follow("),
    "comment in a header of kernels for GPUs": comment("kernels/officers/blocks/mex.cuh", "struct ShiftedMex"),
    "comment in a header that launches kernels":
        comment("kernels/graveler/stages/cuda_stage.cuh", "template <class T>"),
    "comment in the loop that times": comment("perf/measure/sampling/measure.h", "#include"),
    "local function renamed, graveler": rename("kernels/graveler/cpu_05_wyrand.cpp", "make_worker", "new_worker"),
    "local function renamed, life": rename("kernels/life/cpu_05_simd.cpp", "simd_rows", "vector_rows"),
    "local function renamed, tiny_mc": rename("kernels/tiny_mc/cpu_01_scalar.cpp", "follow", "go_along"),
    "local function renamed, bmn": rename("kernels/bmn/cpu_04_planes.cpp", "spread", "spread_out"),
    "file with other blank lines, officers": reflow("kernels/officers/cpu_02_half_loop.cpp"),
    "file with other blank lines, bmn": reflow("kernels/bmn/cpu_03_machine.cpp"),
    "header renamed, bmn": moved("kernels/bmn/text/game.h", "kernels/bmn/text/play.h"),
    "header moved, life": moved("kernels/life/packed/cpu_shift-inl.h", "kernels/life/shifts/cpu_shift-inl.h"),
    "header renamed, officers": moved("kernels/officers/bytes/order.h", "kernels/officers/bytes/sequence.h"),
    "stage added, graveler": added("graveler/cpu/05_wyrand", "95"),
    "stage added, bmn": added("bmn/cpu/02_tweaked", "92"),
}


def digests(tree):
    configure(tree, tree / "build")
    build(tree / "build", "ratchet-bench")
    return work_digests(tree / "build")


def measure(tree, only):
    """By edit, the stages whose digest it moved; and the misfits with their reasons."""
    before, by_edit, misfits = digests(tree), {}, {}
    for name, edit in wanted(EDITS, only).items():
        start = time.monotonic()
        try:
            edit(tree)
            commit(tree, name)
            now = digests(tree)
        except Failed as error:
            misfits[name] = str(error)
            run(["git", "reset", "-q", "--hard"], tree=tree)
            print(f"{name}: {error}", file=sys.stderr, flush=True)
            continue
        by_edit[name] = sorted(stage for stage in before if now.get(stage) != before[stage])
        before = now
        print(f"{name}: {len(by_edit[name])} of {len(before)} moved {by_edit[name][:4]}, "
              f"{time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    return len(before), by_edit, misfits


def add_options(parser):
    add_record(parser)
    add_clone(parser)


def run_experiment(options):
    with working_clone(options.keep) as tree:
        stages, by_edit, misfits = measure(tree, options.only)
    append(options.record, {"figure": "harmless", "edits": len(by_edit), "stages": stages,
                            "moved": {name: rows for name, rows in by_edit.items() if rows}, "misfits": misfits,
                            **circumstances()})
    return 2 if misfits else 1 if any(by_edit.values()) else 0
