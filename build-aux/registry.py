#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a registry: the array of all things of a kind, from the names in a build list.

registry.py [--sort] OUTPUT HEADER TYPE ARRAY PREFIX NAME...

Every NAME stands for one object `const TYPE PREFIXname`, which a file of the build list defines.
"""
import sys


def main():
    ordered = sys.argv[1] != "--sort"
    output, header, kind, array, prefix, *names = sys.argv[1:] if ordered else sys.argv[2:]
    names = names if ordered else sorted(names)
    symbols = [prefix + name.replace("-", "_") for name in names]
    with open(output, "w", encoding="utf-8") as out:
        out.write("/* Generated from the build list by build-aux/registry.py. */\n")
        out.write(f'#include "{header}"\n\n')
        for symbol in symbols:
            out.write(f"extern const {kind} {symbol};\n")
        out.write(f"\nconst {kind} *const {array}[] = {{\n")
        for symbol in symbols:
            out.write(f"    &{symbol},\n")
        out.write("    NULL,\n};\n")


if __name__ == "__main__":
    main()
