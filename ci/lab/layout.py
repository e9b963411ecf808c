"""Files of launches in the layout of baselines/ (launches_text of perf/support/json_file.h): one launch per line."""
import json

from .running import write_whole

MOST_COLUMNS = 280


def columns(text):
    return len(text.encode())


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def is_flat(value):
    """Neither an object nor a list that holds one."""
    inner = value if isinstance(value, list) else []
    return not isinstance(value, dict) and not any(isinstance(element, (dict, list)) for element in inner)


def pretty(value, levels, indent=0):
    """The layout of pretty() of perf/support/json_file.h."""
    inner, outer = " " * (indent + 2), " " * indent
    last = levels == 1 and indent > 0 if isinstance(value, dict) else isinstance(value, list)
    if last and columns(compact(value)) <= MOST_COLUMNS:
        return compact(value)
    if isinstance(value, dict) and value and levels > 0:
        lines, joinable = [], False
        for key in sorted(value):
            member = f"{compact(key)}: {pretty(value[key], levels - 1, indent + 2)}"
            flat = is_flat(value[key])
            if flat and joinable and columns(f"{lines[-1]}, {member}") <= MOST_COLUMNS:
                lines[-1] += f", {member}"
            else:
                lines.append(inner + member)
            joinable = flat
        return "{\n" + ",\n".join(lines) + f"\n{outer}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(inner + compact(element) for element in value) + f"\n{outer}]"
    return compact(value)


def text(content):
    lines = ",".join("\n    " + compact(launch) for launch in content["benchmarks"])
    return f'{{\n  "context": {pretty(content["context"], 3, 2)},\n  "benchmarks": [{lines}\n  ]\n}}\n'


def write(path, content):
    write_whole(path, text(content))
