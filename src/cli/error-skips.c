/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay error` could not measure, by the reason: hundreds of cells fail for a few of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/error.h"
#include "cli/options.h"

#define NAMES_SHOWN 12u

/* Events, or ways, with one reason in common. */
struct group {
    const char *reason;
    int error;
    size_t cells; /* 0: these are events */
    struct string_list names;
};

struct groups {
    struct group *list;
    size_t count;
};

static struct group *group_of(struct groups *groups, const char *reason, int error, bool cells)
{
    for (size_t i = 0; i < groups->count; i++) {
        struct group *group = &groups->list[i];
        if (strcmp(group->reason, reason) == 0 && (group->cells != 0) == cells)
            return group;
    }
    struct group *grown = reallocarray(groups->list, groups->count + 1, sizeof(*grown));
    if (!grown)
        return NULL;
    groups->list = grown;
    grown[groups->count] = (struct group){.reason = reason, .error = error};
    return &grown[groups->count++];
}

static int add_name(struct group *group, const char *name, size_t length)
{
    for (size_t i = 0; i < group->names.count; i++)
        if (strcmp(group->names.items[i], name) == 0)
            return 0;
    return string_list_push(&group->names, name, length);
}

static int group_absences(const struct erring *erring, struct groups *groups)
{
    for (size_t i = 0; i < erring->file.absence_count; i++) {
        const struct error_absence *absence = &erring->file.absences[i];
        struct group *group = group_of(groups, absence->reason, absence->error, false);
        if (!group || add_name(group, absence->what, strlen(absence->what)) < 0)
            return -ENOMEM;
    }
    return 0;
}

/* Cells of which no process measured anything. */
static int group_cells(const struct erring *erring, struct groups *groups)
{
    for (size_t i = 0; i < erring->file.cell_count; i++) {
        const struct error_cell *cell = &erring->file.cells[i];
        AUTO_TEXT struct text name = {0};
        if (!cell->failed || cell->runs || !cell->reason)
            continue;
        struct group *group = group_of(groups, cell->reason, cell->error, true);
        text_printf(&name, "%s by %s", cell->event, cell->path);
        if (!group || name.failed || add_name(group, text_string(&name), name.length) < 0)
            return -ENOMEM;
        group->cells++;
    }
    return 0;
}

static int skip_group(struct erring *erring, const struct group *group)
{
    AUTO_TEXT struct text what = {0};
    for (size_t i = 0; i < group->names.count && i < NAMES_SHOWN; i++)
        text_printf(&what, "%s%s", i ? ", " : "", group->names.items[i]);
    if (group->names.count > NAMES_SHOWN)
        text_printf(&what, " and %zu more", group->names.count - NAMES_SHOWN);
    if (group->cells > 1)
        text_printf(&what, " (%zu cells)", group->cells);
    return what.failed ? -ENOMEM
                       : skips_add(&erring->skips, text_string(&what), group->reason, group->error);
}

int error_collect_skips(struct erring *erring)
{
    struct groups groups = {0};
    /* For people the case is shown as it is, which names absent events. */
    int error = erring->options->common.json ? group_absences(erring, &groups) : 0;
    if (error == 0)
        error = group_cells(erring, &groups);
    for (size_t i = 0; i < groups.count; i++) {
        if (error == 0)
            error = skip_group(erring, &groups.list[i]);
        string_list_free(&groups.list[i].names);
    }
    free(groups.list);
    return error;
}
