# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls a stepped function with a world around it: emulates what the PMU would answer, updates the page at chosen
instruction boundaries, and judges what comes back."""
import struct
from typing import NamedTuple

ANSWER = struct.Struct("<QQQ??6xQ")  # struct answer of tests/stepper/stepped-reader.c
UNTOUCHED = 0x5ca1ab1e5ca1ab1e
STACK, ROOM = 4096, 64  # bytes of stack below the page; those of the answer, between the two
DEPTH = 1024  # bytes of stack that suffice, until it is known how many a function needs
PAGE = 128  # bytes of the page a reader may look at


class Torn(Exception):
    """A reader said something that was never true."""


class Answer(NamedTuple):
    count: int
    enabled: int
    running: int
    scheduled: bool
    fresh: bool
    status: int


class Bench:
    def __init__(self, isa, image, start):
        """`start` makes a stepper of the executable."""
        self.isa, self.image = isa, image
        symbols = image.symbols
        self.page, self.end = symbols["test_memory"] + STACK, symbols["test_end"]
        self.answer = self.page - ROOM
        self.depth = {}  # bytes of stack each function needs
        self.codes = image.trap(isa, "test_end")
        self.target = start(isa, image.path)

    def call(self, function, world):
        """Stands at the function's first instruction."""
        world.begin()
        self.target.write(self.answer, ANSWER.pack(UNTOUCHED, UNTOUCHED, UNTOUCHED, False, False, UNTOUCHED))
        self.target.write(self.page, world.page)
        self.target.set(self.isa.call(self.target, self.image.symbols[function], (self.page, self.answer),
                                      self.answer, self.end))

    def update(self, world, kind):
        world.update(kind)
        self.target.write(self.page, world.page)

    def emulate(self, world, registers):
        """Executes the instruction the program stands on if it reads a counter or the clock."""
        code = self.codes.get(registers[self.isa.pc])
        reading = code and self.isa.reading(code, registers)
        if not reading:
            return False
        if reading.what == "counter":
            if reading.index not in world.shown:
                raise Torn(f"counter {reading.index:#x} is read, which the page did not name: it would trap")
            value = world.counter(reading.index)
        else:
            value = world.ticks()
        self.target.set({**reading.values(value), self.isa.pc: registers[self.isa.pc] + reading.length})
        return True

    def step(self, world, registers):
        if not self.emulate(world, registers):
            self.target.step()
            world.look()
        return self.target.registers()

    def finish(self, world, registers=None):
        """Runs on, undisturbed, to the end."""
        registers = registers or self.target.registers()
        started = False
        while registers[self.isa.pc] != self.end:
            if len(world.asked) > len(world.epochs):
                raise Torn(f"{len(world.asked)} rounds after {len(world.epochs) - 1} updates")
            if not self.emulate(world, registers) and started:
                raise Torn(f"executes what is no instruction at {registers[self.isa.pc]:#x}")
            self.target.run()
            started = True
            registers = self.target.registers()
        return self.result()

    def result(self):
        return Answer(*ANSWER.unpack(self.target.read(self.answer, ANSWER.size)))

    def boundaries(self, function, world):
        """Calls the function, and stands."""
        self.call(function, world)
        return self.stand(function, world, self.target.registers())

    def stand(self, function, world, registers):
        """Steps to the end of the read, and stands still before each instruction: yields the registers, a way to come
        back, and the world. Whoever iterates may do with the program what they like in between."""
        low = self.answer - self.depth.get(function, DEPTH)
        lowest = self.answer
        while registers[self.isa.pc] != self.end:
            saved = self.target.save(low, self.page + PAGE - low)
            yield registers, saved, world
            self.target.restore(saved)
            registers = self.step(world, registers)
            lowest = min(lowest, registers[self.isa.stack])
        self.depth[function] = max(self.depth.get(function, 0), self.answer - lowest + self.isa.red_zone)


def judge(answer, world, full):
    """Was all of it true at moments of one epoch? Says which, or raises."""
    for number, epoch in enumerate(world.epochs):
        if (full_truth if full else count_truth)(answer, epoch, world.isa):
            return number
    told = answer._fields if full else ("count", "status")
    said = ", ".join(f"{name} {getattr(answer, name)}" for name in told)
    raise Torn(f"no moment had: {said}; the page's: {[epoch.page for epoch in world.epochs]}")


def readable(epoch, isa):
    return not epoch.page.index or epoch.page.index not in isa.unnamed


def count_truth(answer, epoch, isa):
    if answer.status == 0:
        return answer.count == UNTOUCHED and not readable(epoch, isa)
    return answer.status == 1 and readable(epoch, isa) and any(
        answer.count == count for count, _, _ in epoch.moments)


def full_truth(answer, epoch, isa):
    possible = epoch.page.user_counter and readable(epoch, isa)
    if answer.status == 0:
        return answer.count == UNTOUCHED and not possible
    if not possible or not count_truth(answer, epoch, isa) or answer.scheduled != bool(epoch.page.index):
        return False
    if answer.fresh != bool(epoch.page.user_time and epoch.page.index):
        return False
    if answer.fresh:
        return any((answer.enabled, answer.running) == (enabled, running) for _, enabled, running in epoch.moments)
    return (answer.enabled, answer.running) == (epoch.page.enabled, epoch.page.running)
