/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums what a command executed: by function from what the probe says of each stretch, by opcode and
 * class from its decoded code. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "decode/decode.h"
#include "engine/executed.h"

/* ----------------------------------------------------------------------------------------------
 * Decodes the stretches of an execution, many at a time: first by Capstone; each instruction that
 * it does not know in full by objdump; of the rest what either can tell. Behind an instruction
 * whose length nobody knows the next stretch is where to go on. Stretches are kept until a visit
 * ends, then decoded together: decoders are slow to start, and what is 32-bit code is only known
 * when all of a file was seen. */

#define BATCH_BYTES                                                                                \
    (256u << 10) /* decoded at a time: instructions take fifty times their bytes                   \
                  */
/* Behind each stretch that is not whole without, so that what is misread at its end leaves the next
 * one whole: no instruction of x86 is longer, and each of these is one. Where nothing is misread
 * they would only take time. */
#define PADDING      16u
#define PADDING_BYTE 0x90

/* --- keeping --- */

#define EXECUTED_MOST_BYTES                                                                        \
    (64u << 20) /* of code of one execution; beyond it only functions count */

struct code_stretch {
    size_t offset, length; /* in bytes */
    uint64_t address;
    size_t object; /* number of the file that it is from */
    uint32_t instructions;
    uint64_t executions, repetitions;
};

struct executed_code {
    uint8_t *bytes;
    size_t length, capacity;
    struct code_stretch *list;
    size_t count;
};

/* --- decoding many --- */

/* Called for each instruction of each stretch, with the ISA by which it was decoded; NULL: that
 * many instructions of the stretch no decoder knows. A negative result ends the decoding. */
typedef int executed_each(void *context, const struct code_stretch *stretch, const char *isa,
                          const struct instruction *instruction, uint64_t unknown,
                          struct failure *failure);

/* What became of a stretch in a batch: its instructions, as far as their lengths are known. */
struct found {
    const struct instruction *list;
    uint32_t count; /* in a row, from its beginning */
    uint64_t bytes; /* that these take */
    bool whole;     /* as many as were executed, and all known in full */
};
typedef int found_each(void *context, size_t stretch, const struct found *found,
                       struct failure *failure);

/* Some stretches, by number, in one ISA and by one decoder. */
struct pass {
    const struct executed_code *code;
    const struct decoder *decoder;
    const char *isa;
    const size_t *chosen;
    size_t count;
    size_t padding; /* behind each */
    found_each *each;
    void *context;
    size_t decoded; /* batches that the decoder could do */
};

/* Where the stretch begins among the instructions, whose addresses are places in the batch. */
static struct found find(const struct instructions *instructions,
                         const struct code_stretch *stretch, uint64_t place)
{
    const struct instruction *at = instructions_at(instructions, place);
    const struct instruction *end = at ? instructions->list + instructions->count : NULL;
    struct found found = {.list = at, .whole = true};
    while (at && at < end && (at->known || at->told) && found.count < stretch->instructions &&
           found.bytes + at->length <= stretch->length) {
        found.bytes += at->length;
        found.whole &= at->known;
        found.count++;
        at++;
    }
    /* As many, but shorter, or as long, but fewer: they are others. */
    const bool all = found.count == stretch->instructions, full = found.bytes == stretch->length;
    if (all != full)
        found.count = 0, found.bytes = 0;
    found.whole &= all && full;
    return found;
}

/* Decodes from the from-th chosen one as many as a batch holds; *to is the first that it does not.
 * Nothing is known of a batch that the decoder cannot do. */
static int decode_batch(struct pass *pass, uint8_t *batch, size_t from, size_t *to,
                        struct failure *failure)
{
    size_t length = 0, i = from;
    for (; i < pass->count; i++) {
        const struct code_stretch *stretch = &pass->code->list[pass->chosen[i]];
        if (i > from && length + stretch->length + pass->padding > BATCH_BYTES)
            break;
        memcpy(batch + length, pass->code->bytes + stretch->offset, stretch->length);
        memset(batch + length + stretch->length, PADDING_BYTE, pass->padding);
        length += stretch->length + pass->padding;
    }
    *to = i;
    const struct code_bytes bytes = {.isa = pass->isa, .bytes = batch, .length = length};
    struct instructions instructions;
    struct failure unable = {0};
    int error = decode(pass->decoder, &bytes, &instructions, &unable);
    pass->decoded += error == 0;
    uint64_t place = 0;
    error = 0;
    for (i = from; i < *to && error == 0; i++) {
        const struct code_stretch *stretch = &pass->code->list[pass->chosen[i]];
        const struct found found = find(&instructions, stretch, place);
        place += stretch->length + pass->padding; /* before the list grows and moves */
        error = pass->each(pass->context, pass->chosen[i], &found, failure);
    }
    instructions_release(&instructions);
    return error;
}

