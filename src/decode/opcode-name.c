/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One name for an opcode, whoever decoded it: prefixes that change what is executed stay, others
 * go; names of AT&T's syntax become those of the manuals; no-ops of x86-64, which come in many
 * lengths that are decoded differently, are told apart by them. */
#include <stdio.h>
#include <string.h>

#include "decode/opcodes.h"

/* What is a prefix, and what it is called; NULL: it says nothing about what is executed. */
static const struct {
    const char *word, *name;
} prefixes[] = {
    {"lock", "lock"},
    {"rep", "rep"},
    {"repz", "repe"},
    {"repe", "repe"},
    {"repnz", "repne"},
    {"repne", "repne"},
    {"bnd", NULL},
    {"notrack", NULL},
    {"data16", NULL},
    {"addr32", NULL},
    {"cs", NULL},
    {"ds", NULL},
    {"es", NULL},
    {"ss", NULL},
    {"fs", NULL},
    {"gs", NULL},
    {"rex.W", NULL},
    {"{vex}", NULL},
    {"{evex}", NULL},
    {"xacquire", "xacquire"},
    {"xrelease", "xrelease"},
};

static const struct {
    const char *isa, *word, *name;
} aliases[] = {
    {"x86_64", "cltq", "cdqe"},    {"x86_64", "cqto", "cqo"},      {"x86_64", "cltd", "cdq"},
    {"x86_64", "cwtl", "cwde"},    {"x86_64", "cbtw", "cbw"},      {"x86_64", "cwtd", "cwd"},
    {"x86_64", "movzbl", "movzx"}, {"x86_64", "movzbw", "movzx"},  {"x86_64", "movzbq", "movzx"},
    {"x86_64", "movzwl", "movzx"}, {"x86_64", "movzwq", "movzx"},  {"x86_64", "movsbl", "movsx"},
    {"x86_64", "movsbw", "movsx"}, {"x86_64", "movsbq", "movsx"},  {"x86_64", "movswl", "movsx"},
    {"x86_64", "movswq", "movsx"}, {"x86_64", "movslq", "movsxd"}, {"x86_64", "movsl", "movsd"},
    {"x86_64", "stosl", "stosd"},  {"x86_64", "lodsl", "lodsd"},   {"x86_64", "scasl", "scasd"},
    {"x86_64", "cmpsl", "cmpsd"},  {"x86_64", "fildll", "fild"},   {"x86_64", "fistpll", "fistp"},
    {"x86_64", "pushf", "pushfq"}, {"x86_64", "popf", "popfq"},    {"x86_64", "fwait", "wait"},
};

/* No-ops that a decoder without aliases spells out. */
static const struct {
    const char *isa, *text, *name;
} spelled[] = {
    {"riscv64", "addi zero,zero,0", "nop"},
    {"riscv64", "c.addi zero,0", "c.nop"},
    {"aarch64", "hint #0x0", "nop"},
};

/* Writes the prefixes that count and returns what follows them. */
static const char *take_prefixes(const char *words, char *name, size_t *used)
{
    for (;;) {
        size_t length = strcspn(words, " "), i = 0, count = sizeof(prefixes) / sizeof(*prefixes);
        while (i < count &&
               (strncmp(words, prefixes[i].word, length) != 0 || prefixes[i].word[length]))
            i++;
        if (i == count || !words[length])
            return words;
        if (prefixes[i].name && *used + strlen(prefixes[i].name) + 1 < OPCODE_SIZE)
            *used += (size_t)snprintf(name + *used, OPCODE_SIZE - *used, "%s ", prefixes[i].name);
        words += length + strspn(words + length, " ");
    }
}

static const char *alias_of(const char *isa, const char *word)
{
    for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
        if (strcmp(aliases[i].isa, isa) == 0 && strcmp(aliases[i].word, word) == 0)
            return aliases[i].name;
    return word;
}

static const char *spelled_out(const char *isa, const char *text)
{
    for (size_t i = 0; i < sizeof(spelled) / sizeof(*spelled); i++)
        if (strcmp(spelled[i].isa, isa) == 0 && strcmp(spelled[i].text, text) == 0)
            return spelled[i].name;
    return NULL;
}

void opcode_name(const char *isa, const struct instruction *instruction, char name[OPCODE_SIZE])
{
    size_t used = 0;
    name[0] = '\0';
    const char *word = alias_of(isa, take_prefixes(instruction->opcode, name, &used));
    const char *nop = spelled_out(isa, instruction->text);
    if (nop)
        snprintf(name, OPCODE_SIZE, "%s", nop);
    else if (strcmp(isa, "x86_64") == 0 && strcmp(word, "nop") == 0 && instruction->length > 1)
        snprintf(name, OPCODE_SIZE, "%u-byte nop", instruction->length);
    else
        snprintf(name + used, OPCODE_SIZE - used, "%s", word);
}
