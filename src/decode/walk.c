/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From instructions to counts: how often each is executed, and what that makes per class. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "decode/decode.h"

/* ----------------------------------------------------------------------------------------------
 * Execution counts by the conservation of flow: an instruction is executed as often as control
 * comes to it, from the one before, by a taken branch, by a jump or a call. How often conditional
 * branches are taken is given, so their edges are known at the beginning and every loop they close
 * is open; what is left has an order, in which each count follows from those before it. */

struct walk {
    const struct instructions *code;
    struct linear *counts;
    struct linear *taken; /* of conditional branches; zero for the others */
    size_t *waiting;      /* edges into an instruction whose counts are not known yet */
    size_t *ready;        /* instructions without such edges, to be passed on */
    size_t ready_count;
    uint64_t least;
    struct failure *failure;
};

bool linear_at(struct linear count, uint64_t n, int64_t *value)
{
    int64_t product;
    return !__builtin_mul_overflow(count.each, n, &product) &&
           !__builtin_add_overflow(count.base, product, value);
}

static int refuse(struct walk *walk, int code, size_t index, const char *why)
{
    const struct instruction *at = &walk->code->list[index];
    return fail_with(walk->failure, code, "'%s' at +0x%llx %s", at->text,
                     (unsigned long long)(at->address - walk->code->list[0].address), why);
}

static bool is_zero(struct linear count)
{
    return !count.base && !count.each;
}

/* Does control go on behind it? */
static bool falls_through(const struct instruction *instruction)
{
    return instruction->flow != FLOW_JUMP && instruction->flow != FLOW_RETURN &&
           instruction->flow != FLOW_INDIRECT_JUMP;
}

/* Index of the instruction it leads to by an edge of its own; count of them: none. */
static size_t destination(const struct walk *walk, const struct instruction *instruction)
{
    if (instruction->flow != FLOW_CONDITIONAL && instruction->flow != FLOW_JUMP &&
        instruction->flow != FLOW_CALL && !instruction->resolved)
        return walk->code->count;
    const struct instruction *found = instructions_at(walk->code, instruction->target);
    return found ? (size_t)(found - walk->code->list) : walk->code->count;
}

static int add(struct walk *walk, size_t index, struct linear more)
{
    struct linear *count = &walk->counts[index];
    if (__builtin_add_overflow(count->base, more.base, &count->base) ||
        __builtin_add_overflow(count->each, more.each, &count->each))
        return refuse(walk, -ERANGE, index, "is executed more often than 64 bits can say");
    return 0;
}

/* Takes the trips in, whose edges are known. */
static int open_branches(struct walk *walk, const struct trips *trips)
{
    size_t next = 0;
    int status = 0;
    for (size_t i = 0; i < walk->code->count && status == 0; i++) {
        const struct instruction *instruction = &walk->code->list[i];
        if (!instruction->known || instruction->flow != FLOW_CONDITIONAL)
            continue;
        if (next == trips->count)
            return refuse(walk, -EBADMSG, i,
                          "is a conditional branch of which the specimen does not say how often "
                          "it is taken");
        walk->taken[i] = trips->list[next++];
        size_t to = destination(walk, instruction);
        if (to < walk->code->count)
            status = add(walk, to, walk->taken[i]);
        else if (!is_zero(walk->taken[i]))
            status = refuse(walk, -ENOTSUP, i, "leaves the code");
    }
    if (status == 0 && next != trips->count)
        return fail_with(walk->failure, -EBADMSG,
                         "the specimen tells of %zu conditional branches, and its code has %zu",
                         trips->count, next);
    return status;
}

/* Where such a transfer leads nobody knows, so nothing is known of any count. */
static int check_indirect(struct walk *walk)
{
    for (size_t i = 0; i < walk->code->count; i++) {
        const struct instruction *instruction = &walk->code->list[i];
        if ((instruction->flow == FLOW_INDIRECT_JUMP || instruction->flow == FLOW_INDIRECT_CALL) &&
            !instruction->resolved)
            return refuse(walk, -ENOTSUP, i, "leads to where only its execution tells");
    }
    return 0;
}

