/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * On x86 string instructions repeat, and calls, returns and jumps through memory access it at the
 * end of a block, where nothing behind them tells that they faulted. Instructions that transfer
 * control access no memory on the other ISAs, and none repeats. */
#include "probe/sources/qemu-plugin/manner.h"

#include <string.h>

static const struct isa {
    const char *name;
    bool x86, rex;
    int64_t execve, execveat;
} isas[] = {
    {"x86_64", true, true, 59, 322},
    {"i386", true, false, 11, 358},
    {"aarch64", false, false, 221, 281},
    {"riscv64", false, false, 221, 281},
};

static const struct isa *find(const char *name)
{
    for (size_t index = 0; index < sizeof(isas) / sizeof(*isas); index++)
        if (strcmp(isas[index].name, name) == 0)
            return &isas[index];
    return NULL;
}

bool manner_leaves(const char *isa, int64_t numbers[2])
{
    const struct isa *found = find(isa);
    if (!found)
        return false;
    numbers[0] = found->execve;
    numbers[1] = found->execveat;
    return true;
}

static bool is_string(uint8_t opcode)
{
    return (opcode >= 0x6c && opcode <= 0x6f) || (opcode >= 0xa4 && opcode <= 0xa7) ||
           (opcode >= 0xaa && opcode <= 0xaf);
}

/* Calls and jumps through a register or memory: which, says the byte behind the opcode. */
static enum manner indirect(uint8_t modrm)
{
    bool memory = modrm < 0xc0;
    unsigned operation = modrm >> 3 & 7;
    if (operation == 2)
        return memory ? MANNER_STORE : MANNER_ACCESS;
    return operation == 4 && memory ? MANNER_ACCESS : MANNER_PLAIN;
}

static enum manner two_bytes(uint8_t second)
{
    return second == 0x0b || second == 0xb9 || second == 0xff ? MANNER_FAULT : MANNER_PLAIN;
}

enum manner manner_of(const char *isa, const uint8_t *bytes, size_t length)
{
    const struct isa *found = find(isa);
    bool repeats = false;
    size_t at = 0;
    if (!found || !found->x86)
        return MANNER_PLAIN;
    for (; at < length && strchr("\x66\x67\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65", bytes[at]) &&
           bytes[at];
         at++)
        repeats = repeats || bytes[at] == 0xf2 || bytes[at] == 0xf3;
    if (found->rex && at < length && (bytes[at] & 0xf0) == 0x40)
        at++;
    if (at == length)
        return MANNER_PLAIN;
    uint8_t opcode = bytes[at], next = at + 1 < length ? bytes[at + 1] : 0;
    if (repeats && is_string(opcode))
        return MANNER_REPEATED;
    switch (opcode) {
    case 0xe8: /* call */
    case 0xc2: /* ret */
    case 0xc3:
        return MANNER_ACCESS;
    case 0xff:
        return indirect(next);
    case 0x0f:
        return two_bytes(next);
    case 0xf4: /* hlt */
        return MANNER_FAULT;
    default:
        return MANNER_PLAIN;
    }
}
