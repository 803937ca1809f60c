#!/usr/bin/env python3
"""Holds a strict reader against its JSON Schema, with a validator that shares nothing with it.

    agreement.py SCHEMA_VERDICTS SOURCE_DIR variant|plan|manifest

Reader and schema must accept and refuse the same documents: the cases and their edits, samples that
the project writes, and structural mutations of all of them. And each constraint of the schema must
be the only one that some document breaks, so that neither side can lose one unnoticed.
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

SCHEMAS = {
    "variant": "variant.schema.json",
    "plan": "reduction-plan.schema.json",
    "manifest": "manifest.schema.json",
}
# Keywords that refuse nothing by themselves.
ANNOTATIONS = {"$schema", "title", "description", "$defs", "$ref", "properties", "items", "if",
               "then", "else", "allOf"}
# Of each kind that a value may be of, and at the edges of ranges and patterns.
VALUES = [
    None, True, False, 0.5, -1, 0, 1, 2, 8, 9, 64, 65, 2**20, 2**20 + 1, 2**40, 2**40 + 1,
    2**53 - 1, 2**53, 2**63 - 1, 2**63, 10**30, "", "8", "a", "A", "no", "off", "on", "a\n", "a b", "../a", "a" * 64, "a" * 65,
    "regular", "two_shot", "dma_ring", "prefill", "bfloat16", "sha256:" + "0" * 64, "0" * 64, [],
    [1], [1, 1], [1, "a"], [None], ["prefill"], ["prefill", "prefill"], ["prefill", "train"],
    {}, {"a": "b"}, {"a": 1}, {"-a": "b"},
]
PATHS = [
    "a", "a/b", "...", "..a", "/a", "a/", "a//b", ".", "..", "a/../b", "a/..", "a\\b", "a\nb",
    "a\x7fb", "a\u0085b", "\u00e9", "manifest.json", "manifest.json/a", "manifest.jsonx",
    "a/manifest.json", "reduction_plan.yaml", ".kimi3-export", ".kimi3-export-1/a",
    "a/.kimi3-export", "a" * 255, "a" * 256, "/".join(["a"] * 64), "/".join(["a"] * 65),
    "/".join(["a" * 200] * 21),
]


def places(tree, path=()):
    """The path of every value in the tree, the root's first."""
    yield path
    if isinstance(tree, (dict, list)):
        for key, child in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from places(child, path + (key,))


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def with_value(tree, path, value):
    if not path:
        return copy.deepcopy(value)
    changed = copy.deepcopy(tree)
    at(changed, path[:-1])[path[-1]] = copy.deepcopy(value)
    return changed


def without(tree, path):
    changed = copy.deepcopy(tree)
    del at(changed, path[:-1])[path[-1]]
    return changed


def mutations(tree):
    """Every key dropped, every value replaced by every other, one more key or item everywhere."""
    for path in places(tree):
        value = at(tree, path)
        if path:
            yield without(tree, path)
        for replacement in VALUES:
            yield with_value(tree, path, replacement)
        if isinstance(value, dict):
            for key in ("extra", "wire_mode", "Extra!", "a" * 65, "a\n"):
                for addition in ("off", 1):
                    if key not in value:
                        yield with_value(tree, path + (key,), addition)
            yield with_value(tree, path, {f"k{i}": "v" for i in range(1024)})
            yield with_value(tree, path, {f"k{i}": "v" for i in range(1025)})
        if isinstance(value, list) and value and path != ("files",):  # whose order a schema cannot say
            yield with_value(tree, path, value + [value[0]])
            yield with_value(tree, path, value * 257)
            yield with_value(tree, path, list(range(1, 4097)))
            yield with_value(tree, path, list(range(1, 4098)))


def small(tree):
    """The tree with the first and the last of each list, so that mutations stay few."""
    if isinstance(tree, dict):
        return {key: small(value) for key, value in tree.items()}
    return [small(value) for value in tree[:1] + tree[1:][-1:]] if isinstance(tree, list) else tree


