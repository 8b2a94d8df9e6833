/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clock of a network card, or of the host that a hypervisor passes on: the first PTP device
 * that can be read, by its dynamic id of clock_gettime(2). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/printable.h"
#include "probe/clocks/posix.h"

#define MOST_DEVICES 64

CLOCK_READ_AND_FILL(ptp, posix_ask(reader))

/* How the operating system makes an id of a descriptor: its complement, above a mark. */
static int64_t id_of(int descriptor)
{
    return (int64_t)~descriptor * 8 | 3;
}

/* What the driver calls it, "" where nobody tells. */
static void read_name(int number, char *name, size_t size)
{
    char path[64], bytes[64];
    snprintf(path, sizeof(path), "/sys/class/ptp/ptp%d/clock_name", number);
    AUTO_CLOSE int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = descriptor < 0 ? 0 : read(descriptor, bytes, sizeof(bytes));
    while (length > 0 && bytes[length - 1] == '\n')
        length--;
    printable_copy(name, size, bytes, length > 0 ? (size_t)length : 0);
}

static int open_number(struct clock_reader *reader, int number)
{
    char path[32];
    snprintf(path, sizeof(path), "/dev/ptp%d", number);
    reader->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (reader->descriptor < 0)
        return errno;
    reader->id = id_of(reader->descriptor);
    posix_ask(reader);
    int error = reader->error;
    if (error) {
        close(reader->descriptor);
        reader->descriptor = -1;
        reader->error = 0;
    }
    return error;
}

static int ptp_open(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    int refused = 0, refused_by = 0;
    for (int number = 0; number < MOST_DEVICES; number++) {
        int error = open_number(reader, number);
        if (error == 0) {
            char name[48];
            read_name(number, name, sizeof(name));
            reader->hz = POSIX_HZ;
            return clock_says(claim, CLOCK_CLAIM, 0, "/dev/ptp%d%s%s: it counts nanoseconds",
                              number, name[0] ? ", " : "", name);
        }
        if (error != ENOENT && error != ENODEV && error != ENXIO && !refused) {
            refused = error;
            refused_by = number;
        }
    }
    if (refused)
        return clock_says(reason, size, -refused, "/dev/ptp%d cannot be read: %s", refused_by,
                          strerror(refused));
    return clock_says(reason, size, -ENOENT, "this machine has no PTP clock (no /dev/ptp*)");
}

const struct clock clock_ptp = {
    .name = "ptp",
    .kind = CLOCK_WALL,
    .way = "device",
    .note = "",
    .slow = true,
    .hardware = "ptp",
    .open = ptp_open,
    .read = ptp_read,
    .fill = ptp_fill,
    .claimed_resolution = posix_claimed_resolution,
};
