/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Decodes, walks and sums one specimen with one back end. */
#include "decode/count.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

static void release(struct instructions *instructions)
{
    instructions_release(instructions);
}
#define AUTO_INSTRUCTIONS __attribute__((cleanup(release)))

/* The call is straight code that leads to the specimen: each of its instructions once. */
static int count_call(const struct decoder *decoder, const struct code_bytes *call,
                      counted_part *part, void *context, struct failure *failure)
{
    AUTO_INSTRUCTIONS struct instructions decoded = {0};
    int status = decode(decoder, call, &decoded, failure);
    if (status < 0)
        return status;
    AUTO_FREE struct linear *counts = calloc(decoded.count + 1, sizeof(*counts));
    if (!counts)
        return fail_with(failure, -ENOMEM, "no memory for the counts");
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

int count_parts(const struct decoder *decoder, const struct specimen_code *specimen,
                counted_part *part, void *context, struct failure *failure)
{
    AUTO_INSTRUCTIONS struct instructions decoded = {0};
    int status = count_call(decoder, &specimen->call, part, context, failure);
    if (status == 0)
        status = decode(decoder, &specimen->code, &decoded, failure);
    if (status)
        return status;
    AUTO_FREE struct linear *counts = calloc(decoded.count + 1, sizeof(*counts));
    if (!counts)
        return fail_with(failure, -ENOMEM, "no memory for the counts");
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
