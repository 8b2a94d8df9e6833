/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Knows events of instructions by source, class and mode. */
#include "judge/repeat/instructions.h"

#include <string.h>

static bool is_hardware(const struct repeat_cell *cell)
{
    return strcmp(cell->source, "perf_event") == 0;
}

/* The letters after the last colon, or after the slash that ends a PMU's event. */
static const char *mode_of(const char *event)
{
    const char *colon = strrchr(event, ':'), *slash = strrchr(event, '/');
    if (colon)
        return colon + 1;
    return slash ? slash + 1 : "";
}

static bool is_user_mode(const char *event)
{
    const char *mode = mode_of(event);
    return strchr(mode, 'u') && !strpbrk(mode, "kh");
}

bool counts_instructions(const struct repeat_cell *cell, uint32_t event)
{
    const char *name = cell->event[event];
    if (!is_hardware(cell))
        return strstr(name, "/instructions/") != NULL;
    return strcmp(cell->class[event], "instructions") == 0 && is_user_mode(name);
}

bool names_instructions(const char *source, const char *event)
{
    if (strcmp(source, "perf_event") != 0)
        return strstr(event, "/instructions/") != NULL;
    return strstr(event, "instructions") && is_user_mode(event);
}

/* How much a count says of the program on this machine; 0: nothing. */
static int rank_of(const struct repeat_cell *cell, uint32_t event)
{
    if (!counts_instructions(cell, event))
        return 0;
    return is_hardware(cell) ? 3 : strcmp(cell->source, "step") == 0 ? 2 : 1;
}

bool counts_here(const struct repeat_cell *cell, uint32_t event)
{
    return rank_of(cell, event) > 1;
}

bool counts_best(const struct repeat_case *file, const struct repeat_report *report,
                 const struct repeat_row *row)
{
    const struct repeat_cell *cell = &file->cells[row->cell];
    const struct repeat_cell *best = NULL;
    uint32_t event = 0;
    for (size_t i = 0; i < report->effect_count; i++) {
        const struct repeat_effect *effect = &report->effects[i];
        const struct repeat_row *other = &report->rows[effect->as_is];
        const struct repeat_cell *rival = &file->cells[other->cell];
        if (rival->machine != cell->machine || rival->program != cell->program || other->runs < 2 ||
            report->rows[effect->controlled].runs < 2)
            continue;
        /* Of several events of the hardware the first that was asked for. */
        if (rank_of(rival, other->event) > (best ? rank_of(best, event) : 0)) {
            best = rival;
            event = other->event;
        }
    }
    return best && strcmp(best->source, cell->source) == 0 &&
           strcmp(best->event[event], cell->event[row->event]) == 0;
}
