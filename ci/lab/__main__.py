#!/usr/bin/env python3
"""Experiments on ratchet itself, each a subcommand.

  python3 ci/lab EXPERIMENT [options]
  python3 ci/lab EXPERIMENT --help
"""
import argparse
import importlib
import signal
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[0] = str(Path(__file__).resolve().parent.parent)
from lab.running import Failed  # noqa: E402

# By question. Each module has add_options(parser) and run_experiment(options), and its docstring is its help. If
# PASSES_ON is true, unknown options go to the measured program, in options.more. If TAKES_REST is true, so do the
# arguments after "--", in options.rest.
EXPERIMENTS = {
    "Do the tests detect mutations?": ["mutate"],
    "Is the gate right?": ["harmless-edits", "injected-slowdowns", "injected-on-gpu", "bisect-check", "digest-history",
                           "gate-figures", "real-commits", "foreign-programs"],
    "Is it better than other tools?": ["record-launches", "rivals"],
    "What do the stages do?": ["survey", "build-settings", "random-battery"],
    "Does it work elsewhere?": ["install-check", "clean-roots", "release", "aarch64", "nvbench-example"],
}


def module(name):
    return importlib.import_module("lab." + name.replace("-", "_"))


def overview():
    lines = [__doc__]
    for question, names in EXPERIMENTS.items():
        lines.append(question)
        lines += [f"  {name:18} {module(name).__doc__.splitlines()[0]}" for name in names] + [""]
    return "\n".join(lines)


def main(words):
    known = [name for names in EXPERIMENTS.values() for name in names]
    if not words or words[0] in ("-h", "--help"):
        print(overview(), file=sys.stdout if words else sys.stderr)
        return 0 if words else 2
    name = words[0]
    if name not in known:
        print(f"lab: there is no experiment {name}; choose one of {', '.join(known)}", file=sys.stderr)
        return 2
    experiment = module(name)
    parser = argparse.ArgumentParser(prog=f"python3 ci/lab {name}", description=experiment.__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    experiment.add_options(parser)
    rest = []
    if getattr(experiment, "TAKES_REST", False) and "--" in words:
        words, rest = words[:words.index("--")], words[words.index("--") + 1:]
    if getattr(experiment, "PASSES_ON", False):
        options, options.more = parser.parse_known_args(words[1:])
    else:
        options = parser.parse_args(words[1:])
    options.rest = rest
    try:
        return experiment.run_experiment(options) or 0
    except Failed as failed:
        print(f"{name}: {failed}", file=sys.stderr)
        return failed.code
    except (OSError, ValueError, KeyError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2


def end(number, frame):
    sys.exit(128 + number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, end)  # by which temporary folders go, as by Ctrl-C
    sys.exit(main(sys.argv[1:]))
