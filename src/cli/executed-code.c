/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Decodes the stretches of an execution, many at a time: first by Capstone; what that does not know
 * in full by objdump; what nobody knows is counted as unknown. */
#include "cli/executed-code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "decode/decode.h"

#define BATCH_BYTES                                                                                \
    (256u << 10) /* decoded at a time: instructions take fifty times their bytes                   \
                  */
/* Behind each stretch that is not whole without, so that what is misread at its end leaves the next
 * one whole: no instruction of x86 is longer, and each of these is one. Where nothing is misread
 * they would only take time. */
#define PADDING      16u
#define PADDING_BYTE 0x90

/* --- keeping --- */

int executed_code_add(struct executed_code *code, const struct code_stretch *stretch,
                      const void *bytes)
{
    if (code->length + stretch->length > code->capacity) {
        size_t capacity = 2 * (code->length + stretch->length);
        uint8_t *grown = realloc(code->bytes, capacity);
        if (!grown)
            return -ENOMEM;
        code->bytes = grown;
        code->capacity = capacity;
    }
    struct code_stretch *added = list_add(&code->list, &code->count, sizeof(*added));
    if (!added)
        return -ENOMEM;
    *added = *stretch;
    added->offset = code->length;
    if (stretch->length)
        memcpy(code->bytes + code->length, bytes, stretch->length);
    code->length += stretch->length;
    return 0;
}

void executed_code_clear(struct executed_code *code)
{
    code->length = code->count = 0;
}

void executed_code_free(struct executed_code *code)
{
    free(code->bytes);
    free(code->list);
    *code = (struct executed_code){0};
}

/* --- decoding many --- */

/* What became of a stretch in a batch: its instructions, as far as they are known. */
struct found {
    const struct instruction *list;
    uint32_t count; /* known ones in a row, from its beginning */
    bool whole;     /* all of them, as many as were executed */
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
    const struct instruction *end = instructions->list + instructions->count;
    struct found found = {.list = at};
    uint64_t next = place;
    while (at && at < end && at->known && found.count < stretch->instructions &&
           at->address + at->length <= place + stretch->length) {
        next = at->address + at->length;
        found.count++;
        at++;
    }
    found.whole = found.count == stretch->instructions && next == place + stretch->length;
    /* As many, but shorter: they are others. */
    if (found.count == stretch->instructions && !found.whole)
        found.count = 0;
    return found;
}

static int hand_on(const struct pass *pass, const struct instructions *instructions, size_t from,
                   size_t to, struct failure *failure)
{
    uint64_t place = 0;
    int error = 0;
    for (size_t i = from; i < to && error == 0; i++) {
        const struct code_stretch *stretch = &pass->code->list[pass->chosen[i]];
        const struct found found = find(instructions, stretch, place);
        error = pass->each(pass->context, pass->chosen[i], &found, failure);
        place += stretch->length + pass->padding;
    }
    return error;
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
    if (error == -ENOMEM)
        return fail_with(failure, error, "%s", unable.text);
    pass->decoded += error == 0;
    error = hand_on(pass, &instructions, from, i, failure);
    instructions_release(&instructions);
    return error;
}

