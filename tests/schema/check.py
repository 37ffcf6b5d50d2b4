#!/usr/bin/env python3
"""Holds a document against a schema of docs/schema/.

usage: check.py SCHEMA.json DOCUMENT.json

What the schemas use of JSON Schema (2020-12) and no more: a keyword that is not known here is an error of its own, so that no
schema promises what nobody checks.
"""
import json
import re
import sys

WORDS = {"$schema", "$id", "$defs", "$ref", "title", "description", "type", "enum", "const", "properties", "required",
         "additionalProperties", "propertyNames", "items", "pattern", "minimum", "maximum", "minItems"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


class Wrong(Exception):
    pass


def has_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def require(condition, where, text):
    if not condition:
        raise Wrong("%s: %s" % (where or "the document", text))


def check_object(value, schema, where, root):
    for name in schema.get("required", []):
        require(name in value, where, "%s is missing" % name)
    others = schema.get("additionalProperties", True)
    for name, inner in value.items():
        place = "%s.%s" % (where, name)
        if "propertyNames" in schema:
            check(name, schema["propertyNames"], place, root)
        if name in schema.get("properties", {}):
            check(inner, schema["properties"][name], place, root)
        else:
            require(others is not False, place, "no such member is promised")
            check(inner, {} if others is True else others, place, root)


def check(value, schema, where, root):
    unknown = set(schema) - WORDS
    require(not unknown, where, "the schema says %s, which nobody checks" % ", ".join(sorted(unknown)))
    if "$ref" in schema:
        check(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], where, root)
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        require(any(has_type(value, name) for name in names), where, "%r is no %s" % (value, " or ".join(names)))
    require(value in schema.get("enum", [value]), where, "%r is none of %s" % (value, schema.get("enum")))
    require(value == schema.get("const", value), where, "%r is not %r" % (value, schema.get("const")))
    if isinstance(value, str) and "pattern" in schema:
        require(re.search(schema["pattern"], value), where, "%r does not look like %s" % (value, schema["pattern"]))
    if has_type(value, "number"):
        require(value >= schema.get("minimum", value) and value <= schema.get("maximum", value), where, "%s is out of range" % value)
    if isinstance(value, dict):
        check_object(value, schema, where, root)
    if isinstance(value, list):
        require(len(value) >= schema.get("minItems", 0), where, "has too few elements")
        for i, element in enumerate(value):
            check(element, schema.get("items", {}), "%s[%d]" % (where, i), root)


def main():
    schema, document = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
    try:
        check(document, schema, "", schema)
    except Wrong as wrong:
        sys.exit("%s: %s" % (sys.argv[2], wrong))


if __name__ == "__main__":
    main()
