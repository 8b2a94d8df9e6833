# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A model of one perf event: the true count and times, the hardware counter, and the page as Linux keeps it.

The world moves on at every look (more is counted, time passes) and remembers each moment of it. A reading is right
when all it says was true at moments of one and the same epoch: the span between two updates of the page."""
import copy
import struct
from typing import NamedTuple

LOW64 = (1 << 64) - 1
PAGE = struct.Struct("<IIIIQQQQHHIQQIIQQ")
DEPRECATED, COUNTER, TIME, NARROW = 2, 4, 8, 32  # bits of the page's capabilities
STRIDE = 7919  # events a look: an answer that is one off is no true count of any moment
CLOCK_BITS = 56  # of a clock that is shorter than 64 bits


class Dice:
    """Pseudo-random numbers from one word of state, so that a world is cheap to copy (splitmix64)."""

    def __init__(self, seed):
        self.state = seed

    def bits(self, count):
        self.state = (self.state + 0x9e3779b97f4a7c15) & LOW64
        value = ((self.state ^ self.state >> 30) * 0xbf58476d1ce4e5b9) & LOW64
        value = ((value ^ value >> 27) * 0x94d049bb133111eb) & LOW64
        return (value ^ value >> 31) >> (64 - count)

    def between(self, first, end):
        return first + self.bits(64) % (end - first)

    def choice(self, choices):
        return choices[self.bits(64) % len(choices)]


class Page(NamedTuple):
    """What of the page decides which answer is right."""
    index: int
    enabled: int
    running: int
    user_counter: bool
    user_time: bool


class Epoch(NamedTuple):
    page: Page
    moments: list  # (count, enabled, running)


class World:
    """Attributes are what the operating system decides; a start of a scenario may set them before begin()."""

    def __init__(self, isa, seed):
        self.dice = Dice(seed)
        self.isa = isa
        self.lock = 2 * self.dice.between(0, 1 << 16)
        self.index, self.width = isa.indices[0], isa.widths[0]
        self.count = self.dice.between(1 << 34, 1 << 36)
        self.user_counter, self.user_time, self.narrow = True, True, False
        # The clock is about to leave its lowest 56 bits.
        self.cycles = (self.dice.between(1 << 4, 1 << 5) << CLOCK_BITS) - 1_500_000
        self.multiplier, self.shift, self.zero = 0x26000001, 30, 0
        self.enabled = self.dice.between(1 << 40, 1 << 41)
        self.running = self.enabled - self.dice.between(1 << 36, 1 << 37)
        self.stopped = False  # switched off: no time passes for the event
        self.time = 0  # of the last account of enabled and running
        self.base = self.start = 0  # the counter was set to `start` when the count was `base`
        self.asked = []  # counters that were read
        self.shown = set()  # counters the page named since the read began
        self.epochs = []
        self.page = b""

    # truth

    def clock(self):
        """Nanoseconds of the model's own time, with the rounding that the page's fields imply."""
        if not self.multiplier:
            return self.zero
        quotient, rest = self.cycles >> self.shift, self.cycles & ((1 << self.shift) - 1)
        return (self.zero + quotient * self.multiplier + (rest * self.multiplier >> self.shift)) & LOW64

    def account(self):
        passed, self.time = (self.clock() - self.time) & LOW64, self.clock()
        if not self.stopped:
            self.enabled += passed
            self.running += passed if self.index else 0

    def look(self):
        """Time goes by, and what is true now is remembered."""
        self.cycles += 1_000_003
        self.count += STRIDE if self.index else 0
        self.account()
        self.remember()

    def remember(self):
        self.epochs[-1].moments.append((self.count, self.enabled, self.running))

    # hardware

    def program(self):
        """As an operating system does: from a negative value upwards, so that the overflow interrupts. Sometimes it
        is about to happen: the counter then passes zero during the read."""
        half = 1 << (self.width - 1)
        self.base = self.count
        self.start = -self.dice.choice((STRIDE, half, half // 2, self.dice.between(STRIDE * 64, half)))

    def counter(self, asked):
        """What the counter instruction gives: junk for another counter, and junk above the counter's width."""
        self.asked.append(asked)
        self.look()
        if not self.index or asked != self.index - 1:
            return self.dice.bits(64)
        value = (self.start + self.count - self.base) & ((1 << self.width) - 1)
        return (value | self.dice.bits(64) << self.width) & LOW64

    def ticks(self):
        self.look()
        if not self.narrow:
            return self.cycles
        return (self.cycles & ((1 << CLOCK_BITS) - 1)) | self.dice.bits(64 - CLOCK_BITS) << CLOCK_BITS

    # the page

    def publish(self):
        """What the operating system writes between its two steps of the lock. Fields without a meaning hold junk."""
        junk = self.dice.bits
        offset = self.base - self.start if self.index else self.count
        capabilities = DEPRECATED | COUNTER * self.user_counter | TIME * self.user_time | NARROW * (
            self.user_time and self.narrow)
        width = self.width if self.user_counter and self.index else junk(16)
        times = (self.shift, self.multiplier, (self.zero - self.time) & LOW64) if self.user_time else (
            junk(16), junk(32), junk(64))
        extension = (self.cycles, (1 << CLOCK_BITS) - 1) if self.narrow else (junk(64), junk(64))
        self.page = PAGE.pack(junk(32), 0, self.lock, self.index, offset & LOW64, self.enabled, self.running,
                              capabilities, width, *times, junk(64), 0, 0, *extension)
        self.epochs.append(Epoch(Page(self.index, self.enabled, self.running, self.user_counter,
                                      self.user_time and self.multiplier != 0), []))
        if self.user_counter and self.index:
            self.shown.add(self.index - 1)
        self.remember()

    def begin(self):
        """A read begins, some time after the page was written."""
        self.time = self.clock()
        self.program()
        self.publish()
        for _ in range(3):
            self.look()
        self.epochs[-1].moments.clear()
        self.look()

    def update(self, kind):
        """The operating system's turn, all of it between two instructions of the reader."""
        self.look()
        self.lock = (self.lock + 2) & 0xffffffff
        UPDATES[kind](self)
        self.publish()

    def copy(self):
        other = copy.copy(self)
        other.dice = copy.copy(self.dice)
        other.asked, other.shown = list(self.asked), set(self.shown)
        other.epochs = [Epoch(epoch.page, list(epoch.moments)) for epoch in self.epochs]
        return other


