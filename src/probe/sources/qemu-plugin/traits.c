/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a line of disassembly to a mnemonic and its operands, and on to the table of the ISA. */
#include "probe/sources/qemu-plugin/traits.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MNEMONIC 32

bool traits_listed(const char *const *names, const char *word)
{
    for (; *names; names++)
        if (strcmp(*names, word) == 0)
            return true;
    return false;
}

/* Takes the next word; returns what follows it and the blanks behind. */
static const char *take_word(const char *text, char word[MNEMONIC])
{
    size_t length = strcspn(text, " \t");
    size_t kept = length < MNEMONIC ? length : MNEMONIC - 1;
    memcpy(word, text, kept);
    word[kept] = '\0';
    text += length;
    return text + strspn(text, " \t");
}

/* RISC-V's disassembler begins with the encoding. ("fadd" of other ISAs looks like one, too.) */
static bool is_encoding(const char *word)
{
    size_t length = strlen(word);
    return (length == 4 || length == 8) && strspn(word, "0123456789abcdef") == length;
}

static bool is_prefix(const char *word)
{
    static const char *const prefixes[] = {"lock",     "rep",      "repe",    "repne",  "repz",
                                           "repnz",    "bnd",      "notrack", "data16", "addr32",
                                           "xacquire", "xrelease", NULL};
    return traits_listed(prefixes, word);
}

/* The number behind the last "0x": where a branch goes. */
static uint64_t last_address(const char *operands)
{
    const char *found = NULL;
    for (const char *at = operands; (at = strstr(at, "0x")); at += 2)
        found = at;
    return found ? strtoull(found, NULL, 16) : 0;
}

/* ".byte 0x23, 0x00, 0x22, 0xf8" as a little-endian word; 0 for other words. */
static uint32_t listed_bytes(const char *operands)
{
    uint32_t word = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        char *end;
        unsigned long byte = strtoul(operands, &end, 16);
        if (end == operands || byte > 0xff)
            return 0;
        word |= (uint32_t)byte << shift;
        operands = end + strspn(end, ", ");
    }
    return *operands ? 0 : word;
}

static const struct table {
    const char *isa;
    bool encoding_first;
    void (*read)(const char *mnemonic, const char *operands, struct traits *traits);
    bool (*knows)(uint32_t word); /* what older disassemblers do not; NULL: nothing */
} tables[] = {{"x86_64", false, traits_x86, NULL},
              {"aarch64", false, traits_aarch64, traits_aarch64_knows},
              {"riscv64", true, traits_riscv, NULL}};

static const struct table *table_for(const char *isa)
{
    for (size_t index = 0; index < sizeof(tables) / sizeof(*tables); index++)
        if (strcmp(tables[index].isa, isa) == 0)
            return &tables[index];
    return NULL;
}

bool traits_of(const char *isa, const char *text, struct traits *traits)
{
    char mnemonic[MNEMONIC];
    *traits = (struct traits){0};
    const struct table *table = table_for(isa);
    if (!table || !text)
        return table != NULL;
    const char *operands = take_word(text + strspn(text, " \t"), mnemonic);
    while (is_prefix(mnemonic) || (table->encoding_first && is_encoding(mnemonic))) {
        traits->atomic |= strcmp(mnemonic, "lock") == 0;
        operands = take_word(operands, mnemonic);
    }
    /* ".byte 0x23, …", "(bad)", "illegal": QEMU runs it, its disassembler does not know it. */
    if (!isalpha((unsigned char)*mnemonic) || strcmp(mnemonic, "illegal") == 0) {
        traits->known =
            table->knows && strcmp(mnemonic, ".byte") == 0 && table->knows(listed_bytes(operands));
        return true;
    }
    traits->known = true;
    traits->lanes = 1;
    table->read(mnemonic, operands, traits);
    if (traits->transfer == TRANSFER_CONDITIONAL)
        traits->target = last_address(operands);
    return true;
}
