# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program under QEMU's user mode, stopped and stepped through GDB's remote protocol on a socket of our own.

Stops are what costs most, because QEMU then forgets all it has translated; round trips come next: writes wait until the
program runs, so that registers travel as one packet, and memory that is written in pieces too."""
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time


STOPS = ("T05", "T04")  # SIGTRAP after a step, SIGILL


class Lost(Exception):
    """The program faulted, ended, or did not stop in time."""


def possible(isa):
    """Why programs of the ISA cannot be stepped here; None where they can."""
    return None if shutil.which(isa.qemu) else f"{isa.qemu} is not installed"


class Remote:
    PATIENCE = 20  # seconds until a program that does not stop counts as one that never will

    def __init__(self, isa, path):
        self.isa, self.buffer, self.acknowledge = isa, b"", b""
        self.general, self.changed, self.memory = None, False, None  # what the stub shall have before the program runs
        self.folder = tempfile.mkdtemp(prefix="stepper-")
        name = os.path.join(self.folder, "s")
        self.socket = None
        self.process = subprocess.Popen([isa.qemu, "-g", name, path], stdin=subprocess.DEVNULL)
        try:
            self.socket = self.connect(name)
            self.ask("?")
        except BaseException:
            self.close()
            raise

    def connect(self, name):
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(self.PATIENCE)
        deadline = time.monotonic() + self.PATIENCE
        while True:
            try:
                link.connect(name)
                return link
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    link.close()
                    raise Lost(f"{self.isa.qemu} offers no socket for a debugger") from None
                time.sleep(0.01)

    def close(self):
        self.process.kill()
        self.process.wait()
        if self.socket:
            self.socket.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # packets

    def answer(self):
        while True:
            start = self.buffer.find(b"$")
            end = self.buffer.find(b"#", start + 1)
            if start >= 0 and 0 <= end and len(self.buffer) >= end + 3:
                packet, self.buffer = self.buffer[start + 1:end], self.buffer[end + 3:]
                return packet.decode()
            try:
                more = self.socket.recv(65536)
            except TimeoutError:
                raise Lost("the program did not stop: it loops without reading a counter") from None
            if not more:
                raise Lost("the program ended")
            self.buffer += more

    def ask(self, text):
        """One round trip. What acknowledges the last answer travels with the next packet."""
        packet = text.encode()
        self.socket.sendall(b"%s$%s#%02x" % (self.acknowledge, packet, sum(packet) & 255))
        self.acknowledge = b"+"
        return self.answer()

    def order(self, text):
        reply = self.ask(text)
        if reply != "OK":
            raise Lost(f"the stub refused {text[:40]}: {reply}")

    def flush(self):
        if self.memory:
            address, content = self.memory
            self.memory = None
            for start in range(0, len(content), 1024):
                part = content[start:start + 1024]
                self.order(f"M{address + start:x},{len(part):x}:{part.hex()}")
        if self.changed:
            self.changed = False
            self.order("G" + self.general.hex())

    # what a stepper can do

    def go(self, how):
        self.flush()
        self.general = None
        reply = self.ask(how)
        if reply[:3] not in STOPS:
            raise Lost(f"the program faulted: {reply}")

    def step(self):
        self.go("s")

    def run(self):
        """On to the next instruction that does not exist: Image.trap() puts them where the program shall stop."""
        self.go("c")

    def registers(self):
        """All registers up to the program counter."""
        if self.general is None:
            self.general = bytearray.fromhex(self.ask("g"))
        return struct.unpack_from(f"<{self.isa.pc + 1}Q", self.general)

    def set(self, values):
        self.registers()
        self.changed = True
        for number, value in values.items():
            struct.pack_into("<Q", self.general, 8 * number, value)

    def read(self, address, length):
        self.flush()
        return bytes.fromhex(self.ask(f"m{address:x},{length:x}"))

    def write(self, address, content):
        """Into the memory that restore() is about to write, where it lies inside."""
        if self.memory:
            start, waiting = self.memory
            if start <= address and address + len(content) <= start + len(waiting):
                waiting[address - start:address - start + len(content)] = content
                return
            self.flush()
        self.memory = (address, bytearray(content))

    def save(self, address, length):
        """Everything the program's next steps depend on: registers, and the memory it writes. (Vector registers are
        among them on x86-64 only. The readers use none; one that did would seem torn, not right.)"""
        self.registers()
        self.flush()
        return bytes(self.general), address, self.read(address, length)

    def restore(self, saved):
        general, address, content = saved
        self.general, self.changed, self.memory = bytearray(general), True, (address, bytearray(content))
