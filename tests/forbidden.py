# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests share that take the CPU's counter of time away (PR_SET_TSC): the helpers, and why it cannot be done here."""
import ctypes
import os
import struct

import tap

DENY = os.environ.get("DENY_TICKS", "")      # a static program that forbids it and runs another
FORBID = os.environ.get("FORBID_TICKS", "")  # an object for LD_PRELOAD that forbids it once it is loaded
PR_GET_TSC = 25
PT_INTERP = 3


def needs_loader(path):
    """Is the program linked dynamically? Then it reads the counter before it begins."""
    with open(path, "rb") as file:
        header = file.read(64)
        offset, = struct.unpack_from("<Q", header, 32)
        size, count = struct.unpack_from("<HH", header, 54)
        file.seek(offset)
        table = file.read(size * count)
    return any(struct.unpack_from("<I", table, size * index)[0] == PT_INTERP for index in range(count))


def to_assay():
    """How assay itself is run where it is forbidden: what stands before it, and in its environment. Where it is linked dynamically
    that can only be forbidden once it was loaded."""
    if needs_loader(tap.ASSAY):
        return {"env": {"LD_PRELOAD": FORBID}}
    return {"prefix": [DENY]}


def why_not():
    """Why nothing of this can be tried here; None where it can."""
    mode = ctypes.c_int(0)
    if ctypes.CDLL(None).prctl(PR_GET_TSC, ctypes.byref(mode), 0, 0, 0) != 0:
        return "nobody can forbid reading the counter of time here"
    if needs_loader(os.path.join(tap.KIT, "assay-probe")):
        return "the probe is linked dynamically in this build: it would die as it starts"
    return None