static int run_pass(struct pass *pass, struct failure *failure)
{
    size_t largest = 0;
    for (size_t i = 0; i < pass->count; i++)
        if (pass->code->list[pass->chosen[i]].length > largest)
            largest = pass->code->list[pass->chosen[i]].length;
    const size_t room = (largest > BATCH_BYTES ? largest : BATCH_BYTES) + 2 * (size_t)PADDING;
    AUTO_MEMORY uint8_t *batch = memory_new(room, 1);
    int error = 0;
    for (size_t from = 0; from < pass->count && error == 0;)
        error = decode_batch(pass, batch, from, &from, failure);
    return error;
}

/* --- which code is 32-bit --- */

struct voting {
    const struct executed_code *code;
    size_t *fits; /* [object]: stretches that are whole in this ISA */
};

static int vote(void *context, size_t stretch, const struct found *found, struct failure *failure)
{
    const struct voting *voting = context;
    (void)failure;
    voting->fits[voting->code->list[stretch].object] += found->whole;
    return 0;
}

/* false: nobody can decode it. */
static bool count_votes(const struct executed_code *code, const char *isa, const size_t *chosen,
                        size_t count, size_t *fits)
{
    struct failure ignored = {0};
    struct voting voting = {code, fits};
    struct pass pass = {.code = code,
                        .decoder = decoders[0],
                        .isa = isa,
                        .chosen = chosen,
                        .count = count,
                        .each = vote,
                        .context = &voting};
    return run_pass(&pass, &ignored) == 0 && pass.decoded;
}

/* Files whose code fits what was executed as 32-bit code better. Only what lies below 4 GB can
 * be. */
static void find_narrow(const struct executed_code *code, size_t objects, bool *narrow)
{
    AUTO_MEMORY size_t *chosen = memory_new(code->count + 1, sizeof(*chosen));
    AUTO_MEMORY size_t *wide = memory_new(objects + 1, sizeof(*wide));
    AUTO_MEMORY size_t *slim = memory_new(objects + 1, sizeof(*slim));
    size_t count = 0;
    for (size_t i = 0; i < code->count; i++)
        if (code->list[i].address + code->list[i].length <= (uint64_t)1 << 32)
            chosen[count++] = i;
    if (!count || !count_votes(code, "x86_64", chosen, count, wide) ||
        !count_votes(code, "i386", chosen, count, slim))
        return; /* then it is the machine's own */
    for (size_t i = 0; i < objects; i++)
        narrow[i] = slim[i] > wide[i];
}

/* --- all passes --- */

struct decoding {
    struct executed_code *code; /* parts of stretches are added */
    const char *isa;
    executed_each *each;
    void *context;
    /* Whole stretches; known instructions; those of which something is told; of known length. */
    enum { WHOLE, PIECES, PARTS, LENGTHS } take;
    size_t *left; /* numbers of stretches that were not taken */
    size_t left_count;
};

static void leave(struct decoding *decoding, size_t number)
{
    *memory_add(decoding->left, decoding->left_count) = number;
}

/* So many instructions of the stretch from the place on are for another decoder. */
static void leave_part(struct decoding *decoding, size_t number, uint64_t place, size_t length,
                       uint32_t instructions)
{
    struct executed_code *code = decoding->code;
    struct code_stretch part = code->list[number];
    part.offset += place;
    part.address += place;
    part.length = length;
    part.instructions = instructions;
    leave(decoding, code->count);
    *memory_add(code->list, code->count) = part;
}

