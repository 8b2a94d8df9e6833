/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One line of objdump's output. Strict: the address must be the one that is due and the bytes those
 * that were given, so that a line that was lost, doubled or cut is noticed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/objdump.h"

#define LONGEST                                                                                    \
    24 /* bytes of the longest encoding of any ISA here (RISC-V reserves such), and more */
#define SHORTEST_CUT 4 /* so many bytes are a whole instruction where some can be cut */

static bool is_hex(char character)
{
    return strchr("0123456789abcdef", character) && character;
}

static unsigned hex_digit(char character)
{
    return (unsigned)(character <= '9' ? character - '0' : character - 'a' + 10);
}

bool objdump_target(const char *operand, uint64_t *target)
{
    uint64_t value = 0;
    if (strncmp(operand, "0x", 2) != 0 || !operand[2] || strlen(operand) > 18)
        return false;
    for (operand += 2; is_hex(*operand); operand++)
        value = value << 4 | hex_digit(*operand);
    *target = value;
    return *operand == '\0';
}

/* The address before the colon; NULL when the line has none. */
static char *take_address(char *line, uint64_t *address)
{
    char *cursor = line + strspn(line, " ");
    char *digits = cursor;
    *address = 0;
    for (; is_hex(*cursor); cursor++)
        *address = *address << 4 | hex_digit(*cursor);
    if (cursor == digits || cursor - digits > 16 || cursor[0] != ':' || cursor[1] != '\t')
        return NULL;
    return cursor + 2;
}

/* Groups of hexadecimal digits: bytes in order, or words, whose lowest byte comes last. Returns how
 * many bytes, 0 when it is none. */
static size_t take_bytes(const char *field, uint8_t *bytes)
{
    size_t count = 0;
    while (*field) {
        size_t digits = strspn(field, "0123456789abcdef");
        if (!digits || digits % 2 || count + digits / 2 > LONGEST)
            return 0;
        for (size_t i = digits; i; i -= 2)
            bytes[count++] = (uint8_t)(hex_digit(field[i - 2]) << 4 | hex_digit(field[i - 1]));
        field += digits;
        field += strspn(field, " ");
    }
    return count;
}

/* Cuts a remark ("# 0x4010", "// b.any", "; undefined") and spaces off the end. */
static void cut_remark(char *text)
{
    static const char *const remarks[] = {" #", "\t#", "//", " ;", "\t;"};
    for (size_t i = 0; i < sizeof(remarks) / sizeof(*remarks); i++) {
        /* On AArch64 "#" begins a number too, after a comma or a bracket and never after words. */
        for (char *found = text; (found = strstr(found, remarks[i])); found++) {
            char *before = found;
            while (before > text && strchr(" \t", before[-1]))
                before--;
            if (remarks[i][1] == '#' &&
                (found[2] != ' ' || before == text || strchr(",[", before[-1])))
                continue;
            *found = '\0';
            break;
        }
    }
    size_t length = strlen(text);
    while (length && strchr(" \t", text[length - 1]))
        text[--length] = '\0';
}

static void take_words(char *text, struct wording *words)
{
    *words = (struct wording){.mnemonic = text};
    char *cursor = text + strcspn(text, " \t");
    if (!*cursor)
        return;
    *cursor++ = '\0';
    cursor += strspn(cursor, " \t");
    int depth = 0;
    while (*cursor && words->count < OBJDUMP_OPERANDS) {
        words->operands[words->count++] = cursor;
        for (; *cursor && (depth > 0 || *cursor != ','); cursor++)
            depth += *cursor && strchr("([{", *cursor)   ? 1
                     : *cursor && strchr(")]}", *cursor) ? -1
                                                         : 0;
        if (*cursor) {
            *cursor++ = '\0';
            cursor += strspn(cursor, " ");
        }
    }
}

/* Code that ends within an instruction: on ISAs with long words objdump says so, without bytes. */
static int take_cut(const char *field, uint64_t address, const struct objdump_line *place,
                    struct instruction *instruction)
{
    if (strncmp(field, "Address 0x", 10) != 0 || !strstr(field, "out of bounds") ||
        address != place->expected || !place->left || place->left >= SHORTEST_CUT)
        return -EBADMSG;
    instruction->address = address;
    instruction->length = (uint8_t)place->left;
    snprintf(instruction->text, sizeof(instruction->text), "(no instruction)");
    return 1;
}

int objdump_parse(char *line, const struct objdump_line *place, struct instruction *instruction)
{
    uint64_t address;
    uint8_t bytes[LONGEST];
    char *field = take_address(line, &address);
    if (!field)
        return 0;
    char *text = strchr(field, '\t');
    if (!text)
        return take_cut(field, address, place, instruction);
    *text++ = '\0';
    size_t length = take_bytes(field, bytes);
    if (!length || address != place->expected || length > place->left ||
        memcmp(bytes, place->bytes, length) != 0)
        return -EBADMSG;
    cut_remark(text);
    instruction->address = address;
    instruction->length = (uint8_t)length;
    snprintf(instruction->text, sizeof(instruction->text), "%s", text);
    for (char *blank = instruction->text; *blank; blank++)
        if (*blank == '\t')
            *blank = ' ';
    struct wording words;
    take_words(text, &words);
    snprintf(instruction->opcode, sizeof(instruction->opcode), "%.31s", words.mnemonic);
    place->describe(&words, instruction);
    return 1;
}
