# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `assay --schema` promises of JSON: a validator of it, and all keys with their types."""
import json
import unittest
import warnings

import tap

try:
    import jsonschema
except ImportError:
    jsonschema = None


def schema():
    return json.loads(tap.assay("--schema").stdout)


def can_validate():
    return hasattr(jsonschema, "Draft202012Validator")


def validator():
    """Skips the case where there can be none."""
    warnings.simplefilter("ignore")
    if not can_validate():
        raise unittest.SkipTest("python3-jsonschema is not installed, or older than draft 2020-12")
    return jsonschema.Draft202012Validator(schema())


def problems(found, value):
    """What the validator finds wrong, each with its place."""
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" for error in found.iter_errors(value)]


class Keys:
    """Every key that a schema knows, with the types of its values; counts are numbers, for beyond 2^53 alone they are texts."""

    def __init__(self, whole):
        self.definitions = whole["$defs"]
        self.found = {}
        for command in whole["allOf"]:
            name = command["if"]["properties"]["command"]["const"]
            for key, inner in command["then"]["properties"].items():
                self.walk(inner, f"{name} {key}", ())
        for key, inner in whole["properties"].items():
            if key not in ("results", "analysis"):
                self.add("every", key, inner, ())

    def forms(self, inner):
        """The schemas that this one may stand for."""
        if inner is True or inner is False:
            return []
        if "$ref" in inner:
            name = inner["$ref"].rsplit("/", 1)[1]
            return [{"type": "number"}] if name in ("count", "difference") else self.forms(self.definitions[name])
        several = inner.get("anyOf", inner.get("oneOf"))
        return [form for one in several for form in self.forms(one)] if several else [inner]

    def types(self, inner):
        types = set()
        for form in self.forms(inner):
            if "enum" in form:
                types |= {"null" if value is None else "string" if isinstance(value, str) else "number" for value in form["enum"]}
            elif "const" in form:
                types.add("string")
            else:
                listed = form.get("type", "any")
                types |= set(listed if isinstance(listed, list) else [listed])
        return {"number" if name == "integer" else name for name in types}

    def add(self, path, key, inner, above):
        place = f"{path}.{key}" if " " in path or "." in path or path.endswith("]") else f"{path} {key}"
        self.found.setdefault(place, set()).update(self.types(inner))
        self.walk(inner, place, above)

    def walk(self, inner, path, above):
        for form in self.forms(inner):
            if id(form) in above:
                continue
            for key, value in form.get("properties", {}).items():
                self.add(path, key, value, (*above, id(form)))
            if "items" in form:
                self.found.setdefault(path + "[]", set()).update(self.types(form["items"]))
                self.walk(form["items"], path + "[]", (*above, id(form)))

    def lines(self):
        return "".join(f"{path}: {', '.join(sorted(types)) or 'any'}\n" for path, types in sorted(self.found.items()))