static int run_pass(struct pass *pass, struct failure *failure)
{
    size_t largest = 0;
    for (size_t i = 0; i < pass->count; i++)
        if (pass->code->list[pass->chosen[i]].length > largest)
            largest = pass->code->list[pass->chosen[i]].length;
    AUTO_FREE uint8_t *batch =
        malloc((largest > BATCH_BYTES ? largest : BATCH_BYTES) + 2 * (size_t)PADDING);
    if (!batch)
        return fail_with(failure, -ENOMEM, "out of memory");
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
static int find_narrow(const struct executed_code *code, size_t objects, bool *narrow)
{
    AUTO_FREE size_t *chosen = calloc(code->count + 1, sizeof(*chosen));
    AUTO_FREE size_t *wide = calloc(objects + 1, sizeof(*wide));
    AUTO_FREE size_t *slim = calloc(objects + 1, sizeof(*slim));
    size_t count = 0;
    if (!chosen || !wide || !slim)
        return -ENOMEM;
    for (size_t i = 0; i < code->count; i++)
        if (code->list[i].address + code->list[i].length <= (uint64_t)1 << 32)
            chosen[count++] = i;
    if (!count || !count_votes(code, "x86_64", chosen, count, wide) ||
        !count_votes(code, "i386", chosen, count, slim))
        return 0; /* then it is the machine's own */
    for (size_t i = 0; i < objects; i++)
        narrow[i] = slim[i] > wide[i];
    return 0;
}

/* --- all passes --- */

struct decoding {
    const struct executed_code *code;
    const char *isa;
    executed_each *each;
    void *context;
    bool partly;  /* take what is known of a stretch; else only whole ones */
    size_t *left; /* numbers of those that are not */
    size_t left_count;
};

static int take(void *context, size_t number, const struct found *found, struct failure *failure)
{
    struct decoding *decoding = context;
    const struct code_stretch *stretch = &decoding->code->list[number];
    if (!found->whole && !decoding->partly) {
        decoding->left[decoding->left_count++] = number;
        return 0;
    }
    int error = 0;
    for (uint32_t i = 0; i < found->count && error == 0; i++)
        error =
            decoding->each(decoding->context, stretch, decoding->isa, &found->list[i], 0, failure);
    if (error == 0 && found->count < stretch->instructions)
        error = decoding->each(decoding->context, stretch, decoding->isa, NULL,
                               stretch->instructions - found->count, failure);
    return error;
}

/* By this decoder all that are left, which fills the list anew; *works: it decoded some. */
static int take_left(struct decoding *decoding, const struct decoder *decoder, size_t padding,
                     bool *works, struct failure *failure)
{
    const size_t count = decoding->left_count;
    AUTO_FREE size_t *chosen = calloc(count + 1, sizeof(*chosen));
    if (!chosen)
        return fail_with(failure, -ENOMEM, "out of memory");
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
    int error = run_pass(&pass, failure);
    *works = pass.decoded > 0;
    return error;
}

/* Whole stretches by each decoder in turn; then of the rest what the first that works knows. */
static int decode_left(struct decoding *decoding, bool *decoded, struct failure *failure)
{
    const struct decoder *first = decoders[0];
    bool any = false;
    int error = 0;
    decoding->partly = false;
    /* Each decoder twice: without padding, then of what was not whole by it. */
    for (size_t i = 0; decoders[i / 2] && decoding->left_count && error == 0; i++) {
        bool works = false;
        error = take_left(decoding, decoders[i / 2], i % 2 ? PADDING : 0, &works, failure);
        if (works && !any)
            first = decoders[i / 2];
        any |= works;
    }
    *decoded |= any;
    decoding->partly = true;
    if (error == 0 && decoding->left_count)
        error = take_left(decoding, first, PADDING, &any, failure);
    return error;
}

int executed_code_decode(const struct executed_code *code, const char *isa, size_t objects,
                         executed_each *each, void *context, bool *decoded, struct failure *failure)
{
    AUTO_FREE bool *narrow = calloc(objects + 1, sizeof(*narrow));
    AUTO_FREE size_t *left = calloc(code->count + 1, sizeof(*left));
    struct decoding decoding = {.code = code, .each = each, .context = context, .left = left};
    const bool x86 = strcmp(isa, "x86_64") == 0;
    int error = 0;
    *decoded = !code->count;
    if (!narrow || !left || (x86 && find_narrow(code, objects, narrow) < 0))
        return fail_with(failure, -ENOMEM, "out of memory");
    for (int width = 0; width < (x86 ? 2 : 1) && error == 0; width++) {
        const bool slim = width == 1;
        decoding.isa = slim ? "i386" : isa;
        decoding.left_count = 0;
        for (size_t i = 0; i < code->count; i++)
            if (narrow[code->list[i].object] == slim)
                left[decoding.left_count++] = i;
        error = decode_left(&decoding, decoded, failure);
    }
    return error;
}
