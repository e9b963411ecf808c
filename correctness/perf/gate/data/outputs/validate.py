"""validate.py [--closed] SCHEMA FILE: checks FILE against a JSON Schema, as strictly as the strictest reader.

--closed: a key that the schema does not describe is an error, too.
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


def close(schema):
    if isinstance(schema, list):
        for each in schema:
            close(each)
    elif isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            schema.setdefault("additionalProperties", False)
        for each in schema.values():
            close(each)


*closed, schema_file, document_file = sys.argv[1:]
with open(schema_file, encoding="utf-8") as file:
    schema = json.load(file)
if closed:
    close(schema)
with open(document_file, encoding="utf-8") as file:
    document = json.load(file, parse_constant=refuse, object_pairs_hook=unique)
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.validate(document, schema, cls=jsonschema.Draft7Validator)
