/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts the opcodes of a specimen into the store: its code is asked for and decoded here. With them
 * the judge can blame the one that a counter counts wrongly. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "studies/validate/parts.h"
#include "decode/opcodes.h"

static int put_list(struct store *store, const char *specimen, const struct opcodes *opcodes,
                    struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < opcodes->count && error == 0; i++) {
        const struct stored_opcode opcode = {.specimen = specimen,
                                             .opcode = opcodes->list[i].name,
                                             .base = opcodes->list[i].count.base,
                                             .each = opcodes->list[i].count.each};
        error = store_put_opcode(store, &opcode, failure);
    }
    return error;
}

/* Code that no decoder here understands has none, and the store says so. */
static int put_none(struct store *store, const char *specimen, struct failure *failure)
{
    const struct stored_opcode none = {.specimen = specimen, .opcode = ""};
    return store_put_opcode(store, &none, failure);
}

static int put_decoded(struct validating *validating, const char *specimen,
                       const struct sent_code *sent, struct failure *failure)
{
    const char *isa = validating->catalogue->isa;
    struct failure ignored = {0};
    struct opcodes opcodes = {0};
    AUTO_FREE struct linear *trips = calloc(sent->trip_count + 1, sizeof(*trips));
    if (!trips)
        return fail_with(failure, -ENOMEM, "out of memory");
    for (size_t i = 0; i < sent->trip_count; i++)
        trips[i] = (struct linear){sent->trips[i].base, sent->trips[i].each};
    const struct specimen_code code = {
        .code = {isa, sent->address, sent->bytes, sent->length},
        .call = {isa, sent->call_address, sent->call, sent->call_length},
        .trips = {trips, sent->trip_count, sent->min_n},
    };
    if (opcodes_count(&code, &opcodes, NULL, &ignored) < 0)
        return put_none(validating->store, specimen, failure);
    int error = put_list(validating->store, specimen, &opcodes, failure);
    opcodes_release(&opcodes);
    return error;
}

int validate_put_opcodes(struct validating *validating, const char *specimen,
                         struct failure *failure)
{
    struct sent_code sent;
    struct failure refused = {0};
    int error = session_code(validating->session, specimen, &sent, &refused);
    if (error == -ENOTSUP || error == -ENOENT || error == -EINVAL)
        return put_none(validating->store, specimen, failure);
    if (error < 0) {
        *failure = refused;
        return error;
    }
    error = put_decoded(validating, specimen, &sent, failure);
    sent_code_release(&sent);
    return error;
}
