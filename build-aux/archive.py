#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the static library that is installed: one object in which only the public names are global.

archive.py OUTPUT INPUT MAP OBJCOPY AR COMPILER...

INPUT is the archive the product itself links, with all its inner names; MAP is the shared library's
version script, so both kinds of library offer the same names.
"""
import os
import re
import subprocess
import sys
import tempfile


def public_names(path):
    with open(path, encoding="utf-8") as script:
        text = re.sub(r"/\*.*?\*/", "", script.read(), flags=re.S)
    return re.findall(r"^\s+(\w+);", text.partition("local:")[0], flags=re.M)


def main():
    output, archive, version_script, objcopy, ar, *compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        whole, names = os.path.join(folder, "assay.o"), os.path.join(folder, "names")
        with open(names, "w", encoding="utf-8") as out:
            out.write("\n".join(public_names(version_script)) + "\n")
        subprocess.run([*compiler, "-r", "-nostdlib", "-o", whole, "-Wl,--whole-archive", archive],
                       check=True)
        subprocess.run([objcopy, "--keep-global-symbols=" + names, whole], check=True)
        if os.path.exists(output):
            os.unlink(output)
        subprocess.run([ar, "rcs", output, whole], check=True)


if __name__ == "__main__":
    main()
