"""validate.py SCHEMA FILE: checks FILE against a JSON Schema, as strictly as the strictest reader.

Python's own parser takes NaN and Infinity and the last of two equal keys; other readers do not.
"""
import json
import sys

import jsonschema


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key twice in {keys}")
    return dict(pairs)


with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    document = json.load(file, parse_constant=refuse, object_pairs_hook=unique)
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.validate(document, schema, cls=jsonschema.Draft7Validator)
