#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the bundled script of pages into a source archive (run by meson dist), so that building from it needs no Node.

dist-page.py SCRIPT
"""
import os
import shutil
import sys

script = sys.argv[1]
if not os.path.exists(script) or not os.path.getsize(script):
    sys.exit(f"{script} is not there or empty: the archive would have no pictures in pages; build with Node and npm first")
folder = os.path.join(os.environ["MESON_DIST_ROOT"], "web", "dist")
os.makedirs(folder, exist_ok=True)
shutil.copyfile(script, os.path.join(folder, "page.js"))
