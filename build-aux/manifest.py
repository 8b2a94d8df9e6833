#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gathers the kit: copies its files into one folder and writes the manifest beside them.

manifest.py MANIFEST FOLDER ISA FILE... [--harness NAME LINK]... [--absent KIND NAME REASON]...
manifest.py --restamp FOLDER

MANIFEST is the build's own copy (a target needs an output); FOLDER is where the kit lies, ready to
run. The build id is a hash over the names and contents of all files, so that two kits with the same
id are the same kit. --restamp: the files of a kit were changed on purpose (stripped), and its id
follows.
"""
import argparse
import hashlib
import os
import shutil
import sys
from pathlib import Path


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("manifest", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("isa")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--harness", nargs=2, action="append", default=[])
    parser.add_argument("--absent", nargs=3, action="append", default=[])
    return parser.parse_args()


def build_id(files):
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda path: path.name):
        content = file.read_bytes()
        digest.update(f"{file.name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def place(source, folder):
    """Copies beside the target and renames: a running kit is never written into."""
    partial = folder / f".{source.name}.new"
    shutil.copy2(source, partial)
    os.replace(partial, folder / source.name)


def restamp(folder):
    manifest = folder / "manifest"
    files = [file for file in folder.iterdir() if file != manifest]
    lines = manifest.read_text(encoding="utf-8").splitlines()
    lines = [f"build {build_id(files)}" if line.startswith("build ") else line for line in lines]
    manifest.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    if sys.argv[1:2] == ["--restamp"]:
        restamp(Path(sys.argv[2]))
        return
    arguments = parse()
    lines = ["assay-kit 1", f"build {build_id(arguments.files)}", f"isa {arguments.isa}"]
    lines += [f"harness {name} {link}" for name, link in arguments.harness]
    lines += [f"absent {kind} {name} {reason}" for kind, name, reason in arguments.absent]
    arguments.manifest.write_text("\n".join(lines) + "\n", encoding="utf-8")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    wanted = {file.name for file in arguments.files} | {"manifest"}
    for stale in arguments.folder.iterdir():
        if stale.name not in wanted:
            stale.unlink()
    for file in arguments.files:
        place(file, arguments.folder)
    # The manifest last: who finds it finds a complete kit.
    partial = arguments.folder / ".manifest.new"
    partial.write_bytes(arguments.manifest.read_bytes())
    os.replace(partial, arguments.folder / "manifest")


if __name__ == "__main__":
    main()
