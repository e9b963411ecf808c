"""Files of launches in the layout of baselines/ (launches_text of perf/support/json_file.h): one launch per line."""
import json

from .running import write_whole


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def pretty(value, levels, indent=0):
    """The layout of pretty() of perf/support/json_file.h."""
    inner, outer = " " * (indent + 2), " " * indent
    if isinstance(value, dict) and value and levels > 0:
        lines = [f"{inner}{compact(key)}: {pretty(value[key], levels - 1, indent + 2)}" for key in sorted(value)]
        return "{\n" + ",\n".join(lines) + f"\n{outer}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(inner + compact(element) for element in value) + f"\n{outer}]"
    return compact(value)


def text(content):
    lines = ",".join("\n    " + compact(launch) for launch in content["benchmarks"])
    return f'{{\n  "context": {pretty(content["context"], 3, 2)},\n  "benchmarks": [{lines}\n  ]\n}}\n'


def write(path, content):
    write_whole(path, text(content))
