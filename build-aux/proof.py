#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns the rows of one ISA in the record of proofs into C.

proof.py OUTPUT TABLE ISA

A row is `ISA SPECIMEN CLASS SOURCES`, SOURCES separated by commas; # begins a remark. A malformed or doubled row ends the build.
"""
import re
import sys

WORD = re.compile(r"[a-z0-9][a-z0-9_-]*")
SOURCE = re.compile(r"[a-z0-9]+(/[a-z0-9]+)?")


def rows(path):
    seen = {}
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            where = f"{path}:{number}"
            if len(words) != 4 or not all(WORD.fullmatch(word) for word in words[:3]):
                sys.exit(f"{where}: a row is ISA SPECIMEN CLASS SOURCES")
            sources = words[3].split(",")
            if not all(SOURCE.fullmatch(source) for source in sources) or len(set(sources)) != len(sources):
                sys.exit(f"{where}: SOURCES are names, each once, separated by commas")
            if tuple(words[:3]) in seen:
                sys.exit(f"{where}: stands in line {seen[tuple(words[:3])]} already")
            seen[tuple(words[:3])] = number
            yield words


def main():
    output, table, isa = sys.argv[1:]
    chosen = sorted((specimen, name, sources) for row_isa, specimen, name, sources in rows(table) if row_isa == isa)
    with open(output, "w", encoding="utf-8") as out:
        out.write("/* Generated from proof.table by build-aux/proof.py. */\n")
        out.write('#include "specimens/specimen.h"\n\n')
        out.write("const struct proof proof_records[] = {\n")
        for row in chosen:
            out.write("    {%s},\n" % ", ".join(f'"{word}"' for word in row))
        out.write("    {NULL, NULL, NULL},\n};\n")
        out.write(f"const size_t proof_record_count = {len(chosen)};\n")


if __name__ == "__main__":
    main()
