/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the liar must know of an x86-64 instruction, from its bytes: just enough to count branches,
 * to see a system call coming, and to find the opcodes that a lie is about. A decoder of its own,
 * so that it shares no mistake with those of the product. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTRUCTION_LONGEST 15

enum opcode_map { MAP_ONE_BYTE, MAP_0F, MAP_0F38, MAP_0F3A };

struct instruction {
    bool lock;
    bool repeat; /* F2 or F3 stands before it */
    bool vector; /* VEX or EVEX */
    enum opcode_map map;
    uint8_t opcode, modrm; /* modrm: the byte behind the opcode, whatever it means there */
    size_t start;          /* bytes of prefixes; the opcode's last byte is at opcode_at */
    size_t opcode_at;
};

/* False when the bytes end too early. */
bool instruction_read(const uint8_t *bytes, size_t length, struct instruction *instruction);

bool instruction_is_branch(const struct instruction *instruction);
bool instruction_is_system_call(const struct instruction *instruction);
/* One that repeats itself: a stepper sees every repetition. Its length is opcode_at + 1. */
bool instruction_is_repeated(const struct instruction *instruction);
/* A move to the stack segment's register: a stepper does not stop behind it, but one later. */
bool instruction_hides_next(const struct instruction *instruction);

/* What a lie can be about. */
struct opcode {
    const char *name;
    bool (*matches)(const struct instruction *instruction);
};
const struct opcode *opcode_find(const char *name); /* NULL: none of that name */
void opcode_list(char *text, size_t size);          /* all names, separated by spaces */
