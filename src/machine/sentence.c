/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A machine in one line, for the head of every report. Pure. */
#include <string.h>

#include "machine/check.h"
#include "machine/describe.h"
#include "machine/hypervisor.h"

static void put_processor(const struct facts *facts, struct text *line)
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
}

static void put_system(const struct facts *facts, struct text *line)
{
    const char *release = facts_get(facts, "kernel.release");
    const char *os = facts_get(facts, "os.name");
    if (release)
        text_printf(line, "; Linux %s", release);
    if (os)
        text_printf(line, ", %s", os);
}

static void put_surroundings(const struct facts *facts, struct text *line)
{
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

void machine_sentence(const struct facts *facts, struct text *line)
{
    put_processor(facts, line);
    put_system(facts, line);
    put_surroundings(facts, line);
}