static int pass_to(struct walk *walk, size_t index, struct linear count)
{
    if (--walk->waiting[index] == 0)
        walk->ready[walk->ready_count++] = index;
    return add(walk, index, count);
}

/* Is it at least zero for every N from least on? */
static bool is_count(struct linear count, uint64_t least)
{
    int64_t value;
    return count.each >= 0 && linear_at(count, least, &value) && value >= 0;
}

/* Can what is executed so often be followed? */
static int check(struct walk *walk, size_t index)
{
    const struct instruction *instruction = &walk->code->list[index];
    if (is_zero(walk->counts[index]))
        return 0;
    if (!instruction->known)
        return refuse(walk, -ENOTSUP, index, "is executed, and not known to the decoder");
    if ((instruction->flow == FLOW_JUMP || instruction->flow == FLOW_CALL ||
         instruction->resolved) &&
        destination(walk, instruction) == walk->code->count)
        return refuse(walk, -ENOTSUP, index, "leaves the code");
    return 0;
}

/* The count of an instruction is known: hand it on. */
static int settle(struct walk *walk, size_t index)
{
    const struct instruction *instruction = &walk->code->list[index];
    struct linear count = walk->counts[index];
    struct linear rest = count;
    int status = check(walk, index);
    if (status < 0)
        return status;
    if (instruction->flow == FLOW_CONDITIONAL &&
        (__builtin_sub_overflow(count.base, walk->taken[index].base, &rest.base) ||
         __builtin_sub_overflow(count.each, walk->taken[index].each, &rest.each) ||
         !is_count(rest, walk->least) || !is_count(walk->taken[index], walk->least)))
        return refuse(walk, -EBADMSG, index, "is said to be taken more often than it is executed");
    if (falls_through(instruction) && index + 1 < walk->code->count)
        status = pass_to(walk, index + 1, rest);
    size_t to = destination(walk, instruction);
    if (status == 0 && to < walk->code->count && instruction->flow != FLOW_CONDITIONAL)
        status = pass_to(walk, to, count);
    return status;
}

int walk_counts(const struct instructions *code, const struct trips *trips, struct linear *counts,
                struct failure *failure)
{
    if (!code->count)
        return 0;
    AUTO_MEMORY struct linear *taken = memory_new(code->count, sizeof(*taken));
    AUTO_MEMORY size_t *waiting = memory_new(code->count, sizeof(*waiting));
    AUTO_MEMORY size_t *ready = memory_new(code->count, sizeof(*ready));
    memset(counts, 0, code->count * sizeof(*counts));
    struct walk walk = {.code = code,
                        .counts = counts,
                        .taken = taken,
                        .waiting = waiting,
                        .ready = ready,
                        .least = trips->least,
                        .failure = failure};
    size_t settled = 0;
    int status = add(&walk, 0, (struct linear){1, 0});
    if (status == 0)
        status = check_indirect(&walk);
    if (status == 0)
        status = open_branches(&walk, trips);
    for (size_t i = 0; i < walk.code->count; i++) {
        const struct instruction *instruction = &walk.code->list[i];
        if (falls_through(instruction) && i + 1 < walk.code->count)
            walk.waiting[i + 1]++;
        size_t to = destination(&walk, instruction);
        if (to < walk.code->count && instruction->flow != FLOW_CONDITIONAL)
            walk.waiting[to]++;
    }

    for (size_t i = 0; i < walk.code->count; i++)
        if (!walk.waiting[i])
            walk.ready[walk.ready_count++] = i;
    for (; status == 0 && settled < walk.ready_count; settled++)
        status = settle(&walk, walk.ready[settled]);
    for (size_t i = 0; status == 0 && settled < walk.code->count; i++)
        if (walk.waiting[i])
            status = refuse(&walk, -ENOTSUP, i, "is in a loop that no conditional branch closes");
    return status;
}

