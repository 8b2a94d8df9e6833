/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why nothing could decide a claim about measurement error, in words for people: what cannot be
 * opened, what failed, what was not measured. */
#include <stdio.h>
#include <string.h>

#include "judge/error/findings.h"

static const struct error_cell *cell_of(const struct error_case *file, const char *event)
{
    for (size_t i = 0; i < file->cell_count; i++)
        if (strcmp(file->cells[i].event, event) == 0)
            return &file->cells[i];
    return NULL;
}

const char *event_class(const struct error_case *file, const char *event)
{
    const struct error_cell *cell = cell_of(file, event);
    return !cell ? NULL : cell->class ? cell->class : cell->base;
}

enum count_mode event_mode_of(const struct error_case *file, const char *event)
{
    const struct error_cell *cell = cell_of(file, event);
    return cell ? cell->mode : COUNT_ANY;
}

bool event_is_source(const struct error_case *file, const char *event)
{
    const struct error_cell *cell = cell_of(file, event);
    return cell && cell->kind && strcmp(cell->kind, "source") == 0;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The event itself, else the same in another mode, which fails for the same reason more often than
 * not. */
static const struct error_absence *absent_instructions(const struct error_case *file,
                                                       const char *event)
{
    const struct error_absence *other = NULL;
    for (size_t i = 0; i < file->absence_count; i++) {
        const struct error_absence *absence = &file->absences[i];
        if (strcmp(absence->what, event) == 0)
            return absence;
        if (!other &&
            (strcmp(absence->what, "instructions") == 0 || begins(absence->what, "instructions:")))
            other = absence;
    }
    return other;
}

static const char *reason_of(const char *reason)
{
    return reason && *reason ? reason : "no reason was given";
}

void why_no_instructions(const struct error_case *file, enum count_mode mode, char *why,
                         size_t size)
{
    char event[40];
    snprintf(event, sizeof(event), "instructions:%s", count_mode_names[mode]);
    snprintf(why, size, "%s was not measured", event);
    const struct error_absence *absence = absent_instructions(file, event);
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        bool concerned = strcmp(cell->event, event) == 0 && cell->part == PART_NULL;
        if (concerned && cell->runs > 0) {
            snprintf(why, size, "%s was measured in single processes, or not in these ways", event);
            return;
        }
        if (concerned && cell->reason)
            snprintf(why, size, "%s could not be measured: %.*s", event,
                     reason_first_sentence(cell->reason), cell->reason);
    }
    if (absence) {
        const char *reason = reason_of(absence->reason);
        snprintf(why, size, "%.60s cannot be opened: %.*s", absence->what,
                 reason_first_sentence(reason), reason);
    }
}

void tell_untested_mode(const struct claim_facts *facts, enum count_mode mode,
                        struct finding *finding)
{
    char why[NOTE_SIZE];
    why_no_instructions(facts->file, mode, why, sizeof(why));
    const char *reason = strstr(why, ": ");
    finding_clause(finding, "%s mode is not tested, as %.*s",
                   mode == COUNT_BOTH ? "user+kernel" : "user",
                   (int)(reason ? (size_t)(reason - why) : strlen(why)), why);
}

void why_no_path(const struct error_case *file, const char *beginning, char *why, size_t size)
{
    snprintf(why, size, "no path was measured whose name begins with %s", beginning);
    for (size_t i = 0; i < file->absence_count; i++)
        if (begins(file->absences[i].what, beginning)) {
            const char *reason = reason_of(file->absences[i].reason);
            snprintf(why, size, "%.60s is not there: %.*s", file->absences[i].what,
                     reason_first_sentence(reason), reason);
        }
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (begins(cell->path, beginning) && cell->runs == 0 && cell->reason) {
            snprintf(why, size, "%.60s could not measure %.60s: %.*s", cell->path, cell->event,
                     reason_first_sentence(cell->reason), cell->reason);
            return;
        }
    }
}
