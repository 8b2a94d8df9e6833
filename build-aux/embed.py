#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes files as constants of a C source: embed.py OUTPUT HEADER NAME=FILE...

NAME becomes `const unsigned char NAME[]` and `const size_t NAME_size`, as HEADER declares them. Without a file (NAME=) the
size is 0. A NUL stands behind the bytes, which the size does not count.
"""
import sys

WIDTH = 100
ESCAPES = {ord('"'): '\\"', ord("\\"): "\\\\", ord("?"): "\\?", ord("\n"): "\\n"}


def literal(byte):
    """A byte in a string of C; octal ends after three digits whatever follows, and no trigraph can arise."""
    return ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")


def definition(name, content):
    lines = ["".join(map(literal, content[at:at + WIDTH])) for at in range(0, len(content), WIDTH)] or [""]
    text = "\n".join(f'    "{line}"' for line in lines)
    return f"const unsigned char {name}[] =\n{text};\nconst size_t {name}_size = sizeof {name} - 1;\n"


def main():
    output, header, *assignments = sys.argv[1:]
    parts = [f'#include "{header}"\n']
    for assignment in assignments:
        name, _, path = assignment.partition("=")
        content = b""
        if path:
            with open(path, "rb") as file:
                content = file.read()
        parts.append(definition(name, content))
    with open(output, "w", encoding="ascii") as out:
        out.write("\n".join(parts))


if __name__ == "__main__":
    main()
