#!/usr/bin/env python3
"""The corpus of a fuzzer as one file, a seed a line: NAME, a tab, its bytes with \\n, \\t, \\r, \\\\ and \\xHH.

  ci/seeds.py unpack FILE FOLDER    writes each seed to a file of FOLDER: under its name, or its SHA-1 without one
  ci/seeds.py pack FOLDER FILE      the other way; a name that has no dot is not kept, as it is a SHA-1

Exit codes: 0; 2 when something cannot be read or written.
"""
import argparse
import hashlib
import os
import re
import sys
from pathlib import Path

HEAD = "# The corpus of a fuzzer: a name, or none, a tab, and the bytes (ci/seeds.py, ci/fuzz).\n"
ESCAPES = {ord("\n"): r"\n", ord("\t"): r"\t", ord("\r"): r"\r", ord("\\"): r"\\"}
BYTES = {escape[1]: byte for byte, escape in ESCAPES.items()}


def escaped(seed):
    return "".join(ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}") for byte in seed)


def unescaped(text):
    parts = re.split(r"(\\x[0-9a-f]{2}|\\.)", text)
    return b"".join(part.encode() if not part.startswith("\\") else
                    bytes([int(part[2:], 16) if part[1] == "x" else BYTES[part[1]]]) for part in parts)


def unpack(file, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for line in file.read_text().splitlines():
        if not line.startswith("#"):
            name, text = line.split("\t")
            seed = unescaped(text)
            (folder / (name or hashlib.sha1(seed).hexdigest())).write_bytes(seed)


def pack(folder, file):
    seeds = [(seed.name if "." in seed.name else "", escaped(seed.read_bytes())) for seed in folder.iterdir()]
    named = sorted(seed for seed in seeds if seed[0])
    found = sorted({seed for seed in seeds if not seed[0]}, key=lambda seed: (len(seed[1]), seed))
    beside = file.with_name(file.name + ".new")
    beside.write_text(HEAD + "".join(f"{name}\t{text}\n" for name, text in named + found))
    os.replace(beside, file)  # never half a file


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("act", choices=["unpack", "pack"])
    parser.add_argument("source", type=Path)
    parser.add_argument("to", type=Path)
    options = parser.parse_args()
    try:
        (unpack if options.act == "unpack" else pack)(options.source, options.to)
    except (OSError, ValueError, KeyError) as error:
        print(f"seeds: {error!r}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
