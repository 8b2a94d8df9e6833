# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plays: where in a read the operating system gets its turns. Each raises Torn for a reader that says something
that was never true, and says how many reads it judged."""
from stepper.bench import Torn, judge
from stepper.world import UPDATES, World

# How things stand when the read begins: what differs from an event on a counter, with a clock for user code.
STARTS = {
    "counting": {},
    "waiting": {"index": 0},
    "stopped": {"index": 0, "stopped": True},
    "untimed": {"user_time": False},
    "frozen": {"multiplier": 0},  # a clock whose factor is not known
    "narrow": {"narrow": True},
    "refused": {"index": 0, "user_counter": False},
    "hidden": {"user_counter": False},
}


class Play:
    def __init__(self, bench, function, full, seed=1):
        self.bench, self.function, self.full, self.seed = bench, function, full, seed
        self.boundaries = 0  # of the longest read
        kinds = [kind for kind in UPDATES if kind != "unnamed" or bench.isa.unnamed]
        # The count alone is read by those who asked the page's capabilities before, and never reset the event.
        self.kinds = [kind for kind in kinds if full or kind not in ("hidden", "reset")]
        self.starts = [start for start in STARTS if full or start != "hidden"]

    def world(self, start="counting", **changes):
        self.seed += 1
        world = World(self.bench.isa, self.seed)
        vars(world).update(STARTS[start], **changes)
        return world

    def check(self, world, answer, where):
        try:
            return judge(answer, world, self.full)
        except Torn as torn:
            raise Torn(f"{where}: {torn}") from None

    def read(self, where, world):
        """One read that nothing disturbs."""
        self.bench.call(self.function, world)
        self.check(world, self.bench.finish(world), where)

    def undisturbed(self):
        """Every counter there is, of every width, from every start."""
        for index in self.bench.isa.named:
            for width in self.bench.isa.widths:
                self.read(f"counter {index:#x} of {width} bits", self.world(index=index, width=width))
        for index in self.bench.isa.unnamed:
            self.read(f"counter {index:#x}, which has no instruction", self.world(index=index))
        for start in self.starts:
            self.read(start, self.world(start))
        return len(self.bench.isa.named) * len(self.bench.isa.widths) + len(self.bench.isa.unnamed) + len(self.starts)

    def disturbed(self, saved, registers, world, kind, where):
        """One update where the program stands, and the rest of the read. Gives the world at its end."""
        bench, world = self.bench, world.copy()
        bench.target.restore(saved)
        bench.update(world, kind)
        answer = bench.finish(world, registers)
        epoch = self.check(world, answer, where)
        if epoch == 0 and answer.status and len(world.asked) > 1:
            raise Torn(f"{where}: tried again, and yet gave what was before")
        return world

    def once(self, start="counting", kinds=None):
        """One update at every boundary, one of each kind at a time. Behind the last look at the lock nothing of the
        page can matter, so that one kind suffices there."""
        judged, number, world = 0, -1, self.world(start)
        kinds = kinds or self.kinds
        for number, (registers, saved, at) in enumerate(self.bench.boundaries(self.function, world)):
            where = f"{start}, {{}} before instruction {number}"
            after = self.disturbed(saved, registers, at, kinds[0], where.format(kinds[0]))
            judged += 1
            if len(after.asked) == len(at.asked) == 1:
                continue
            for kind in kinds[1:]:
                self.disturbed(saved, registers, at, kind, where.format(kind))
                judged += 1
        self.check(world, self.bench.result(), f"{start}, undisturbed")
        self.boundaries = max(self.boundaries, number + 1)
        return judged + 1

    def pairs(self, every=1, kinds=(("changed", "changed"), ("descheduled", "moved"))):
        """A first update at every boundary (or at some), a second at every boundary after it. A first that makes no
        other round is passed over: nobody saw it."""
        judged, bench = 0, self.bench
        for first, second in kinds:
            for number, (registers, saved, at) in enumerate(bench.boundaries(self.function, self.world())):
                where = f"{first} before instruction {number}"
                if number % every or len(self.disturbed(saved, registers, at, first, where).asked) < 2:
                    continue
                world = at.copy()
                bench.target.restore(saved)
                bench.update(world, first)
                for later, (inner, resaved, then) in enumerate(bench.stand(self.function, world, registers)):
                    self.disturbed(resaved, inner, then, second, f"{where}, {second} {later} after it")
                    judged += 1
        return judged

    def storm(self, updates, bound):
        """An update before every instruction, for so many; then peace. Ends within the bound of instructions."""
        bench, world = self.bench, self.world()
        bench.call(self.function, world)
        registers, steps = bench.target.registers(), 0
        while registers[bench.isa.pc] != bench.end:
            if steps < updates:
                bench.update(world, world.dice.choice(self.kinds))
            registers = bench.step(world, registers)
            steps += 1
            if steps > updates + bound:
                raise Torn(f"still reading {bound} instructions after the last of {updates} updates")
        self.check(world, bench.result(), f"{updates} updates, one an instruction")
        return 1

    def retries(self):
        """At which boundaries does a new lock alone make it try again? As a string of 0 and 1, and the boundary at
        which the counter is read."""
        pattern, counter = "", None
        for number, (registers, saved, at) in enumerate(self.bench.boundaries(self.function, self.world())):
            if counter is None and registers[self.bench.isa.pc] in self.bench.codes:
                counter = number
            before = len(at.asked)
            world = self.disturbed(saved, registers, at, "untouched", f"lock alone before instruction {number}")
            pattern += "1" if len(world.asked) > max(before, 1) else "0"
        return pattern, counter