static int take(void *context, size_t number, const struct found *found, struct failure *failure)
{
    struct decoding *decoding = context;
    const struct code_stretch stretch = decoding->code->list[number]; /* which may move */
    uint64_t place = 0;
    int error = 0;
    if (!found->count || (!found->whole && decoding->take == WHOLE)) {
        leave(decoding, number);
        return 0;
    }
    for (uint32_t i = 0; i < found->count && error == 0; i++) {
        const struct instruction *each = &found->list[i];
        if (each->known || decoding->take == LENGTHS ||
            (decoding->take == PARTS && each->told != TOLD_LENGTH))
            error = decoding->each(decoding->context, &stretch, decoding->isa, each, 0, failure);
        else
            leave_part(decoding, number, place, each->length, 1);
        place += each->length;
    }
    if (found->count < stretch.instructions)
        leave_part(decoding, number, place, stretch.length - place,
                   stretch.instructions - found->count);
    return error;
}

/* By this decoder all that are left, which fills the list anew. */
static int take_left(struct decoding *decoding, const struct decoder *decoder, size_t padding,
                     struct failure *failure)
{
    const size_t count = decoding->left_count;
    AUTO_MEMORY size_t *chosen = memory_new(count + 1, sizeof(*chosen));
    memcpy(chosen, decoding->left, count * sizeof(*chosen));
    decoding->left_count = 0;
    struct pass pass = {.code = decoding->code,
                        .decoder = decoder,
                        .isa = decoding->isa,
                        .chosen = chosen,
                        .count = count,
                        .padding = padding,
                        .each = take,
                        .context = decoding};
    return run_pass(&pass, failure);
}

/* Whole stretches by each decoder in turn, each twice: without padding, then pieces of what was not
 * whole by it. Of the rest what they know in part, and nothing of what is left then. */
static int decode_left(struct decoding *decoding, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; decoders[i / 2] && decoding->left_count && error == 0; i++) {
        decoding->take = i % 2 ? PIECES : WHOLE;
        error = take_left(decoding, decoders[i / 2], i % 2 ? PADDING : 0, failure);
    }
    for (decoding->take = PARTS; decoding->take <= LENGTHS; decoding->take++)
        for (size_t i = 0; decoders[i] && decoding->left_count && error == 0; i++)
            error = take_left(decoding, decoders[i], PADDING, failure);
    for (size_t i = 0; i < decoding->left_count && error == 0; i++) {
        const struct code_stretch *stretch = &decoding->code->list[decoding->left[i]];
        error = decoding->each(decoding->context, stretch, decoding->isa, NULL,
                               stretch->instructions, failure);
    }
    return error;
}

/* isa: of the machine. Without any decoder for it all is unknown. */
static int executed_code_decode(struct executed_code *code, const char *isa, size_t objects,
                                executed_each *each, void *context, struct failure *failure)
{
    const size_t count = code->count;
    AUTO_MEMORY bool *narrow = memory_new(objects + 1, sizeof(*narrow));
    struct decoding decoding = {.code = code, .each = each, .context = context};
    const bool x86 = strcmp(isa, "x86_64") == 0;
    int error = 0;
    if (x86)
        find_narrow(code, objects, narrow);
    for (int width = 0; width < (x86 ? 2 : 1) && error == 0; width++) {
        const bool slim = width == 1;
        decoding.isa = slim ? "i386" : isa;
        decoding.left_count = 0;
        for (size_t i = 0; i < count; i++)
            if (narrow[code->list[i].object] == slim)
                leave(&decoding, i);
        error = decode_left(&decoding, failure);
    }
    memory_give_back(decoding.left);
    return error;
}

/* --- summing --- */

/* A function, an opcode or a file; found by its name. */
struct sum {
    char *object, *name;
    size_t number; /* of a file */
    uint64_t count, repetitions;
};
struct sums {
    void *tree;
    struct sum **list;
    size_t count;
};

struct executed {
    char *isa;
    uint32_t cell, process;
    struct sums functions, opcodes, objects;
    struct executed_code code;
    struct tallies classes;
    uint64_t instructions, unknown;
    bool too_large; /* its code was not kept in full */
};

/* --- sums by name --- */

static int compare_sums(const void *left, const void *right)
{
    const struct sum *one = left, *other = right;
    int order = strcmp(one->name, other->name);
    return order ? order : strcmp(one->object, other->object);
}

