/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a validation depends on: the fields that make two machines differ for counting. Pure: facts
 * in, name or difference out. Only facts that every user of the machine can read belong here, or
 * root and others would store under different names. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "machine/check.h"
#include "machine/hash.h"

/* Changing this table orphans every stored validation: append only, with a new schema. */
static const struct {
    const char *key;
    const char *label;
} fields[] = {
    {"isa", "ISA"},
    {"cpu.vendor", "CPU vendor"},
    {"cpu.family", "CPU family"},
    {"cpu.model", "CPU model"},
    {"cpu.variant", "CPU variant"},
    {"cpu.stepping", "CPU stepping"},
    {"cpu.model_name", "CPU"},
    {"cpu.microcode", "microcode"},
    {"kernel.release", "kernel"},
    {"kernel.version", "kernel build"},
    {"hypervisor", "hypervisor"},
    {"emulated", "emulation"},
};
#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

void machine_fingerprint(const struct facts *facts, char fingerprint[17])
{
    uint64_t hash = FNV_OFFSET;
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const char *value = facts_get(facts, fields[i].key);
        /* A marker before and a terminator behind each value, so that neither absent and empty nor
         * shifted values look alike. */
        hash = fnv1a(hash, value ? "+" : "-", 1);
        hash = fnv1a(hash, value ? value : "", value ? strlen(value) + 1 : 1);
    }
    snprintf(fingerprint, 17, "%016" PRIx64, hash);
}

size_t machine_difference(const struct facts *then, const struct facts *now, char *text,
                          size_t size)
{
    AUTO_TEXT struct text list = {0};
    size_t count = 0;
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const char *before = facts_get(then, fields[i].key);
        const char *after = facts_get(now, fields[i].key);
        if (before ? after && strcmp(before, after) == 0 : !after)
            continue;
        text_printf(&list, "%s%s %s -> %s", count++ ? ", " : "", fields[i].label,
                    before ? before : "none", after ? after : "none");
    }
    if (size > 0)
        snprintf(text, size, "%s", text_string(&list));
    return count;
}
