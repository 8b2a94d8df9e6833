#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bundles the script of pages with npm and esbuild.

bundle.py SOURCE FOLDER OUTPUT NODE NPM [--required] [--with-tests]

SOURCE is web/. Its packages are taken from SOURCE/node_modules where they are those of the lockfile, and are installed into
FOLDER otherwise, once: what is there already is not fetched again. Where they cannot be had, OUTPUT is left empty and pages
have tables without pictures; with --required that is a failure. --with-tests installs what the tests of pages need, too.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys

LOCK = "package-lock.json"
# A machine without a network should learn it soon.
INSTALL = ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1",
           "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"]


def packages(path, with_tests):
    """Folder -> version of what a lockfile demands; optional packages are for other platforms, or were needed and are there."""
    with open(path, encoding="utf-8") as lock:
        listed = json.load(lock)["packages"]
    return {folder: about["version"] for folder, about in listed.items()
            if folder and not about.get("optional") and (with_tests or not about.get("dev"))}


def installed(source, folder, with_tests):
    """Whether npm finished installing these versions there: it then writes a lockfile of its own."""
    try:
        there = packages(os.path.join(folder, "node_modules", ".package-lock.json"), True)
    except (OSError, ValueError, KeyError):
        return False
    return packages(os.path.join(source, LOCK), with_tests).items() <= there.items()


def install(source, folder, npm, with_tests):
    os.makedirs(folder, exist_ok=True)
    for name in ("package.json", LOCK, ".npmrc"):
        shutil.copyfile(os.path.join(source, name), os.path.join(folder, name))
    command = [npm, *INSTALL] + ([] if with_tests else ["--omit=dev"])
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        words = [line for line in done.stderr.splitlines() if line.strip()]
        raise RuntimeError("npm could not install the packages of web/package-lock.json: " + " ".join(words[:2]))


def bundle(source, folder, output, node):
    done = subprocess.run([node, os.path.join(source, "build.mjs"), source, output], capture_output=True, text=True, check=False,
                          env=dict(os.environ, NODE_PATH=os.path.join(folder, "node_modules")), stdin=subprocess.DEVNULL)
    if done.returncode:
        raise SystemExit(f"{done.stderr}bundle.py: the script of pages could not be bundled")


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "folder", "output"):
        parser.add_argument(name, type=os.path.abspath)
    for name in ("node", "npm"):
        parser.add_argument(name)
    for name in ("--required", "--with-tests"):
        parser.add_argument(name, action="store_true")
    given = parser.parse_args()
    folder = given.folder
    try:
        if installed(given.source, given.source, given.with_tests):
            folder = given.source
        elif not installed(given.source, folder, given.with_tests):
            install(given.source, folder, given.npm, given.with_tests)
    except (OSError, RuntimeError) as reason:
        if given.required:
            raise SystemExit(f"bundle.py: {reason}") from reason
        print(f"assay report: pages will hold tables and no pictures: {reason}\n"
              f"    Once they can be installed: make run, or rm {given.output} and build again.", file=sys.stderr)
        with open(given.output, "w", encoding="utf-8"):
            return
    bundle(given.source, folder, given.output, given.node)


if __name__ == "__main__":
    main()
