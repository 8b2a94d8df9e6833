/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a validation depends on: the fields that make two machines differ for counting. Pure: facts
 * in, name or difference out. Only facts that every user of the machine can read belong here, or
 * root and others would store under different names. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "lib/machine-words.h"
#include "machine/check.h"

static const char *known(void *facts, const char *key)
{
    return facts_get(facts, key);
}

void machine_fingerprint(const struct facts *facts, char fingerprint[17])
{
    machine_fields_name(known, (void *)(uintptr_t)facts, fingerprint);
}

size_t machine_difference(const struct facts *then, const struct facts *now, char *text,
                          size_t size)
{
    AUTO_TEXT struct text list = {0};
    size_t count = 0;
    for (size_t i = 0; i < MACHINE_FIELDS; i++) {
        const char *before = facts_get(then, machine_fields[i].key);
        const char *after = facts_get(now, machine_fields[i].key);
        if (before ? after && strcmp(before, after) == 0 : !after)
            continue;
        text_printf(&list, "%s%s %s -> %s", count++ ? ", " : "", machine_fields[i].label,
                    before ? before : "none", after ? after : "none");
    }
    if (size > 0)
        snprintf(text, size, "%s", text_string(&list));
    return count;
}
