# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of lost and killed processes share: a long run, who runs below whom, and waiting for what must come."""
import os
import time

PATIENCE = 120  # seconds for something that must happen: only a limit, the machine may be busy

# A run that lasts longer than any test waits, on an event that ordinary users may count too.
LONG = ["measure", "--event", "page-faults:u", "--specimen", "loop", "--n", "1000000000", "--runs", "1000",
        "--no-overhead", "--quiet"]


def parent_of(pid):
    """Parent and start time, or None when the process has gone or is only waiting to be reaped."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else (int(fields[1]), fields[19])


def every():
    """{pid: parent and start time} of every process at one moment; None for those that have gone."""
    return {int(name): parent_of(int(name)) for name in os.listdir("/proc") if name.isdigit()}


def children(root):
    """Those that a process started itself and that still run."""
    return [pid for pid, facts in every().items() if facts and facts[0] == root]


def descendants(root):
    """{pid: start time} of everything below a process."""
    table = every()
    found, waiting = {}, [root]
    while waiting:
        above = waiting.pop()
        below = [pid for pid, facts in table.items() if facts and facts[0] == above]
        found.update({pid: table[pid][1] for pid in below})
        waiting += below
    return found


def eventually(condition):
    """Waits for a condition that must come true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def wait_until(condition):
    if not eventually(condition):
        raise AssertionError("it did not happen")
