# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kits of a build folder: the own one, and one for every ISA that has a file in cross/.

Those files are the one table of ISAs: tests name none. `each` makes one copy of a test class for each kit."""
import configparser
import os
import shutil
import subprocess
import sys
import unittest

import tap

BUILD = os.environ.get("ASSAY_BUILD", "build")


class Kit:
    def __init__(self, isa):
        """isa: of a cross file, or None for the own kit."""
        self.isa = isa or os.path.basename(tap.KIT)
        self.folder = os.path.join(BUILD, "libexec/assay", isa) if isa else tap.KIT
        self.build = os.path.join(BUILD, "cross", isa) if isa else BUILD
        self.cross = {}
        if isa:
            parser = configparser.ConfigParser()
            parser.read(os.path.join(tap.SOURCE, "cross", isa + ".ini"), encoding="utf-8")
            self.cross = {name: value.strip("'") for section in ("binaries", "properties") if parser.has_section(section)
                          for name, value in parser.items(section)}

    def tool(self, name):
        """What the toolchain of the kit calls objdump, readelf, nm …"""
        return self.cross.get(name, name)

    def absence(self):
        """Why there is no kit to be tested, or ""."""
        if os.path.exists(os.path.join(self.folder, "manifest")):
            return ""
        return f"{BUILD} has no kit for {self.isa}: scripts/kits {BUILD} {self.isa} builds it, or says why it cannot"

    def emulator(self):
        """The words before a program of this kit, with its libraries where the compiler has them."""
        if not self.cross:
            return []
        libc = subprocess.run([self.cross["c"], "-print-file-name=libc.a"], capture_output=True, text=True, check=True).stdout
        return [self.cross["qemu_user"], "-L", os.path.dirname(os.path.dirname(os.path.realpath(libc.strip())))]

    def emulator_absence(self):
        if not self.cross or shutil.which(self.cross["qemu_user"]):
            return ""
        return f"{self.cross['qemu_user']} is not installed"


def foreign():
    names = sorted(name[:-len(".ini")] for name in os.listdir(os.path.join(tap.SOURCE, "cross")) if name.endswith(".ini"))
    return [Kit(name) for name in names if name != os.uname().machine]


def each(kits):
    """Class decorator: the class once for every kit, as NAME_ISA with the kit in `kit`; skipped with the reason where it was
    not built."""
    def copies(case):
        module = sys.modules[case.__module__]
        for kit in kits:
            copy = type(f"{case.__name__}_{kit.isa}", (case, unittest.TestCase), {"kit": kit, "__module__": case.__module__})
            setattr(module, copy.__name__, unittest.skipIf(kit.absence(), kit.absence())(copy))
        return case
    return copies