/* The one of these names, new where there is none. */
static struct sum *sum_of(struct sums *sums, const char *object, const char *name)
{
    const struct sum wanted = {.object = (char *)(uintptr_t)object,
                               .name = (char *)(uintptr_t)name};
    struct sum *const *found = tfind(&wanted, &sums->tree, compare_sums);
    if (found)
        return *found;
    struct sum *sum = memory_new(1, sizeof(*sum));
    *sum = (struct sum){
        .object = memory_copy(object), .name = memory_copy(name), .number = sums->count};
    if (!tsearch(sum, &sums->tree, compare_sums))
        memory_end();
    return *memory_add(sums->list, sums->count) = sum;
}

static void keep_sum(void *sum)
{
    (void)sum;
}

static void sums_clear(struct sums *sums)
{
    tdestroy(sums->tree, keep_sum);
    for (size_t i = 0; i < sums->count; i++) {
        memory_give_back(sums->list[i]->object);
        memory_give_back(sums->list[i]->name);
        memory_give_back(sums->list[i]);
    }
    memory_give_back(sums->list);
    *sums = (struct sums){0};
}

/* Adds `times` times `each`; -ERANGE when a sum leaves 64 bits. */
static int add_to(struct sum *sum, uint64_t times, uint64_t each, uint64_t repetitions,
                  struct failure *failure)
{
    uint64_t product;
    if (__builtin_mul_overflow(times, each, &product) ||
        __builtin_add_overflow(sum->count, product, &sum->count) ||
        __builtin_add_overflow(sum->repetitions, repetitions, &sum->repetitions))
        return fail_with(failure, -ERANGE, "the count of %.200s leaves 64 bits",
                         *sum->name ? sum->name : "a function");
    return 0;
}

/* --- stretches --- */

static void begin_anew(struct executed *executed)
{
    sums_clear(&executed->functions);
    sums_clear(&executed->opcodes);
    sums_clear(&executed->objects);
    executed->code.length = executed->code.count = 0;
    tallies_begin(&executed->classes);
    executed->instructions = 0;
    executed->too_large = false;
}

int executed_new(struct executed **executed, const char *isa)
{
    *executed = memory_new(1, sizeof(**executed));
    (*executed)->isa = memory_copy(isa);
    begin_anew(*executed);
    return 0;
}

int executed_add(struct executed *executed, const struct sent_ran *ran, struct failure *failure)
{
    const char *object = ran->object ? ran->object : "";
    uint64_t product;
    executed->cell = ran->cell;
    executed->process = ran->process;
    struct sum *function = sum_of(&executed->functions, object, ran->function ? ran->function : "");
    int error = add_to(function, ran->instructions, ran->executions, ran->repetitions, failure);
    if (error < 0)
        return error;
    if (__builtin_mul_overflow((uint64_t)ran->instructions, ran->executions, &product) ||
        __builtin_add_overflow(executed->instructions, product, &executed->instructions))
        return fail_with(failure, -ERANGE, "the count of instructions leaves 64 bits");
    executed->too_large |= executed->code.length + ran->length > EXECUTED_MOST_BYTES;
    if (executed->too_large)
        return 0;
    const struct code_stretch stretch = {.length = ran->length,
                                         .address = ran->address,
                                         .object = sum_of(&executed->objects, "", object)->number,
                                         .instructions = ran->instructions,
                                         .executions = ran->executions,
                                         .repetitions = ran->repetitions};
    /* Takes a copy. */
    if (executed->code.length + stretch.length > executed->code.capacity) {
        executed->code.capacity = 2 * (executed->code.length + stretch.length);
        executed->code.bytes = memory_resize(executed->code.bytes, executed->code.capacity, 1);
    }
    struct code_stretch *added = memory_add(executed->code.list, executed->code.count);
    *added = stretch;
    added->offset = executed->code.length;
    if (stretch.length)
        memcpy(executed->code.bytes + executed->code.length, ran->bytes, stretch.length);
    executed->code.length += stretch.length;
    return 0;
}

/* --- opcodes and classes --- */

