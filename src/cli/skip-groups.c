/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gathers what was left out by the reason. */
#include "cli/skip-groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/options.h"

#define NAMES_SHOWN 12u

static struct skip_group *group_of(struct skip_groups *groups, const char *reason, int error,
                                   bool cell)
{
    for (size_t i = 0; i < groups->count; i++) {
        struct skip_group *group = &groups->list[i];
        if (strcmp(group->reason, reason) == 0 && (group->cells != 0) == cell)
            return group;
    }
    struct skip_group *grown = reallocarray(groups->list, groups->count + 1, sizeof(*grown));
    if (!grown)
        return NULL;
    groups->list = grown;
    grown[groups->count] = (struct skip_group){.reason = reason, .error = error};
    return &grown[groups->count++];
}

int skip_groups_add(struct skip_groups *groups, const char *name, const char *reason, int error,
                    bool cell)
{
    struct skip_group *group = group_of(groups, reason, error, cell);
    if (!group)
        return -ENOMEM;
    group->cells += cell;
    for (size_t i = 0; i < group->names.count; i++)
        if (strcmp(group->names.items[i], name) == 0)
            return 0;
    return string_list_push(&group->names, name, strlen(name));
}

static int skip_group(const struct skip_group *group, bool for_programs, struct skips *skips)
{
    size_t count = skips->count;
    AUTO_TEXT struct text what = {0};
    for (size_t i = 0; i < group->names.count && i < NAMES_SHOWN; i++)
        text_printf(&what, "%s%s", i ? ", " : "", group->names.items[i]);
    if (group->names.count > NAMES_SHOWN)
        text_printf(&what, " and %zu more", group->names.count - NAMES_SHOWN);
    if (group->cells > 1)
        text_printf(&what, " (%zu cells)", group->cells);
    int error =
        what.failed ? -ENOMEM : skips_add(skips, text_string(&what), group->reason, group->error);
    if (skips->count > count)
        skips->list[count].for_programs = for_programs;
    return error;
}

int skip_groups_close(struct skip_groups *groups, struct skips *skips)
{
    int error = 0;
    for (size_t i = 0; i < groups->count; i++) {
        if (error == 0)
            error = skip_group(&groups->list[i], groups->for_programs, skips);
        string_list_free(&groups->list[i].names);
    }
    free(groups->list);
    *groups = (struct skip_groups){0};
    return error;
}
