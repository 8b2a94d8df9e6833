/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The high precision event timer of a PC: its registers, mapped, where the operating system lets
 * user code have them. A counter of 32 bits is carried on by the reader. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/clocks/clock.h"

#define DEVICE          "/dev/hpet"
#define REGISTERS       1024u
#define CAPABILITIES    0u /* byte offsets of registers of 64 bits */
#define COUNTER         240u
#define COUNTER_IS_LONG (1u << 13) /* of the capabilities */
#define FEMTOSECONDS    1000000000000000u
#define LONGEST_PERIOD  100000000u /* femtoseconds, by its specification */

struct hpet {
    volatile const unsigned char *registers;
    bool is_long;
    uint32_t last;
    uint64_t carried;
};

static uint32_t low_half(const struct hpet *hpet, size_t offset)
{
    return *(volatile const uint32_t *)(volatile const void *)(hpet->registers + offset);
}

static uint64_t ask(struct clock_reader *reader)
{
    struct hpet *hpet = reader->own;
    if (hpet->is_long)
        return *(volatile const uint64_t *)(volatile const void *)(hpet->registers + COUNTER);
    uint32_t now = low_half(hpet, COUNTER);
    if (now < hpet->last)
        hpet->carried += 1ull << 32;
    hpet->last = now;
    return hpet->carried + now;
}

CLOCK_READ_AND_FILL(hpet, ask(reader))

static void hpet_close(struct clock_reader *reader)
{
    struct hpet *hpet = reader->own;
    if (hpet && hpet->registers)
        munmap((void *)(uintptr_t)hpet->registers, REGISTERS);
    free(hpet);
}

static int map_registers(struct clock_reader *reader)
{
    struct hpet *hpet = reader->own = calloc(1, sizeof(*hpet));
    if (!hpet)
        return ENOMEM;
    void *registers = mmap(NULL, REGISTERS, PROT_READ, MAP_SHARED, reader->descriptor, 0);
    if (registers == MAP_FAILED)
        return errno;
    hpet->registers = registers;
    return 0;
}

static int hpet_open(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    reader->descriptor = open(DEVICE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (reader->descriptor < 0 && errno == ENOENT)
        return clock_says(reason, size, -ENOENT, "this machine has no HPET (no " DEVICE ")");
    if (reader->descriptor < 0)
        return clock_says(reason, size, -errno, DEVICE " cannot be opened: %s", strerror(errno));
    int error = map_registers(reader);
    if (error)
        return clock_says(reason, size, -error,
                          DEVICE " cannot be mapped (%s): boot with hpet_mmap=1 where the "
                                 "operating system leaves that to you",
                          strerror(error));
    int result = clock_try(reader, reason, size);
    if (result < 0)
        return result;
    struct hpet *hpet = reader->own;
    uint32_t period = low_half(hpet, CAPABILITIES + 4);
    hpet->is_long = low_half(hpet, CAPABILITIES) & COUNTER_IS_LONG;
    if (!period || period > LONGEST_PERIOD)
        return clock_says(reason, size, -EPROTO, "the HPET claims an impossible period of %u fs",
                          period);
    reader->hz = (FEMTOSECONDS + period / 2) / period;
    return clock_says(claim, CLOCK_CLAIM, 0, "the HPET: a period of %u fs", period);
}

const struct clock clock_hpet = {
    .name = "hpet",
    .kind = CLOCK_WALL,
    .way = "device",
    .note = "",
    .slow = true,
    .hardware = "hpet",
    .open = hpet_open,
    .read = hpet_read,
    .fill = hpet_fill,
    .close = hpet_close,
};
