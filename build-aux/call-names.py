# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a table of system calls by number: call-names.py OUTPUT ARRAY HEADER COMPILER…

The names are those that the header of the target's operating system defines as __NR_NAME, asked of the compiler; the
numbers are left to it too. A header that is not there (the 32-bit one of an ISA that has none) makes an empty table."""
import re
import subprocess
import sys

NOT_CALLS = {"syscalls", "arch_specific_syscall", "SYSCALL_BASE", "OABI_SYSCALL_BASE", "Linux", "64_Linux"}


def names(header, compiler):
    answer = subprocess.run([*compiler, "-E", "-dM", "-include", header, "-x", "c", "/dev/null"], capture_output=True, text=True,
                            check=False)
    if answer.returncode:
        return []
    return sorted(set(re.findall(r"^#define __NR_(\w+) ", answer.stdout, re.MULTILINE)) - NOT_CALLS)


def main(output, array, header, *compiler):
    found = names(header, compiler)
    with open(output, "w", encoding="utf-8") as file:
        file.write('#include "probe/command/detail.h"\n')
        if found:
            file.write(f"#include <{header}>\n")
        file.write(f"const char *const {array}[CALL_NUMBERS] = {{\n")
        for name in found:
            file.write(f'    [__NR_{name} < CALL_NUMBERS ? __NR_{name} : CALL_NUMBERS - 1] = "{name}",\n')
        file.write("};\n")


main(*sys.argv[1:])
