# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program on this very CPU, stopped and stepped through ptrace(2): the second stepper beside remote.py, with which it
shares nothing but what a stepper can do."""
import ctypes
import errno
import os
import platform
import signal
import struct

from stepper.remote import Lost

TRACEME, CONT, SINGLESTEP, GETREGSET, SETREGSET, SETOPTIONS, EXITKILL = 0, 7, 9, 0x4204, 0x4205, 0x4200, 0x100000
GENERAL, FLOATING = 1, 2  # NT_PRSTATUS, NT_PRFPREG
# Where each register of isa.py stands in the operating system's account of them, in words.
ORDER = {"x86_64": (10, 5, 11, 12, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16), "aarch64": tuple(range(33))}


class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def ptrace():
    call = ctypes.CDLL(None, use_errno=True).ptrace
    call.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    call.restype = ctypes.c_long
    return call


def possible(isa):
    """Why programs of the ISA cannot be stepped here; None where they can."""
    if platform.machine() != isa.name:
        return f"the CPU is no {isa.name}"
    if isa.name not in ORDER:
        return f"ptrace cannot step on {isa.name}"
    child = os.fork()
    if child == 0:
        os._exit(0 if ptrace()(TRACEME, 0, None, None) == 0 else 1)
    return "ptrace is refused here" if os.waitpid(child, 0)[1] else None


class Traced:
    def __init__(self, isa, path):
        self.order = ORDER[isa.name]
        self.ptrace = ptrace()
        self.memory = None
        self.child = os.fork()
        if self.child == 0:
            try:
                if self.ptrace(TRACEME, 0, None, None) == 0:
                    os.execv(path, [path])
            finally:
                os._exit(127)
        try:
            self.wait(signal.SIGTRAP)
            self.trace(SETOPTIONS, None, EXITKILL)
            self.memory = os.open(f"/proc/{self.child}/mem", os.O_RDWR)
        except BaseException:
            self.close()
            raise

    def close(self):
        if self.memory is not None:
            os.close(self.memory)
        if self.child:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)

    def trace(self, request, address, argument):
        if self.ptrace(request, self.child, address, argument) < 0:
            reason = ctypes.get_errno()
            raise Lost(f"ptrace was refused: {errno.errorcode.get(reason, reason)}")

    def wait(self, *expected):
        _, status = os.waitpid(self.child, 0)
        if not os.WIFSTOPPED(status):
            self.child = 0
            raise Lost("the program ended")
        if os.WSTOPSIG(status) not in expected:
            raise Lost(f"the program faulted: {signal.Signals(os.WSTOPSIG(status)).name}")

    def set_of(self, kind, content=None):
        """Reads one set of registers, or writes it."""
        buffer = ctypes.create_string_buffer(content if content else bytes(4096), len(content or bytes(4096)))
        part = Part(ctypes.addressof(buffer), len(buffer))
        self.trace(SETREGSET if content else GETREGSET, kind, ctypes.addressof(part))
        return buffer.raw[:part.length]

    # what a stepper can do

    def step(self):
        self.trace(SINGLESTEP, None, None)
        self.wait(signal.SIGTRAP)

    def run(self):
        """On to the next instruction that does not exist."""
        self.trace(CONT, None, None)
        self.wait(signal.SIGILL)

    def registers(self):
        general = self.set_of(GENERAL)
        words = struct.unpack_from(f"<{len(general) // 8}Q", general)
        return tuple(words[place] for place in self.order)

    def set(self, values):
        general = bytearray(self.set_of(GENERAL))
        for number, value in values.items():
            struct.pack_into("<Q", general, 8 * self.order[number], value)
        self.set_of(GENERAL, bytes(general))

    def read(self, address, length):
        return os.pread(self.memory, length, address)

    def write(self, address, content):
        os.pwrite(self.memory, content, address)

    def save(self, address, length):
        return self.set_of(GENERAL), self.set_of(FLOATING), address, self.read(address, length)

    def restore(self, saved):
        general, floating, address, content = saved
        self.set_of(GENERAL, general)
        self.set_of(FLOATING, floating)
        self.write(address, content)