/* --- What executed instructions make per class: each class is a weight of an instruction --- */

typedef unsigned weight_of(const struct instruction *instruction);

static unsigned one(const struct instruction *i)
{
    (void)i;
    return 1;
}
static unsigned loads(const struct instruction *i)
{
    return i->loads;
}
static unsigned stores(const struct instruction *i)
{
    return i->stores;
}
static unsigned branches(const struct instruction *i)
{
    return i->flow != FLOW_NEXT;
}
static unsigned conditional(const struct instruction *i)
{
    return i->flow == FLOW_CONDITIONAL;
}
static unsigned jumps(const struct instruction *i)
{
    return i->flow == FLOW_JUMP;
}
static unsigned calls(const struct instruction *i)
{
    return i->flow == FLOW_CALL || i->flow == FLOW_INDIRECT_CALL;
}
static unsigned returns(const struct instruction *i)
{
    return i->flow == FLOW_RETURN;
}
static unsigned indirect(const struct instruction *i)
{
    return i->flow == FLOW_INDIRECT_JUMP || i->flow == FLOW_INDIRECT_CALL;
}
static unsigned system_calls(const struct instruction *i)
{
    return i->system_call;
}
static unsigned fp_instructions(const struct instruction *i)
{
    return i->fp != FP_NONE;
}
static unsigned fp_operations(const struct instruction *i)
{
    return i->fp == FP_FMA ? 2u * i->lanes : i->lanes;
}
static unsigned fp_adds(const struct instruction *i)
{
    return i->fp == FP_ADD;
}
static unsigned fp_muls(const struct instruction *i)
{
    return i->fp == FP_MUL;
}
static unsigned fp_divs(const struct instruction *i)
{
    return i->fp == FP_DIV;
}
static unsigned fp_sqrts(const struct instruction *i)
{
    return i->fp == FP_SQRT;
}
static unsigned fp_fmas(const struct instruction *i)
{
    return i->fp == FP_FMA;
}
static unsigned of_shape(const struct instruction *i, bool packed, enum fp_precision precision)
{
    return i->fp != FP_NONE && i->packed == packed && i->precision == precision;
}
static unsigned scalar_single(const struct instruction *i)
{
    return of_shape(i, false, FP_SINGLE);
}
static unsigned scalar_double(const struct instruction *i)
{
    return of_shape(i, false, FP_DOUBLE);
}
static unsigned packed_single(const struct instruction *i)
{
    return of_shape(i, true, FP_SINGLE);
}
static unsigned packed_double(const struct instruction *i)
{
    return of_shape(i, true, FP_DOUBLE);
}

/* part: of the executions of a conditional branch. needs: what must be told of an instruction. */
static const struct class
{
    const char *name;
    weight_of *weight;
    enum { ALL, TAKEN, NOT_TAKEN } part;
    uint8_t needs;
} classes[TALLY_CLASSES] = {
    {"instructions", one, ALL, 0},
    {"loads", loads, ALL, TOLD_ACCESS},
    {"stores", stores, ALL, TOLD_ACCESS},
    {"branches", branches, ALL, TOLD_FLOW},
    {"cond-branches", conditional, ALL, TOLD_FLOW},
    {"cond-branches-taken", conditional, TAKEN, TOLD_FLOW},
    {"cond-branches-not-taken", conditional, NOT_TAKEN, TOLD_FLOW},
    {"jumps", jumps, ALL, TOLD_FLOW},
    {"calls", calls, ALL, TOLD_FLOW},
    {"returns", returns, ALL, TOLD_FLOW},
    {"indirect-branches", indirect, ALL, TOLD_FLOW},
    {"syscalls", system_calls, ALL, TOLD_FLOW},
    {"fp-instructions", fp_instructions, ALL, TOLD_FP},
    {"fp-operations", fp_operations, ALL, TOLD_FP},
    {"fp-adds", fp_adds, ALL, TOLD_FP},
    {"fp-muls", fp_muls, ALL, TOLD_FP},
    {"fp-divs", fp_divs, ALL, TOLD_FP},
    {"fp-sqrts", fp_sqrts, ALL, TOLD_FP},
    {"fp-fmas", fp_fmas, ALL, TOLD_FP},
    {"fp-scalar-single", scalar_single, ALL, TOLD_FP},
    {"fp-scalar-double", scalar_double, ALL, TOLD_FP},
    {"fp-packed-single", packed_single, ALL, TOLD_FP},
    {"fp-packed-double", packed_double, ALL, TOLD_FP},
};

