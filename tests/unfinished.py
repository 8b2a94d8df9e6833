# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stores that are made other than they were measured: runs that never ended, which have no checksum to notice it."""
import shutil
import sqlite3


def unfinish(path, *statements):
    """Executes statements, each SQL or SQL with its values, and leaves a run that never ended. Returns the path."""
    store = sqlite3.connect(path)
    with store:
        for statement in statements:
            store.execute(*((statement,) if isinstance(statement, str) else statement))
        store.execute("DELETE FROM meta WHERE key IN ('finished', 'checksum', 'checksums')")
    store.close()
    return path


def changed(source, target, *statements):
    """A copy of source, changed so."""
    return unfinish(shutil.copyfile(source, target), *statements)
