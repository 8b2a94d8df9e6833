/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Both decoders on code from standard input, for tests that get it from a kit:
 *
 *     decode-compare ISA ADDRESS MIN_N TRIPS CALL_ADDRESS CALL
 *
 * TRIPS and CALL as in the frame `code` of docs/protocol.md. Prints, for each decoder, a line
 * `DECODER CLASS BASE EACH` for every class it can tell or `DECODER refused CODE REASON`, a line
 * `opcode DECODER BASE EACH NAME` for every opcode that is executed, and `differ ADDRESS …` for
 * every instruction they do not agree on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"

#define MOST_TRIPS 4096

static uint8_t code_bytes[DECODE_MAX_BYTES];

static size_t take_trips(const char *list, struct linear *trips)
{
    size_t count = 0;
    for (char *cursor = (char *)(uintptr_t)list; *cursor && count < MOST_TRIPS; count++) {
        trips[count].base = strtoll(cursor, &cursor, 10);
        cursor += *cursor == ':';
        trips[count].each = strtoll(cursor, &cursor, 10);
        cursor += *cursor == ',';
    }
    return count;
}

static size_t take_hex(const char *digits, uint8_t *bytes, size_t room)
{
    size_t count = 0;
    for (; digits[0] && digits[1] && count < room; digits += 2)
        bytes[count++] = (uint8_t)strtoul((const char[]){digits[0], digits[1], 0}, NULL, 16);
    return count;
}

static void print_counts(const struct decoder *decoder, const struct specimen_code *code)
{
    struct tallies tallies;
    struct failure failure = {0};
    int status = count_code(decoder, code, &tallies, &failure);
    if (status < 0) {
        printf("%s refused %d %s\n", decoder->name, -status, failure.text);
        return;
    }
    for (size_t i = 0; i < TALLY_CLASSES; i++)
        if (tallies.list[i].known)
            printf("%s %s %lld %lld\n", decoder->name, tallies.list[i].class,
                   (long long)tallies.list[i].count.base, (long long)tallies.list[i].count.each);
}

static void print_opcodes(const struct decoder *decoder, const struct specimen_code *code)
{
    struct opcodes opcodes;
    if (opcodes_count_with(decoder, code, &opcodes, NULL) < 0)
        return; /* for the reason that was printed */
    for (size_t i = 0; i < opcodes.count; i++)
        printf("opcode %s %lld %lld %s\n", decoder->name, (long long)opcodes.list[i].count.base,
               (long long)opcodes.list[i].count.each, opcodes.list[i].name);
    opcodes_release(&opcodes);
}

/* Do both say the same of the same instruction? The words may differ. */
static bool instruction_same(const struct instruction *one, const struct instruction *other)
{
    if (one->address != other->address || one->length != other->length)
        return false;
    if (!one->known || !other->known)
        return one->known == other->known;
    return one->loads == other->loads && one->stores == other->stores &&
           one->repeated == other->repeated && one->system_call == other->system_call &&
           one->flow == other->flow && one->resolved == other->resolved &&
           one->target == other->target && one->fp == other->fp &&
           one->precision == other->precision && one->lanes == other->lanes &&
           one->packed == other->packed;
}

/* Where both can decode at all. */
static void print_differences(const struct code_bytes *code)
{
    struct instructions one = {0}, other = {0};
    struct failure failure = {0};
    if (decode(&decoder_capstone, code, &one, &failure) == 0 &&
        decode(&decoder_objdump, code, &other, &failure) == 0) {
        for (size_t i = 0; i < one.count; i++) {
            const struct instruction *twin = instructions_at(&other, one.list[i].address);
            /* What one of them does not know is no disagreement; the walk refuses it. */
            if (!twin ||
                (twin->known && one.list[i].known && !instruction_same(&one.list[i], twin)))
                printf("differ 0x%llx %s | %s\n", (unsigned long long)one.list[i].address,
                       one.list[i].text, twin ? twin->text : "in the middle of another");
        }
    }
    instructions_release(&one);
    instructions_release(&other);
}

int main(int argument_count, char **arguments)
{
    static struct linear trips[MOST_TRIPS];
    uint8_t call[64];
    if (argument_count != 7) {
        fputs("usage: decode-compare ISA ADDRESS MIN_N TRIPS CALL_ADDRESS CALL <CODE\n", stderr);
        return 2;
    }
    const char *isa = arguments[1];
    size_t length = fread(code_bytes, 1, sizeof(code_bytes), stdin);
    struct specimen_code code = {
        .code = {isa, strtoull(arguments[2], NULL, 10), code_bytes, length},
        .call = {isa, strtoull(arguments[5], NULL, 10), call, 0},
        .trips = {trips, take_trips(arguments[4], trips), strtoull(arguments[3], NULL, 10)},
    };
    code.call.length = take_hex(arguments[6], call, sizeof(call));
    for (size_t i = 0; decoders[i]; i++) {
        print_counts(decoders[i], &code);
        print_opcodes(decoders[i], &code);
    }
    print_differences(&code.code);
    return 0;
}
