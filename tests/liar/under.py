# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the product is put under the liar, and where that cannot be done."""
import functools
import os
import shlex
import subprocess
import unittest

LIAR = os.environ.get("LIAR", "build/tests/liar/liar")
# A counter by stepping, in the harnesses only: what merely looks whether something counts is not worth the time.
EMULATED = ["--emulate", "--step", "harness"]


def via(*options):
    """The transport that runs the probe under the liar."""
    return "exec:" + " ".join(shlex.quote(word) for word in [LIAR, *options, "--"])


@functools.cache
def lack():
    """Why nothing can be run under the liar here; None when it can."""
    run = subprocess.run([LIAR, "--", "true"], capture_output=True, text=True, timeout=120, check=False)
    return None if run.returncode == 0 else run.stderr.strip() or f"the liar ended with {run.returncode}"


@functools.cache
def stepping_lack():
    """Why nothing can be stepped here; None when it can."""
    if lack():
        return lack()
    with open("/proc/self/status", encoding="utf-8") as status:
        if any(line.startswith("TracerPid:") and line.split()[1] != "0" for line in status):
            return "this test is traced itself"
    try:
        with open("/proc/sys/kernel/yama/ptrace_scope", encoding="utf-8") as scope:
            if int(scope.read()) > 2:
                return "ptrace is switched off (kernel.yama.ptrace_scope)"
    except FileNotFoundError:
        pass
    return None


def needs_liar(case):
    return unittest.skipIf(lack(), lack())(case)


def needs_stepping(case):
    return unittest.skipIf(stepping_lack(), stepping_lack())(case)
