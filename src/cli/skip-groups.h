/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that share a reason for being left out: hundreds of cells fail for a few of them. */
#pragma once

#include "engine/command.h"
#include "engine/skips.h"

struct skip_group {
    const char *reason;
    int error;
    size_t cells; /* 0: these are no cells */
    struct string_list names;
};
struct skip_groups {
    struct skip_group *list;
    size_t count;
    bool for_programs; /* people are told it otherwise */
};

/* The name joins those with the same reason, once; cell: it counts as one more cell. The reason is
 * not copied. -ENOMEM. */
int skip_groups_add(struct skip_groups *groups, const char *name, const char *reason, int error,
                    bool cell);
/* A row of skips each, and releases the groups. -ENOMEM. */
int skip_groups_close(struct skip_groups *groups, struct skips *skips);
