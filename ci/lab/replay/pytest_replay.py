"""pytest-benchmark on recorded times: its timer is a clock that the call under test moves on."""
import json
import os
import pathlib

import pytest

BLOCKS = json.loads(pathlib.Path(os.environ["REPLAY"]).read_text())
now = 0.0


def timer():
    return now


@pytest.mark.parametrize("name", BLOCKS)
def test_block(benchmark, name):
    samples = iter(BLOCKS[name])

    def call():
        global now
        now += next(samples)

    benchmark.pedantic(call, rounds=len(BLOCKS[name]), iterations=1)
