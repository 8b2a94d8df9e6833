# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between ISAs for the stepper: registers, calls, and the instructions that read a counter or the clock.

Registers are numbered as GDB does. An instruction that is emulated is described by a Reading: what it reads (a counter
by its index in the perf page less one, or the clock), how long it is, and which registers take which part of it."""
import struct
from typing import NamedTuple

LOW32 = (1 << 32) - 1
LOW64 = (1 << 64) - 1


class Reading(NamedTuple):
    what: str  # "counter" or "clock"
    index: int  # of the counter
    length: int  # of the instruction in bytes
    halves: tuple  # registers: one for 64 bits, or the low and the high half

    def values(self, value):
        if len(self.halves) == 1:
            return {self.halves[0]: value & LOW64}
        return {self.halves[0]: value & LOW32, self.halves[1]: value >> 32 & LOW32}


class X86:
    name, qemu, pc, stack = "x86_64", "qemu-x86_64", 16, 7
    arguments = (5, 4)
    red_zone = 128
    illegal, alignment = b"\x0f\x0b", 1
    indices = (1, 2, 4, 0x40000001, 0x40000003)
    named = indices  # every counter the instruction can name, less those that differ by the number alone
    unnamed = ()
    widths = (48, 40, 32, 64)
    RAX, RCX, RDX = 0, 2, 3

    def call(self, target, function, arguments, top, end):
        """A call as the ABI has it: the stack holds the return address."""
        top -= 8
        target.write(top, struct.pack("<Q", end))
        return {**dict(zip(self.arguments, arguments)), self.stack: top, self.pc: function}

    def reading(self, code, registers):
        if code[:2] == b"\x0f\x33":
            return Reading("counter", registers[self.RCX] & LOW32, 2, (self.RAX, self.RDX))
        if code[:2] == b"\x0f\x31":
            return Reading("clock", 0, 2, (self.RAX, self.RDX))
        if code[:3] == b"\x0f\x01\xf9":
            return Reading("clock", 0, 3, (self.RAX, self.RDX))
        return None


class LinkRegister:
    """ISAs of 32-bit instructions that return through a register."""
    red_zone = 0
    illegal, alignment = bytes(4), 4
    link = 0
    arguments = ()

    def call(self, _target, function, arguments, top, end):
        return {**dict(zip(self.arguments, arguments)), self.stack: top, self.link: end, self.pc: function}

    def reading(self, code, _registers):
        if len(code) < 4:
            return None
        word, = struct.unpack("<I", code)
        found = self.source(word)
        return found and Reading(found[0], found[1], 4, (found[2],))


class AArch64(LinkRegister):
    name, qemu, pc, stack, link = "aarch64", "qemu-aarch64", 32, 31, 30
    arguments = (0, 1)
    indices = (1, 2, 6, 31, 32)
    named = tuple(range(1, 33))
    unnamed = (33, 34, 64, 0x40000001, 0xffffffff)
    widths = (32, 64)
    CYCLES, CLOCK, CLOCK_ORDERED = 0xd53b9d00, 0xd53be040, 0xd53be0c0

    def source(self, word):
        register = word & 31
        system = word & ~31
        if system & 0xfffffc00 == 0xd53be800:  # PMEVCNTR<n>_EL0, n in five bits from bit 5 on
            return "counter", system >> 5 & 31, register
        if system == self.CYCLES:
            return "counter", 31, register
        if system in (self.CLOCK, self.CLOCK_ORDERED):
            return "clock", 0, register
        return None


class RiscV(LinkRegister):
    name, qemu, pc, stack, link = "riscv64", "qemu-riscv64", 32, 2, 1
    arguments = (10, 11)
    alignment = 2
    indices = (1, 3, 4, 17, 32)
    named = (1, *range(3, 33))  # 2 is the clock, no counter of an event
    unnamed = (33, 34, 64, 0x40000001, 0xffffffff)
    widths = (64, 48, 40, 32)

    def source(self, word):
        if word & 0x000ff07f != 0x00002073:  # csrrs rd, csr, zero
            return None
        number, register = word >> 20, word >> 7 & 31
        if number == 0xc01:
            return "clock", 0, register
        if 0xc00 <= number < 0xc20:
            return "counter", number - 0xc00, register
        return None


ISAS = {isa.name: isa for isa in (X86(), AArch64(), RiscV())}
