/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Decodes and walks one specimen with one back end, and sums what it executes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "decode/count.h"

/* --- By class --- */

/* Given a stretch of code and how often each of its instructions is executed; a non-zero result
 * ends the counting and becomes its result. */
typedef int counted_part(void *context, const struct instructions *code,
                         const struct linear *counts, const struct trips *trips,
                         struct failure *failure);

static void release_instructions(struct instructions *instructions)
{
    instructions_release(instructions);
}
#define AUTO_INSTRUCTIONS __attribute__((cleanup(release_instructions)))

/* The call is straight code that leads to the specimen: each of its instructions once. */
static int count_call(const struct decoder *decoder, const struct code_bytes *call,
                      counted_part *part, void *context, struct failure *failure)
{
    AUTO_INSTRUCTIONS struct instructions decoded = {0};
    int status = decode(decoder, call, &decoded, failure);
    if (status < 0)
        return status;
    AUTO_MEMORY struct linear *counts = memory_new(decoded.count + 1, sizeof(*counts));
    for (size_t i = 0; i < decoded.count; i++) {
        const struct instruction *instruction = &decoded.list[i];
        bool last = i + 1 == decoded.count;
        if (!instruction->known || (instruction->flow != FLOW_NEXT && !last))
            return fail_with(failure, -ENOTSUP, "the window's call is not understood: '%s'",
                             instruction->text);
        counts[i].base = 1;
    }
    return part(context, &decoded, counts, &(struct trips){0}, failure);
}

/* The window's call, then the specimen's own code. Failures are those of decode and walk_counts. */
static int count_parts(const struct decoder *decoder, const struct specimen_code *specimen,
                       counted_part *part, void *context, struct failure *failure)
{
    AUTO_INSTRUCTIONS struct instructions decoded = {0};
    int status = count_call(decoder, &specimen->call, part, context, failure);
    if (status == 0)
        status = decode(decoder, &specimen->code, &decoded, failure);
    if (status)
        return status;
    AUTO_MEMORY struct linear *counts = memory_new(decoded.count + 1, sizeof(*counts));
    status = walk_counts(&decoded, &specimen->trips, counts, failure);
    return status < 0 ? status : part(context, &decoded, counts, &specimen->trips, failure);
}

static int add_tallies(void *context, const struct instructions *code, const struct linear *counts,
                       const struct trips *trips, struct failure *failure)
{
    return tallies_add(context, code, counts, trips, failure);
}

int count_code(const struct decoder *decoder, const struct specimen_code *specimen,
               struct tallies *tallies, struct failure *failure)
{
    tallies_begin(tallies);
    return count_parts(decoder, specimen, add_tallies, tallies, failure);
}

/* ----------------------------------------------------------------------------------------------
 * One name for an opcode, whoever decoded it: prefixes that change what is executed stay, others
 * go; names of AT&T's syntax become those of the manuals; no-ops of x86-64, which come in many
 * lengths that are decoded differently, are told apart by them. */

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

/* --- By opcode --- */

/* The one of that name, new where there is none. */
static struct opcode *opcode_of(struct opcodes *opcodes, const char *name)
{
    for (size_t i = 0; i < opcodes->count; i++)
        if (strcmp(opcodes->list[i].name, name) == 0)
            return &opcodes->list[i];
    struct opcode *added = memory_add(opcodes->list, opcodes->count);
    memcpy(added->name, name, OPCODE_SIZE);
    return added;
}

struct summing {
    const char *isa;
    struct opcodes *opcodes;
};

static int sum_opcodes(void *context, const struct instructions *code, const struct linear *counts,
                       const struct trips *trips, struct failure *failure)
{
    const struct summing *summing = context;
    (void)trips;
    for (size_t i = 0; i < code->count; i++) {
        char name[OPCODE_SIZE];
        if (!code->list[i].known || (!counts[i].base && !counts[i].each))
            continue;
        opcode_name(summing->isa, &code->list[i], name);
        struct opcode *opcode = opcode_of(summing->opcodes, name);
        if (__builtin_add_overflow(opcode->count.base, counts[i].base, &opcode->count.base) ||
            __builtin_add_overflow(opcode->count.each, counts[i].each, &opcode->count.each))
            return fail_with(failure, -ERANGE, "the count of %s leaves 64 bits", name);
    }
    return 0;
}

int opcodes_count_with(const struct decoder *decoder, const struct specimen_code *specimen,
                       struct opcodes *opcodes, struct failure *failure)
{
    struct summing summing = {specimen->code.isa, opcodes};
    *opcodes = (struct opcodes){0};
    int status = count_parts(decoder, specimen, sum_opcodes, &summing, failure);
    if (status < 0)
        opcodes_release(opcodes);
    return status;
}

int opcodes_count(const struct specimen_code *specimen, struct opcodes *opcodes,
                  const char **decoder, struct failure *failure)
{
    int status = -ENOTSUP;
    for (size_t i = 0; decoders[i] && status < 0; i++) {
        status = opcodes_count_with(decoders[i], specimen, opcodes, failure);
        if (status == 0 && decoder)
            *decoder = decoders[i]->name;
    }
    return status;
}

void opcodes_release(struct opcodes *opcodes)
{
    memory_give_back(opcodes->list);
    *opcodes = (struct opcodes){0};
}
