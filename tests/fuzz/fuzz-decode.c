/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Code from a hostile probe, and text from a hostile objdump. The first byte says what the rest is:
 * x, a, r: a line that objdump printed for an ISA, the bytes it speaks of being what it says;
 * X, A: code for Capstone, walked with as many trips as it has branches. */
#include "fuzz.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "decode/decode.h"
#include "decode/objdump.h"

#define PLACE 0x1000u

static void check(const struct instruction *instruction)
{
    assert(memchr(instruction->text, '\0', sizeof(instruction->text)));
    assert(memchr(instruction->via, '\0', sizeof(instruction->via)));
    assert(instruction->fp == FP_NONE || !instruction->known || instruction->lanes);
}

/* Whatever bytes it claims, nothing before or behind them may be touched: so they lie alone. */
static void parse_line(objdump_describe *describe, const char *bytes, size_t size)
{
    AUTO_FREE char *line = malloc(size + 1);
    AUTO_FREE uint8_t *code = malloc(3);
    assert(line && code);
    memcpy(line, bytes, size);
    line[size] = '\0';
    code[0] = 0x48, code[1] = 0x89, code[2] = 0xe5;
    for (size_t left = 1; left <= 3; left++) {
        AUTO_FREE char *copy = strdup(line);
        struct instruction instruction = {0};
        struct objdump_line place = {PLACE, code, left, describe};
        assert(copy);
        int status = objdump_parse(copy, &place, &instruction);
        assert(status == 0 || status == 1 || status == -EBADMSG);
        if (status == 1) {
            assert(instruction.length && instruction.length <= left);
            check(&instruction);
        }
    }
}

/* The words alone, as if the bytes had been right. */
static void describe_words(objdump_describe *describe, const char *bytes, size_t size)
{
    AUTO_FREE char *line = malloc(size + 32);
    assert(line);
    strcpy(line, "  1000:\t48 89 e5 \t");
    memcpy(line + strlen(line), bytes, size);
    line[strlen("  1000:\t48 89 e5 \t") + size] = '\0';
    struct instruction instruction = {0};
    struct objdump_line place = {PLACE, (const uint8_t *)"\x48\x89\xe5", 3, describe};
    if (objdump_parse(line, &place, &instruction) == 1)
        check(&instruction);
}

static void walk(const struct instructions *code)
{
    struct failure failure = {0};
    struct tallies tallies;
    size_t branches = 0;
    for (size_t i = 0; i < code->count; i++)
        branches += code->list[i].known && code->list[i].flow == FLOW_CONDITIONAL;
    AUTO_FREE struct linear *trips = calloc(branches + 1, sizeof(*trips));
    AUTO_FREE struct linear *counts = calloc(code->count + 1, sizeof(*counts));
    assert(trips && counts);
    for (size_t i = 0; i < branches; i++)
        trips[i] = (struct linear){-(int64_t)(i % 3), (int64_t)(i % 5)};
    const struct trips all = {trips, branches, 1};
    tallies_begin(&tallies);
    int status = walk_counts(code, &all, counts, &failure);
    assert(status == 0 || *failure.text);
    if (status == 0)
        status = tallies_add(&tallies, code, counts, &all, &failure);
    assert(status == 0 || *failure.text);
}

static void decode_bytes(const char *isa, const uint8_t *bytes, size_t size)
{
    struct failure failure = {0};
    struct instructions found;
    const struct code_bytes code = {isa, PLACE, bytes, size};
    int status = decode(&decoder_capstone, &code, &found, &failure);
    assert(status == 0 || *failure.text);
    for (size_t i = 0; i < found.count; i++)
        check(&found.list[i]);
    walk(&found);
    instructions_release(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct {
        uint8_t letter;
        objdump_describe *describe;
    } texts[] = {{'x', objdump_describe_x86},
                 {'a', objdump_describe_aarch64},
                 {'r', objdump_describe_riscv64}};
    if (!size)
        return 0;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (bytes[0] == texts[i].letter) {
            parse_line(texts[i].describe, (const char *)bytes + 1, size - 1);
            describe_words(texts[i].describe, (const char *)bytes + 1, size - 1);
        }
    if (bytes[0] == 'X' || bytes[0] == 'A')
        decode_bytes(bytes[0] == 'X' ? "x86_64" : "aarch64", bytes + 1, size - 1);
    return 0;
}
