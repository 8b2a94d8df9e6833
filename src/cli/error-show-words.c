/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words and numbers that the parts of `assay error` share. */
#include <math.h>
#include <stdio.h>

#include "cli/error-show.h"
#include "show/number.h"
#include "show/utf8.h"
#include "show/wrap.h"

const char *const error_part_names[PART_COUNT] = {
    [PART_NULL] = "null",           [PART_STEPPED] = "stepped",     [PART_DURATION] = "duration",
    [PART_PLACEMENT] = "placement", [PART_MULTIPLEX] = "multiplex", [PART_TOOL] = "tool",
};

/* What a name has in it, and what it then counts. */
static const struct {
    const char *part, *unit;
} units[] = {
    {"instructions", "instructions"},
    {"cycles", "cycles"},
    {"tsc", "ticks"},
    {"ticks", "ticks"},
    {"-clock", "ns"},
    {"syscalls:", "system calls"},
    {"faults", "page faults"},
    {"page_fault", "page faults"},
    {"irq", "interrupts"},
    {"context-switches", "switches"},
    {"branch", "branches"},
};

const char *error_unit(const char *event, const char *base)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if ((base && strstr(base, units[i].part)) || (event && strstr(event, units[i].part)))
            return units[i].unit;
    return "counts";
}

void error_put_event(const char *event, bool stepped, struct text *out)
{
    if (stepped)
        text_puts(out, "instructions:u, stepped");
    else
        text_put_clean(out, event);
}

void error_put_machine(const struct error_case *file, uint32_t machine, struct text *out)
{
    if (file->machine_count < 2 || machine >= file->machine_count)
        return;
    text_puts(out, " on ");
    text_put_clean(out, file->machines[machine].name);
}

void error_put_nothing(const struct erring *erring, const char *words, const char *what,
                       const struct style *style, struct text *out)
{
    AUTO_TEXT struct text sentence = {0};
    const char *reason = error_skip_reason(erring, what);
    text_puts(&sentence, words);
    if (reason[0]) {
        text_puts(&sentence, ": ");
        text_put_clean(&sentence, reason);
    }
    section_put_words(text_string(&sentence), style, out);
}

bool error_has_cpu_counter(const struct error_case *file)
{
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (cell->runs && cell->kind &&
            (strcmp(cell->kind, "hardware") == 0 || strcmp(cell->kind, "raw") == 0))
            return true;
    }
    return false;
}

bool error_is_uncounted(const struct erring *erring, bool empty)
{
    return empty && !erring->options->all && !error_has_cpu_counter(&erring->file);
}

const char *error_skip_reason(const struct erring *erring, const char *what)
{
    for (size_t i = 0; i < erring->skips.count; i++)
        if (!erring->skips.list[i].for_programs &&
            strncmp(erring->skips.list[i].what, what, strlen(what)) == 0)
            return erring->skips.list[i].reason;
    return "";
}

const char *error_no_counter_reason(const struct error_case *file)
{
    for (size_t i = 0; i < file->absence_count; i++) {
        const struct error_absence *absence = &file->absences[i];
        if (strncmp(absence->what, "instructions", strlen("instructions")) == 0)
            return absence->reason;
    }
    return "";
}