class Corpus:
    """Files in a folder, and what the reader says of them."""

    def __init__(self, tool, kind, folder):
        self.tool, self.kind, self.folder, self.paths = tool, kind, folder, []

    def add_file(self, path):
        self.paths.append(path)

    def add_text(self, text):
        path = self.folder / f"{len(self.paths)}.yaml"
        path.write_text(text, encoding="utf-8", newline="")
        self.paths.append(path)

    def add_tree(self, tree):
        # Canonical JSON for these trees; YAML too. Without line ends a key of YAML is too long.
        self.add_text(json.dumps(tree, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
                      if self.kind == "manifest" else json.dumps(tree, indent=1))

    def judge(self, paths):
        lines = "".join(f"{path}\n" for path in paths)
        run = subprocess.run([self.tool, self.kind], input=lines, capture_output=True, text=True,
                             check=True, timeout=100)
        return [json.loads(line) for line in run.stdout.split("\n") if line]

    def trees(self):
        return [verdict["document"] for verdict in self.judge(self.paths)
                if verdict["syntax"] is None and verdict["structure"] is None]


def edits(cases):
    good = (cases / "good.yaml").read_text(encoding="utf-8")
    for line in (cases / "edits.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            old, new, _ = line.split("\t")
            yield good.replace(old, new.replace("\\n", "\n"), 1)


def collect(corpus, source, kind, folder):
    cases = source / "tests/cases"
    subprocess.run([corpus.tool, "samples", cases / "variants/good.yaml", folder], check=True,
                   timeout=60)
    if kind == "manifest":
        corpus.add_file(folder / "manifest.json")
    else:
        for path in sorted(cases.glob("*/*.yaml")) + sorted(folder.glob("plan-*.yaml")):
            corpus.add_file(path)
    if kind == "variant":
        for text in edits(cases / "variants"):
            corpus.add_text(text)
    base = small(max(corpus.trees(), key=lambda tree: len(json.dumps(tree))))
    for tree in mutations(base):
        corpus.add_tree(tree)
    if kind == "manifest":
        for path in PATHS:
            corpus.add_tree(with_value(base, ("files", 0, "path"), path))


def keywords(schema, path=()):
    """The place of every constraint in the schema."""
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            for name, child in value.items():
                if isinstance(child, dict):
                    yield from keywords(child, path + (key, name))
                elif child is False:
                    yield path + (key, name)
        elif key in ("items", "then", "else", "propertyNames"):
            yield from keywords(value, path + (key,))
        elif key == "additionalProperties" and isinstance(value, dict):
            yield from keywords(value, path + (key,))
        elif key == "allOf":
            for index, child in enumerate(value):
                yield from keywords(child, path + (key, index))
        elif key not in ANNOTATIONS:
            yield path + (key,)


def place_of(error, schema):
    """Where the constraint stands that an error comes from; None where that is another file."""
    place, node = (), schema
    for step in error.absolute_schema_path:
        if isinstance(node, dict) and step not in node:  # the validator leaves $ref out
            if not node["$ref"].startswith("#/"):
                return None
            place = tuple(node["$ref"][2:].split("/"))
            node = at(schema, place)
        place, node = place + (step,), node[step]
    return place


def main(tool, source, kind):
    source = pathlib.Path(source)
    schema_path = source / "schemas" / SCHEMAS[kind]
    schema = json.loads(schema_path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    resolver = jsonschema.RefResolver(schema_path.as_uri(), schema)
    validator = jsonschema.Draft202012Validator(schema, resolver=resolver)

    disagreements, accepted, refused, proven = [], 0, 0, set()
    with tempfile.TemporaryDirectory() as folder:
        corpus = Corpus(tool, kind, pathlib.Path(folder))
        collect(corpus, source, kind, pathlib.Path(folder))
        for verdict in corpus.judge(corpus.paths):
            if verdict["syntax"] is not None:
                continue
            errors = list(validator.iter_errors(verdict["document"]))
            places_of_errors = {place_of(error, schema) for error in errors}
            if len(places_of_errors) == 1:
                proven |= places_of_errors
            accepted += verdict["structure"] is None
            refused += verdict["structure"] is not None
            if (verdict["structure"] is None) != (not errors):
                disagreements.append((verdict, errors))

    for verdict, errors in disagreements[:10]:
        print("reader:", verdict["structure"] or "accepts")
        print("schema:", "; ".join(error.message[:200] for error in errors) or "accepts")
        print("document:", json.dumps(verdict["document"])[:400], "\n")
    unproven = [place for place in keywords(schema) if place not in proven]
    for place in unproven:
        print("no document breaks this constraint alone:", "/".join(map(str, place)))
    print(f"{accepted} accepted, {refused} refused, {len(disagreements)} disagreements, "
          f"{len(proven)} constraints shown, {len(unproven)} not")
    return 1 if disagreements or unproven or not accepted or not refused else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
