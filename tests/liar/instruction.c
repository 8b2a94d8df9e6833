/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads prefixes, opcode and the byte behind it; lengths are nobody's business here, since the CPU
 * itself takes the steps. */
#include "instruction.h"

#include <stdio.h>
#include <string.h>

#define PREFIX_LOCK 0xf0
#define TWO_BYTE    0x0f
#define VEX_LONG    0xc4
#define VEX_SHORT   0xc5
#define EVEX        0x62

static bool is_prefix(uint8_t byte)
{
    static const uint8_t prefixes[] = {0x66, 0x67, 0xf2, 0xf3, PREFIX_LOCK, 0x2e,
                                       0x36, 0x3e, 0x26, 0x64, 0x65};
    return memchr(prefixes, byte, sizeof(prefixes)) != NULL;
}

/* Bytes of a vector prefix that begins with this one; 0: none. In 64-bit code they mean nothing
 * else. */
static size_t vector_prefix(uint8_t byte)
{
    return byte == VEX_SHORT ? 2 : byte == VEX_LONG ? 3 : byte == EVEX ? 4 : 0;
}

static bool read_opcode(const uint8_t *bytes, size_t length, size_t at, struct instruction *found)
{
    if (at < length && bytes[at] == TWO_BYTE) {
        found->map = MAP_0F;
        at++;
        if (at < length && (bytes[at] == 0x38 || bytes[at] == 0x3a))
            found->map = bytes[at++] == 0x38 ? MAP_0F38 : MAP_0F3A;
    }
    if (at >= length)
        return false;
    found->opcode = bytes[at];
    found->opcode_at = at;
    found->modrm = at + 1 < length ? bytes[at + 1] : 0;
    return true;
}

bool instruction_read(const uint8_t *bytes, size_t length, struct instruction *found)
{
    size_t at = 0;
    *found = (struct instruction){0};
    for (; at < length && is_prefix(bytes[at]); at++) {
        found->lock |= bytes[at] == PREFIX_LOCK;
        found->repeat |= bytes[at] == 0xf2 || bytes[at] == 0xf3;
    }
    if (at < length && (bytes[at] & 0xf0) == 0x40) /* REX */
        at++;
    found->start = at;
    size_t vector = at < length ? vector_prefix(bytes[at]) : 0;
    if (!vector)
        return read_opcode(bytes, length, at, found);
    found->vector = true;
    if (!read_opcode(bytes, length, at + vector, found))
        return false;
    found->map = MAP_0F;
    return true;
}

static unsigned digit(const struct instruction *instruction)
{
    return (instruction->modrm >> 3) & 7u;
}

static bool in_memory(const struct instruction *instruction)
{
    return instruction->modrm >> 6 != 3;
}

static bool is_plain(const struct instruction *instruction, enum opcode_map map)
{
    return !instruction->vector && instruction->map == map;
}

static bool between(uint8_t value, uint8_t low, uint8_t high)
{
    return value >= low && value <= high;
}

bool instruction_is_branch(const struct instruction *instruction)
{
    uint8_t opcode = instruction->opcode;
    if (is_plain(instruction, MAP_0F))
        return between(opcode, 0x80, 0x8f);
    if (!is_plain(instruction, MAP_ONE_BYTE))
        return false;
    if (opcode == 0xff)
        return between((uint8_t)digit(instruction), 2, 5);
    return between(opcode, 0x70, 0x7f) || between(opcode, 0xe0, 0xe3) ||
           between(opcode, 0xe8, 0xe9) || opcode == 0xeb || between(opcode, 0xc2, 0xc3);
}

bool instruction_is_system_call(const struct instruction *instruction)
{
    return is_plain(instruction, MAP_0F) && instruction->opcode == 0x05;
}

bool instruction_is_repeated(const struct instruction *instruction)
{
    uint8_t opcode = instruction->opcode;
    return instruction->repeat && is_plain(instruction, MAP_ONE_BYTE) &&
           (between(opcode, 0xa4, 0xa7) || between(opcode, 0xaa, 0xaf) ||
            between(opcode, 0x6c, 0x6f));
}

bool instruction_hides_next(const struct instruction *instruction)
{
    return is_plain(instruction, MAP_ONE_BYTE) && instruction->opcode == 0x8e &&
           digit(instruction) == 2;
}

/* --- the opcodes that lies can name --- */

static bool is_lock(const struct instruction *instruction)
{
    return instruction->lock;
}

static bool is_fldcw(const struct instruction *instruction)
{
    return is_plain(instruction, MAP_ONE_BYTE) && instruction->opcode == 0xd9 &&
           digit(instruction) == 5 && in_memory(instruction);
}

static bool is_x87(const struct instruction *instruction)
{
    return is_plain(instruction, MAP_ONE_BYTE) && between(instruction->opcode, 0xd8, 0xdf);
}

static bool is_nop(const struct instruction *instruction)
{
    return (is_plain(instruction, MAP_ONE_BYTE) && instruction->opcode == 0x90) ||
           (is_plain(instruction, MAP_0F) && instruction->opcode == 0x1f);
}

static bool is_call(const struct instruction *instruction)
{
    return is_plain(instruction, MAP_ONE_BYTE) &&
           (instruction->opcode == 0xe8 ||
            (instruction->opcode == 0xff && digit(instruction) == 2));
}

static bool is_return(const struct instruction *instruction)
{
    return is_plain(instruction, MAP_ONE_BYTE) && between(instruction->opcode, 0xc2, 0xc3);
}

static bool is_division(const struct instruction *instruction)
{
    return is_plain(instruction, MAP_ONE_BYTE) && between(instruction->opcode, 0xf6, 0xf7) &&
           digit(instruction) >= 6;
}

static bool is_fence(const struct instruction *instruction)
{
    return is_plain(instruction, MAP_0F) && instruction->opcode == 0xae &&
           !in_memory(instruction) && digit(instruction) >= 5;
}

static bool is_exchange(const struct instruction *instruction)
{
    return is_plain(instruction, MAP_ONE_BYTE) && between(instruction->opcode, 0x86, 0x87);
}

static const struct opcode opcodes[] = {
    {"lock", is_lock},
    {"fldcw", is_fldcw},
    {"x87", is_x87},
    {"nop", is_nop},
    {"call", is_call},
    {"ret", is_return},
    {"div", is_division},
    {"fence", is_fence},
    {"xchg", is_exchange},
    {"rep", instruction_is_repeated},
    {"syscall", instruction_is_system_call},
};

const struct opcode *opcode_find(const char *name)
{
    for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
        if (strcmp(opcodes[i].name, name) == 0)
            return &opcodes[i];
    return NULL;
}

void opcode_list(char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", opcodes[i].name);
}