void tallies_begin(struct tallies *tallies)
{
    for (size_t i = 0; i < TALLY_CLASSES; i++)
        tallies->list[i] = (struct tally){.class = classes[i].name, .known = true};
}

/* total += weight * count, less what is not of the part; false when that leaves 64 bits. */
static bool accumulate(int64_t *total, unsigned weight, int64_t count)
{
    int64_t product;
    return !__builtin_mul_overflow(count, (int64_t)weight, &product) &&
           !__builtin_add_overflow(*total, product, total);
}

static struct linear part_of(const struct class *class, struct linear count, struct linear taken)
{
    if (class->part == TAKEN)
        return taken;
    /* walk_counts has seen that this does not overflow. */
    if (class->part == NOT_TAKEN)
        return (struct linear){count.base - taken.base, count.each - taken.each};
    return count;
}

static bool add_class(struct tally *tally, const struct class *class,
                      const struct instruction *instruction, struct linear count,
                      struct linear taken)
{
    unsigned weight = class->weight(instruction);
    struct linear part = part_of(class, count, taken);
    if (weight && instruction->repeated && (class->weight == loads || class->weight == stores) &&
        (count.base || count.each))
        tally->known = false;
    return accumulate(&tally->count.base, weight, part.base) &&
           accumulate(&tally->count.each, weight, part.each);
}

int tallies_add(struct tallies *tallies, const struct instructions *code,
                const struct linear *counts, const struct trips *trips, struct failure *failure)
{
    size_t branch = 0;
    for (size_t i = 0; i < code->count; i++) {
        const struct instruction *instruction = &code->list[i];
        struct linear taken = {0};
        if (!instruction->known) /* never executed, as walk_counts has seen */
            continue;
        if (instruction->flow == FLOW_CONDITIONAL && branch < trips->count)
            taken = trips->list[branch++];
        for (size_t class = 0; class < TALLY_CLASSES; class ++)
            if (!add_class(&tallies->list[class], &classes[class], instruction, counts[i], taken))
                return fail_with(failure, -ERANGE, "the count of %s leaves 64 bits",
                                 classes[class].name);
    }
    return 0;
}

int tallies_add_executed(struct tallies *tallies, const struct instruction *instruction,
                         uint64_t executions, struct failure *failure)
{
    const struct linear count = {.base = (int64_t)executions};
    const uint8_t told = instruction->known ? TOLD_ALL : instruction->told;
    for (size_t class = 0; class < TALLY_CLASSES; class ++) {
        struct tally *tally = &tallies->list[class];
        if (classes[class].part != ALL)
            tally->known = false;
        else if ((told & classes[class].needs) != classes[class].needs
                     ? __builtin_add_overflow(tally->unsure, executions, &tally->unsure)
                     : executions > INT64_MAX || !add_class(tally, &classes[class], instruction,
                                                            count, (struct linear){0}))
            return fail_with(failure, -ERANGE, "the count of %s leaves 64 bits",
                             classes[class].name);
    }
    return 0;
}

const struct tally *tallies_find(const struct tallies *tallies, const char *class)
{
    for (size_t i = 0; i < TALLY_CLASSES; i++)
        if (strcmp(tallies->list[i].class, class) == 0)
            return &tallies->list[i];
    return NULL;
}

/* Decodes and walks one specimen with one back end, and sums what it executes. */

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
