# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The few things the stepper must know of an ELF64 executable: where its symbols stand, and its code."""
import struct

SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
SYMBOL_TABLE, EXECUTABLE = 2, 4
NO_REGISTERS = (0,) * 64


class Image:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.content = content = file.read()
        offset, = struct.unpack_from("<Q", content, 40)
        size, count = struct.unpack_from("<HH", content, 58)
        sections = [SECTION.unpack_from(content, offset + size * number) for number in range(count)]
        self.path = path
        self.symbols = {}  # name -> address
        self.code = []  # (address, place in the file, length) of every executable section
        for _, kind, flags, address, start, length, link, *_ in sections:
            if kind == SYMBOL_TABLE:
                names = content[sections[link][4]:]
                for entry in SYMBOL.iter_unpack(content[start:start + length]):
                    name = names[entry[0]:names.index(b"\0", entry[0])].decode()
                    self.symbols[name] = entry[4]
            elif flags & EXECUTABLE:
                self.code.append((address, start, length))

    def trap(self, isa, name):
        """Replaces every instruction that reads a counter or the clock, and the one at the symbol, by one that does
        not exist: the program stops there at full speed. Gives the bytes that were there by their address."""
        replaced = {}
        content = bytearray(self.content)
        for address, start, length in self.code:
            for place in range(0, length, isa.alignment):
                code = self.content[start + place:start + place + 4]
                if isa.reading(code, NO_REGISTERS) or address + place == self.symbols[name]:
                    replaced[address + place] = code
                    content[start + place:start + place + len(isa.illegal)] = isa.illegal
        with open(self.path, "wb") as file:
            file.write(content)
        return replaced
