# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every command that reads a store says of every recorded one, to the byte: text, JSON, CSV, pages with their figures, errors, exit status.

And what JSON is made of: the reference of its keys, and the keys with their types, so that none changes unseen.
tests/stores holds the runs: MACHINE-COMMAND.sqlite.xz, where `schemaN-…` was written by the assay that had schema N. tests/goldens holds what is
said, one packed text a group of calls. `make goldens` writes them anew and prints what changed, which is what a reviewer reads.
"""
import glob
import hashlib
import json
import lzma
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import promised
import tap
from unfinished import changed

STORES = os.path.join(tap.SOURCE, "tests", "stores")
GOLDENS = os.path.join(tap.SOURCE, "tests", "goldens")
NAMES = sorted(os.path.basename(path)[:-len(".sqlite.xz")] for path in glob.glob(os.path.join(STORES, "*.sqlite.xz")))
TABLES = ("cells", "visits", "machine", "events", "truths", "opcodes", "operations", "clocks", "subjects", "executed", "calls", "runs", "samples")
LONG = 40000  # characters: of a longer table its hash and its first lines tell enough
STYLES = {"stat": (), "measure": (), "caches": ()}  # --all elsewhere
PAIRS = (("vm-x86_64-clocks", "lab-aarch64-clocks"), ("vm-x86_64-error", "lab-aarch64-error"), ("vm-x86_64-error", "schema2-x86_64-error"),
         ("vm-x86_64-overhead", "schema3-x86_64-overhead"), ("vm-x86_64-validate", "lab-aarch64-validate"), ("vm-x86_64-stat", "lab-aarch64-stat"),
         ("vm-x86_64-measure", "schema1-x86_64-measure"), ("vm-x86_64-repeat", "vm-x86_64-truth"))
SEVERAL = ("clocks", "error", "overhead", "validate", "repeat")  # commands that judge several runs together
# What can be wrong with a file: statements that leave its checksums as they were, or bytes.
DAMAGE = {
    "sample": "UPDATE sample_packed SET value = value + 1 WHERE key = (SELECT max(key) FROM sample_packed)",
    "cell": "UPDATE cell SET runs = runs + 1 WHERE id = 1",
    "fact": "UPDATE fact SET value = 'other' WHERE key = 'cpu.model_name'",
    "visit": "DELETE FROM visit WHERE id = 1",
    "newer": "PRAGMA user_version=99",
    "foreign": "PRAGMA application_id=7",
}
DAMAGED = ("lab-aarch64-error", "vm-x86_64-clocks", "vm-x86_64-repeat")


def command_of(name):
    return name.rsplit("-", 1)[1]


def rounded(value):
    """JSON with numbers of twelve digits (the last bits of a logarithm are the C library's), less how long an analysis took."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        if "seconds" in value.get("analysis", {}):
            value["analysis"]["seconds"] = 0
        return {key: rounded(item) for key, item in value.items()}
    return value


# What differs from one execution to the next, or from one release to the next.
VARYING = ((r'("version": )"[0-9][^"]*"', r'\1"VERSION"'), (r"(seed [0-9]+, )(?:judged again in )?[0-9.]+ s\b", r"\1judged in T"),
           (r'(>Made |"made": "|<p class="when"><code>assay compare</code>, )2[-0-9]+T[:0-9]+Z( by assay [0-9.a-z+~-]+)?', r"\1NOW"))


def steady(text):
    text = text.replace(f'"{tap.ASSAY}"', '"assay"')
    for now, always in VARYING:
        text = re.sub(now, always, text)
    return text


def plain_json(text, sort=False):
    """What JSON says; sort: in whatever order its keys stand."""
    return json.dumps(rounded(json.loads(text)), indent=1, ensure_ascii=False, sort_keys=sort) + "\n"


def plain_page(text):
    """A page without the style and script that every page has, its figures readable."""
    text = re.sub(r"<style>.*?</style>", "<style></style>", text, flags=re.DOTALL)
    text = re.sub(r"<script>.*?</script>", "<script></script>", text, flags=re.DOTALL)
    return re.sub(r'(<script type="application/json"[^>]*>)(.*?)(</script>)', lambda found: found[1] + "\n" + plain_json(found[2]) + found[3], text,
                  flags=re.DOTALL)


class Calls:
    """Executes calls in a folder of stores, where nothing but the stores decides what is said."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "XDG_STATE_HOME": os.path.join(folder, "state"), "HOME": folder, "TMPDIR": folder, "TZ": "UTC",
                            "LC_ALL": "C.UTF-8", "COLUMNS": "80", "NO_COLOR": "1"}

    def unpack(self, name):
        path = os.path.join(self.folder, name + ".sqlite")
        if not os.path.exists(path):
            with lzma.open(os.path.join(STORES, name + ".sqlite.xz")) as packed, open(path, "wb") as store:
                shutil.copyfileobj(packed, store)
        return name + ".sqlite"

    def path(self, file):
        return os.path.join(self.folder, file)

    def call(self, *words, page=None):
        done = tap.assay(*words, env=self.environment, cwd=self.folder)
        said = steady(plain_json(done.stdout, sort=True) if done.stdout and "--json" in words else done.stdout)
        if (words[0] == "export" or "--csv" in words or "--markdown" in words) and len(said) > LONG:
            said = f"{hashlib.sha256(said.encode()).hexdigest()}, {len(said)} characters that begin with\n" + "".join(said.splitlines(True)[:20])
        text = f"=== assay {' '.join(words)}: {done.returncode}\n{said}"
        if done.stderr:
            text += "--- errors and remarks\n" + done.stderr
        if page and os.path.exists(self.path(page)):
            with open(self.path(page), encoding="utf-8") as file:
                text += "--- page\n" + steady(plain_page(file.read()))
            os.unlink(self.path(page))
        return text


def of_store(calls, name):
    """One run: its own command, a page, and every table."""
    store, command = calls.unpack(name), command_of(name)
    read = [calls.call(command, "--from", store, *more) for more in ((), ("--json",), ("--csv",), ("--markdown",), *((style,) for style in STYLES.get(command, ("--all",))))]
    read.append(calls.call("report", store, "-o", name + ".html", page=name + ".html"))
    read.append(calls.call("report", "--json", store))
    return read + [calls.call("export", "--what", table, store) for table in TABLES] + [calls.call("export", "--what", "visits", "--json", store)]


def of_pair(calls, one, other):
    files, page = (calls.unpack(one), calls.unpack(other)), f"{one}-{other}.html"
    return [calls.call("compare", *files), calls.call("compare", "--all", *files), calls.call("compare", "--json", *files),
            calls.call("compare", "--html", page, "-o", os.devnull, *files, page=page)]


def of_collection(calls):
    """All runs in one file, and those of several machines judged together."""
    files = [calls.unpack(name) for name in NAMES]
    read = [calls.call("merge", "-o", "all.sqlite", *files), calls.call("merge", "--json", "-o", "again.sqlite", *files)]
    read += [calls.call("export", "--what", table, "all.sqlite") for table in TABLES]
    read += [calls.call(command, "--from", "all.sqlite", *more) for command in SEVERAL for more in ((), ("--json",))]
    read += [calls.call(command_of(name), "--from", f"all.sqlite#{number}") for number, name in enumerate(NAMES, 1)]
    return read + [calls.call("report", "all.sqlite", "-o", "all.html", page="all.html")]


def of_unfinished(calls, name):
    """A run that never ended, every third process of it lost."""
    changed(calls.path(calls.unpack(name)), calls.path("unfinished-" + name + ".sqlite"),
            "UPDATE visit SET state = 'failed', error = 5, reason = 'input/output error', samples = 0, checksum = 0 WHERE id % 3 = 1",
            "DELETE FROM sample_packed WHERE (key >> 25) % 3 = 1")
    store, command = "unfinished-" + name + ".sqlite", command_of(name)
    return [calls.call(command, "--from", store), calls.call(command, "--from", store, "--json"),
            calls.call("report", "--json", store), calls.call("export", "--what", "visits", store)]


def of_damaged(calls, name):
    """Files that are not what was written: everybody says so, and salvage takes the rest."""
    whole, command, read = calls.unpack(name), command_of(name), []
    for kind, statement in DAMAGE.items():
        store = f"{kind}-{name}.sqlite"
        shutil.copyfile(calls.path(whole), calls.path(store))
        connection = sqlite3.connect(calls.path(store), isolation_level=None)
        connection.execute(statement)
        connection.close()
        read += said_of_damaged(calls, command, whole, store)
    with open(calls.path(whole), "rb") as file:
        content = file.read()
    for kind, damaged in (("short", content[:len(content) // 2]), ("empty", b""), ("text", b"no database at all\n" * 200),
                          ("zeroed", content[:8192] + bytes(4096) + content[12288:])):
        store = f"{kind}-{name}.sqlite"
        with open(calls.path(store), "wb") as file:
            file.write(damaged)
        read += said_of_damaged(calls, command, whole, store)
    return read


def said_of_damaged(calls, command, whole, store):
    saved = "saved-" + store
    read = [calls.call(command, "--from", store), calls.call("report", "--json", store), calls.call("export", "--what", "visits", store),
            calls.call("compare", whole, store), calls.call("merge", "-o", "refused-" + store, store), calls.call("merge", "--salvage", "-o", saved, store)]
    if os.path.exists(calls.path(saved)):
        read += [calls.call(command, "--from", saved, "--json"), calls.call("report", "--json", saved)]
    return read


# Name of a golden -> function, values.
GROUPS = {**{name: (of_store, name) for name in NAMES},
          **{f"compare-{one}-{other}": (of_pair, one, other) for one, other in PAIRS},
          **{f"unfinished-{name}": (of_unfinished, name) for name in NAMES},
          **{f"damaged-{name}": (of_damaged, name) for name in DAMAGED},
          "collection": (of_collection,)}


def said(group):
    if group in PLAIN:
        return PLAIN[group][1]()
    function, *values = GROUPS[group]
    with tempfile.TemporaryDirectory(prefix="assay-golden-") as folder:
        return "".join(function(Calls(folder), *values))


# Said of the program itself, in files that people read.
PLAIN = {"json-keys": (os.path.join(GOLDENS, "json-keys.txt"), lambda: promised.Keys(promised.schema()).lines()),
         "json": (os.path.join(tap.SOURCE, "docs", "json.md"), lambda: tap.assay("--schema", "reference").stdout)}


def opened(group, mode):
    if group in PLAIN:
        return open(PLAIN[group][0], mode, encoding="utf-8", newline="")
    preset = {"preset": 9 | lzma.PRESET_EXTREME} if "w" in mode else {}
    return lzma.open(os.path.join(GOLDENS, group + ".txt.xz"), mode + "t", encoding="utf-8", newline="", **preset)


def recorded(group):
    try:
        with opened(group, "r") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def difference(group, now):
    with tempfile.TemporaryDirectory(prefix="assay-golden-") as folder:
        for name, text in (("recorded", recorded(group)), ("now", now)):
            with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as file:
                file.write(text)
        return subprocess.run(["diff", "-U2", f"--label=recorded/{group}", f"--label=now/{group}", "recorded", "now"], cwd=folder, check=False,
                              stdout=subprocess.PIPE, text=True).stdout


def renew():
    """Writes what is said now, and prints what changed."""
    os.makedirs(GOLDENS, exist_ok=True)
    for old in glob.glob(os.path.join(GOLDENS, "*.txt.xz")):
        if os.path.basename(old)[:-len(".txt.xz")] not in GROUPS:
            os.unlink(old)
            print(f"removed {os.path.basename(old)}")
    for group, now in zip((*PLAIN, *GROUPS), tap.together(said, (*PLAIN, *GROUPS))):
        if now != recorded(group):
            sys.stdout.write(difference(group, now))
            with opened(group, "w") as file:
                file.write(now)


class Goldens(unittest.TestCase):
    def check(self, group):
        now = said(group)
        if now != recorded(group):
            changes = difference(group, now).splitlines(True)
            self.fail(f"{len(changes)} lines of difference; `make goldens` shows all and renews them:\n" + "".join(changes[:60]))

    def test_they_are_all_of_recorded_runs(self):
        self.assertEqual(sorted(GROUPS), sorted(os.path.basename(path)[:-len(".txt.xz")] for path in glob.glob(os.path.join(GOLDENS, "*.txt.xz"))))
        self.assertLess(sum(os.path.getsize(path) for folder in (GOLDENS, STORES) for path in glob.glob(os.path.join(folder, "*.xz"))), 5 << 20)
        studies = {command_of(name) for name in NAMES}
        self.assertEqual(studies, {"caches", "clocks", "error", "measure", "overhead", "repeat", "stat", "truth", "validate"})


def add_cases():
    for group in (*PLAIN, *GROUPS):
        setattr(Goldens, f"test_{group}", lambda self, group=group: self.check(group))


if __name__ == "__main__":
    if sys.argv[1:] == ["--renew"]:
        renew()
    else:
        add_cases()
        tap.main()
