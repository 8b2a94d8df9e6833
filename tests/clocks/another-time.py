# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a probe (its command) as if it were on another machine, whose time is ahead of the controller's by so many parts in a million
(the first argument): another boot id, and looks from outside at clocks that run at that rate. What is read there is as it was."""
import re
import subprocess
import sys
import threading
import zlib

import frames


def told(body, ppm, first):
    """The frame as the controller is to see it."""
    body = re.sub(r"\bboot\.id=\S+", "boot.id=00000000-0000-0000-0000-000000000000", body)
    body = re.sub(r"\b(key=boot\.id value)=\S+", r"\1=00000000-0000-0000-0000-000000000000", body)

    def faster(match):
        values = frames.column(match[1])
        first.extend(values[len(first):])
        return "readings=" + ",".join(str(value + (value - begun) * ppm // 1000000) for value, begun in zip(values, first))
    return re.sub(r"\breadings=(\S+)", faster, body)


def main():
    ppm, first = int(sys.argv[1]), []
    with subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as probe:
        def pass_on():
            for line in sys.stdin.buffer:
                probe.stdin.write(line)
                probe.stdin.flush()
            probe.stdin.close()
        threading.Thread(target=pass_on, daemon=True).start()
        for line in probe.stdout:
            body, _, _ = line.decode("latin-1").rstrip("\n").rpartition(" ")
            if body.startswith("@assay "):
                body = told(body, ppm, first)
                line = f"{body} {zlib.crc32(body.encode('latin-1')):08x}\n".encode("latin-1")
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
    sys.exit(probe.returncode)


main()