static int sum_instruction(void *context, const struct code_stretch *stretch, const char *isa,
                           const struct instruction *instruction, uint64_t unknown,
                           struct failure *failure)
{
    static const struct instruction nothing = {0};
    struct executed *executed = context;
    char name[OPCODE_SIZE] = EXECUTED_UNKNOWN;
    if (instruction && *instruction->opcode && *instruction->opcode != '.')
        opcode_name(strcmp(isa, "i386") == 0 ? "x86_64" : isa, instruction, name);
    struct sum *opcode = sum_of(&executed->opcodes, "", name);
    int error = add_to(opcode, instruction ? 1 : unknown, stretch->executions,
                       instruction && instruction->repeated ? stretch->repetitions : 0, failure);
    /* the product was looked at above */
    const uint64_t executions = (instruction ? 1 : unknown) * stretch->executions;
    if (error == 0 && strcmp(name, EXECUTED_UNKNOWN) == 0)
        executed->unknown += executions;
    return error < 0
               ? error
               : tallies_add_executed(&executed->classes, instruction ? instruction : &nothing,
                                      executions, failure);
}

/* --- into the store --- */

static int compare_counts(const void *left, const void *right)
{
    const struct sum *one = *(struct sum *const *)left, *other = *(struct sum *const *)right;
    if (one->count != other->count)
        return one->count < other->count ? 1 : -1;
    return compare_sums(one, other);
}

static int store_sums(const struct executed *executed, const struct sums *sums, const char *kind,
                      struct store *store, struct failure *failure)
{
    int error = 0;
    if (sums->count)
        qsort(sums->list, sums->count, sizeof(*sums->list), compare_counts);
    for (size_t i = 0; i < sums->count && error == 0; i++) {
        const struct stored_executed row = {.cell = executed->cell,
                                            .process = executed->process,
                                            .kind = kind,
                                            .object = sums->list[i]->object,
                                            .name = sums->list[i]->name,
                                            .count = sums->list[i]->count,
                                            .repetitions = sums->list[i]->repetitions};
        error = store_put_executed(store, &row, failure);
    }
    return error;
}

static int store_class(const struct executed *executed, struct store *store, const char *name,
                       uint64_t count, uint64_t unsure, struct failure *failure)
{
    const struct stored_executed row = {.cell = executed->cell,
                                        .process = executed->process,
                                        .kind = "class",
                                        .object = "",
                                        .name = name,
                                        .count = count,
                                        .repetitions = unsure};
    return store_put_executed(store, &row, failure);
}

int executed_store(struct executed *executed, struct store *store, bool opcodes, bool classes,
                   struct failure *failure)
{
    int error = 0;
    executed->unknown = 0;
    if ((opcodes || classes) && executed->too_large)
        executed->unknown = executed->instructions;
    else if (opcodes || classes)
        error = executed_code_decode(&executed->code, executed->isa, executed->objects.count,
                                     sum_instruction, executed, failure);
    if (error == 0 && executed->functions.count)
        error = store_sums(executed, &executed->functions, "function", store, failure);
    if (error == 0 && opcodes)
        error = store_sums(executed, &executed->opcodes, "opcode", store, failure);
    if (error == 0 && classes && executed->instructions > 0 && !executed->too_large) {
        /* A class of which a part is not known is there too, but those of which nothing is. */
        error = store_class(executed, store, "instructions", executed->instructions, 0, failure);
        if (error == 0 && executed->unknown)
            error = store_class(executed, store, EXECUTED_UNKNOWN, executed->unknown, 0, failure);
        for (size_t i = 0; i < TALLY_CLASSES && error == 0; i++) {
            const struct tally *tally = &executed->classes.list[i];
            const bool untold = strstr(tally->class, "taken") != NULL;
            if (strcmp(tally->class, "instructions") != 0 && !untold)
                error = store_class(executed, store, tally->class, (uint64_t)tally->count.base,
                                    tally->unsure, failure);
        }
    }
    begin_anew(executed);
    return error;
}

uint64_t executed_unknown(const struct executed *executed)
{
    return executed->unknown;
}

void executed_free(struct executed *executed)
{
    if (!executed)
        return;
    begin_anew(executed);
    memory_give_back(executed->code.bytes);
    memory_give_back(executed->code.list);
    memory_give_back(executed->isa);
    memory_give_back(executed);
}
