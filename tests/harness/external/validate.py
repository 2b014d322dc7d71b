"""What a library's validator says of manifests (data/schemas/external_manifest.json):

    validate.py SCHEMA FILE...        a line for each file: `sound`, or where it is wrong and why
    validate.py --keys SCHEMA PLACE   the keys that the schema knows at a place: "launches/0/rows"; of alternatives those of all

It needs Debian's python3-jsonschema.
"""
import json
import sys

import jsonschema


def resolved(schema, root):
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def alternatives(schema, root):
    """The schema and all that stand in anyOf and oneOf below it."""
    schema = resolved(schema, root)
    yield schema
    for each in schema.get("anyOf", []) + schema.get("oneOf", []):
        yield from alternatives(each, root)


def keys_at(root, place):
    level = [root]
    for step in place.split("/") if place else []:
        below = []
        for schema in (each for one in level for each in alternatives(one, root)):
            if step.isdigit() and "items" in schema:
                below.append(schema["items"])
            elif step in schema.get("properties", {}):
                below.append(schema["properties"][step])
            elif isinstance(schema.get("additionalProperties"), dict):
                below.append(schema["additionalProperties"])
        level = below
    keys = {key for one in level for each in alternatives(one, root) for key in each.get("properties", {})}
    return keys - {"$comment"}  # which is for people, at any place


def main(words):
    if words[0] == "--keys":
        print(" ".join(sorted(keys_at(json.load(open(words[1])), words[2]))))
        return 0
    schema = json.load(open(words[0]))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for file in words[1:]:
        errors = sorted(validator.iter_errors(json.load(open(file))), key=lambda error: list(map(str, error.path)))
        said = "; ".join(f"{error.json_path}: {error.message[:200]}" for error in errors)
        print(said or "sound")
    return 0


sys.exit(main(sys.argv[1:]))