# What an operating system may do to an event while its thread does not look.

def another(world, choices, current):
    return world.dice.choice([choice for choice in choices if choice != current])


def untouched(_world):
    """The page is written again as it was, only later."""


def wrapped(world):
    """The counter overflowed and was programmed anew."""
    world.count += world.dice.between(0, 1 << 20)
    world.program()


def moved(world):
    """To another counter; to any, when it had none, which needs user access."""
    world.user_counter |= not world.index
    world.index = another(world, world.isa.indices, world.index)
    world.stopped = False
    wrapped(world)


def widened(world):
    """To a counter of another width."""
    world.width = another(world, world.isa.widths, world.width)
    moved(world)


def changed(world):
    """All at once: another counter of another width, another clock, and time spent waiting."""
    waited(world)
    recalibrated(world)
    widened(world)


def descheduled(world):
    world.index = 0


def stopped(world):
    world.index, world.stopped = 0, True


def waited(world):
    """Nothing but time: the event waited for a counter, so that enabled and running drift apart."""
    world.enabled += world.dice.between(0, 1 << 30)


def recalibrated(world):
    """The clock's factor changed; its time did not."""
    before = world.clock()
    world.multiplier, world.shift = another(world, CLOCKS, (world.multiplier, world.shift))
    world.zero = (world.zero + before - world.clock()) & LOW64


def untimed(world):
    """The clock became unfit for user code, or fit again."""
    world.user_time = not world.user_time


def narrowed(world):
    world.narrow = not world.narrow


def refused(world):
    """User access was taken away. The event goes on."""
    world.user_counter, world.index = False, 0


def hidden(world):
    """The same, and the page goes on naming a counter."""
    world.user_counter = False


def reset(world):
    """The count starts again from nothing, the counter goes on. Linux then takes what the counter holds as a number
    without a sign."""
    mask = (1 << world.width) - 1
    world.start = (world.start + world.count - world.base) & mask if world.index else 0
    world.count = world.base = 0


def unnamed(world):
    """To a counter that no instruction reads."""
    world.index = world.dice.choice(world.isa.unnamed)
    wrapped(world)


CLOCKS = ((0x26000001, 30), (0x9a5f3, 20), (3, 0), (0xffffffff, 32))
UPDATES = {update.__name__: update for update in (
    changed, untouched, wrapped, moved, widened, descheduled, stopped, waited, recalibrated, untimed, narrowed,
    refused, hidden, reset, unnamed)}
