#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Installs the kits for other ISAs that lie in the build folder (scripts/kits puts them there).

install-kits.py LIBEXEC OWN; Meson runs it at the end of an installation and says in the environment
where that goes. The own kit is installed by Meson itself. A kit without a manifest is not whole, and
left out.
"""
import os
import shutil
import sys
from pathlib import Path


def main():
    libexec, own = sys.argv[1:]
    place = Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"]) / libexec
    for manifest in sorted(Path(os.environ["MESON_BUILD_ROOT"]).glob("libexec/assay/*/manifest")):
        kit = manifest.parent
        if kit.name == own:
            continue
        target = place / kit.name
        if target.exists():
            shutil.rmtree(target)
        shutil.copytree(kit, target)
        if not os.environ.get("MESON_INSTALL_QUIET"):
            print(f"Installing {kit} to {target}")


if __name__ == "__main__":
    main()
