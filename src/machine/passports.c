/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From facts to the fields of a passport, and to what passports say. */
#define ASSAY_NO_INLINE
#include "machine/passports.h"
#include "machine/check.h"

#include <errno.h>
#include <time.h>

#include "base/cleanup.h"
#include "lib/trust.h"

int machine_trust(const struct facts *facts, const char *event, struct assay_trust_verdict *trust,
                  struct failure *failure)
{
    *trust = (struct assay_trust_verdict){.verdict = "unknown", .age_s = -1};
    char folder[4096];
    int length = assay_trust_folder(folder, sizeof(folder));
    if (length < 0 || (size_t)length >= sizeof(folder))
        return fail_with(failure, -ENOENT, "there is no folder for passports");
    AUTO_FREE struct trust_machine *machine = calloc(1, sizeof(*machine));
    if (!machine)
        return fail_with(failure, -ENOMEM, "out of memory");
    for (int i = 0; i < MACHINE_FIELDS; i++)
        trust_machine_set(machine, i, machine_field_value(facts, (size_t)i));
    const struct trust_question question = {
        .folder = folder, .event = event, .machine = machine, .now = (int64_t)time(NULL)};
    return trust_look(&question, trust, failure);
}

bool machine_passport_field(const struct facts *facts, size_t place, struct passport_field *field)
{
    if (place >= MACHINE_FIELDS)
        return false;
    *field = (struct passport_field){.key = machine_fields[place].key,
                                     .label = machine_fields[place].label,
                                     .value = machine_field_value(facts, place)};
    return true;
}

const char *machine_passport_schema(void)
{
    return PASSPORT_SCHEMA;
}
