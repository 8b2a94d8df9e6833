# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The protocol of docs/protocol.md, written from the document and not from the C: a controller small enough for tests."""
import os
import subprocess
import zlib
from urllib.parse import unquote_to_bytes

from processes import PATIENCE


def encode(value):
    raw = value if isinstance(value, bytes) else str(value).encode()
    return "".join(chr(byte) if 0x21 <= byte <= 0x7E and byte != 0x25 else f"%{byte:02X}" for byte in raw)


def column(text):
    """The numbers of a run-length coded column."""
    values = []
    for part in text.split(","):
        value, _, times = part.partition("*")
        values += [int(value)] * int(times or 1)
    return values


class Frame:
    def __init__(self, line):
        assert line.endswith("\n"), f"unfinished line {line!r}"
        body, _, checksum = line.rstrip("\n").rpartition(" ")
        assert int(checksum, 16) == zlib.crc32(body.encode()), f"damaged frame {line!r}"
        sentinel, sequence, self.type, *fields = body.split(" ")
        assert sentinel == "@assay", line
        self.sequence = int(sequence)
        self.fields = {}
        for field in fields:
            key, _, value = field.partition("=")
            self.fields[key] = unquote_to_bytes(value).decode("utf-8", "replace")

    def __getitem__(self, key):
        return self.fields[key]

    def get(self, key, otherwise=None):
        return self.fields.get(key, otherwise)

    def __repr__(self):
        return f"{self.type} {self.fields}"


class Visit:
    """What came back for one visit: one row per run, one number per counter."""

    def __init__(self):
        self.values, self.enabled, self.running, self.minor, self.voluntary = [], [], [], [], []
        self.output = {"1": "", "2": ""}
        self.details = []  # frames `ran` and `call` of a command
        self.end = None

    def take(self, frame):
        runs, counters = int(frame["runs"]), int(frame["counters"])
        assert int(frame["first"]) == len(self.values), frame
        def rows(prefix, fallback):
            columns = []
            for counter in range(counters):
                text = frame.get(f"{prefix}{counter}")
                columns.append(column(text) if text is not None else fallback(counter, columns))
            assert all(len(one) == runs for one in columns), frame
            return columns
        values = rows("v", None)
        enabled = rows("e", lambda counter, columns: columns[0])
        running = rows("r", lambda counter, columns: enabled[counter])
        self.values += list(zip(*values))
        self.enabled += list(zip(*enabled))
        self.running += list(zip(*running))
        self.minor += column(frame["minor"]) if frame.get("minor") else [0] * runs
        self.voluntary += column(frame["vol"]) if frame.get("vol") else [0] * runs

    @property
    def done(self):
        return self.end["state"] == "done"

    @property
    def became(self):
        """Of a command: {"status": 0 …}; None where it is not known."""
        first = len(self.values[0]) - len(RUN)
        return {name.split("/")[1]: self.values[0][first + index] if self.running[0][first + index] else None
                for index, name in enumerate(RUN)}

    @property
    def counts(self):
        """Of the first counter."""
        return [row[0] for row in self.values]


# Columns of commands that say what became of them.
RUN = [f"run/{name}/" for name in ("status", "output-bytes", "output-sum", "tasks", "processes", "left", "interrupts",
                                   "nanoseconds")]


class Probe:
    def __init__(self, kit, prefix=(), command="serve", **options):
        self.process = subprocess.Popen([*prefix, os.path.join(kit, "assay-probe"), command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="replace", **options)
        self.sent = self.received = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        self.process.wait(timeout=PATIENCE)

    def send(self, kind, **fields):
        words = [f"{key.rstrip('_')}={encode(value)}" for key, value in fields.items()]
        body = " ".join(["@assay", str(self.sent), kind, *words])
        self.sent += 1
        self.process.stdin.write(f"{body} {zlib.crc32(body.encode()):08x}\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            return None
        frame = Frame(line)
        assert frame.sequence == self.received, f"{frame} out of sequence"
        self.received += 1
        return frame

    def until(self, *kinds):
        """All frames up to and with the first of these kinds."""
        frames = []
        while True:
            frame = self.receive()
            assert frame is not None, f"the probe ended; last it said {frames[-3:]}"
            frames.append(frame)
            if frame.type in kinds:
                return frames

    def hello(self):
        self.catalogue = self.until("ready", "error")
        return self.catalogue

    def cell(self, number, events, path="perf-read", pattern="ao", specimen="null", n=1, opt="O2", link="static", runs=10,
             separate=0, cpu=-1, **tour):
        """tour: `calls`, `counted`, `open` and `cold` of a cell that is one."""
        events = [events] if isinstance(events, str) else events
        self.send("cell", id=number, counters=len(events), **{f"event{i}": event for i, event in enumerate(events)},
                  path=path, pattern=pattern, specimen=specimen, n=n, opt=opt, link=link, runs=runs, separate=separate, cpu=cpu, **tour)

    def tour(self, number, calls, passes=1, meters="clock/ticks/", counted="page-faults:u", open_=1, cold=0, **factors):
        """A tour of these calls (a list)."""
        self.cell(number, meters, path="tour", pattern="rr", n=0, runs=len(calls) * passes, calls=",".join(calls), counted=counted,
                  open=open_, cold=cold, **factors)

    def command(self, number, words, events=(), controls=0, cpu=-1, directory="", input_="", keep="", sweep="", swept=0,
                timeout=60000, detail="", shown=0):
        """A command (a list of words), counted by these events; columns of what became of it follow them."""
        quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
        self.cell(number, [*events, *RUN], path="command", pattern="rr", n=0, runs=1, cpu=cpu, words=quoted,
                  name=os.path.basename(words[0]) or "command", directory=directory, input=input_, keep=keep, controls=controls,
                  sweep=sweep, swept=swept, timeout=timeout, detail=detail, shown=shown)

    def run(self, cells):
        """Visits each cell (keyword arguments of `cell`, or of `command`) once; a Visit for each, in order."""
        for number, factors in enumerate(cells):
            (self.command if "words" in factors else self.cell)(number, **factors)
        for first in range(0, len(cells), 1000):
            self.send("visits", list=",".join(f"{number}:0" for number in range(first, min(first + 1000, len(cells)))))
        self.send("go")
        visits = [Visit() for _ in cells]
        for frame in self.until("idle", "error"):
            assert frame.type != "error", frame
            if frame.type == "samples":
                visits[int(frame["cell"])].take(frame)
            elif frame.type in ("ran", "call"):
                visits[int(frame["cell"])].details.append(frame)
            elif frame.type == "output":
                current.output[frame["stream"]] += frame["bytes"]
            elif frame.type == "begin":
                current = visits[int(frame["cell"])]
            elif frame.type == "end":
                visits[int(frame["cell"])].end = frame
        return visits
