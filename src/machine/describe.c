/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A machine's description: gathered, told in one line, and made into what a validation depends on.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "lib/machine-words.h"
#include "machine/check.h"

/* ----------------------------------------------------------------------------------------------
 * What a validation depends on: the fields that make two machines differ for counting. Pure: facts
 * in, name or difference out. Only facts that every user of the machine can read belong here, or
 * root and others would store under different names. */

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

/* --- A machine in one line, for the head of every report. Pure. --- */

void machine_sentence(const struct facts *facts, struct text *line)
{
    const char *name = facts_get(facts, "cpu.model_name");
    const char *isa = facts_get(facts, "isa");
    long long count = facts_number(facts, "cpu.count", 0);
    long long kib = facts_number(facts, "memory.total_kib", 0);
    if (emulated_in_user_mode(facts))
        name = "CPU of qemu-user";
    text_puts(line, name ? name : "unnamed CPU");
    if (isa)
        text_printf(line, " (%s)", isa);
    if (count > 0)
        text_printf(line, ", %lld CPU%s", count, count == 1 ? "" : "s");
    if (kib > 0)
        text_printf(line, ", %.1f GiB", (double)kib / (1024.0 * 1024.0));
    const char *release = facts_get(facts, "kernel.release");
    const char *os = facts_get(facts, "os.name");
    if (release)
        text_printf(line, "; Linux %s", release);
    if (os)
        text_printf(line, ", %s", os);
    const char *id = facts_get(facts, "hypervisor");
    const char *container = facts_get(facts, "container");
    const struct hypervisor *below = hypervisor_find(id);
    const struct hypervisor *monitor = hypervisor_find(facts_get(facts, "hypervisor.monitor"));
    if (emulated_in_user_mode(facts)) /* what the host runs on is not what this program sees */
        id = NULL, monitor = NULL;
    if (id && strcmp(id, "none") != 0)
        text_printf(line, "; guest of %s", below ? below->name : "an unknown hypervisor");
    if (monitor)
        text_printf(line, " (%s)", monitor->name);
    if (id && strcmp(id, "none") == 0 && !facts_get(facts, "emulated"))
        text_puts(line, "; bare metal");
    if (facts_get(facts, "emulated"))
        text_puts(line, "; emulated");
    if (container && strcmp(container, "none") != 0)
        text_printf(line, ", in a container (%s)", container);
}

/* ----------------------------------------------------------------------------------------------
 * Gathers everything a machine says of itself: first who it is, then what each doctor check wants
 * to know. Runs on the machine under test; whatever cannot be read becomes a fact with an errno. */

void machine_describe(const struct machine_view *view, struct facts *facts)
{
    describe_cpu(view, facts);
    describe_system(view, facts);
    describe_hypervisor(view, facts);
    describe_emulation(view, facts);
    describe_container(view, facts);
    describe_caches(view, facts);
    describe_clock(view, facts);
}

void machine_collect(const struct machine_view *view, struct facts *facts)
{
    machine_describe(view, facts);
    for (const struct check *const *each = check_registry; *each; each++) {
        const struct check *check = *each;
        for (size_t i = 0; i < sizeof(check->files) / sizeof(check->files[0]); i++) {
            const struct check_file *file = &check->files[i];
            if (file->glob)
                view_distinct(view, facts, file->key, file->path, file->glob, file->file);
            else if (file->key)
                view_read(view, facts, file->key, file->path);
        }
        if (check->collect)
            check->collect(view, facts);
    }
}
