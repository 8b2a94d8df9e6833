/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The counter of time of RISC-V, read with and without an order. */
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/clocks/clock.h"
#include "syscall.h"
#include "ticks.h"
#include "window.h"

#define SYS_PROBE_HARDWARE 258 /* riscv_hwprobe: older headers do not name it */
#define KEY_TIME_FREQUENCY 8
#define TREE_FILE          "/proc/device-tree/cpus/timebase-frequency"

static uint64_t system_rate(void)
{
    struct {
        int64_t key;
        uint64_t value;
    } pair = {KEY_TIME_FREQUENCY, 0};
    long result = assay_syscall5(SYS_PROBE_HARDWARE, (long)&pair, 1, 0, 0, 0);
    return result == 0 && pair.key == KEY_TIME_FREQUENCY ? pair.value : 0;
}

/* Big-endian, of four or eight bytes. */
static uint64_t tree_rate(void)
{
    AUTO_CLOSE int descriptor = open(TREE_FILE, O_RDONLY | O_CLOEXEC);
    unsigned char bytes[8];
    ssize_t length = descriptor < 0 ? -1 : read(descriptor, bytes, sizeof(bytes));
    if (length != 4 && length != 8)
        return 0;
    uint64_t hz = 0;
    for (ssize_t index = 0; index < length; index++)
        hz = hz << 8 | bytes[index];
    return hz;
}

static int open_rdtime(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    int result = clock_try(reader, reason, size);
    if (result < 0)
        return result;
    const char *who = "the operating system (riscv_hwprobe)";
    reader->hz = system_rate();
    if (!reader->hz) {
        who = "the device tree (timebase-frequency)";
        reader->hz = tree_rate();
    }
    return clock_says(claim, CLOCK_CLAIM, 0, "%s", reader->hz ? who : "");
}

CLOCK_OF_INSTRUCTION(rdtime, "rdtime", open_rdtime, ticks_rdtime(),
                     "may be read before what stands in front of it is done");
CLOCK_OF_INSTRUCTION(rdtime_fenced, "rdtime-fenced", open_rdtime, window_ticks(),
                     "between two fences: no access of memory moves across it");
