/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All settings of one program, source and event: what the part about controls reckons with. */
#pragma once

#include "judge/repeat/kept.h"

struct settings {
    const struct repeat_case *file;
    const char *event;
    uint32_t controls; /* that "controlled" has on */
    /* indexes into rows; SIZE_MAX: not measured */
    size_t as_is_row, controlled_row;
    struct kept as_is, controlled;
    struct kept only[CONTROL_COUNT], without[CONTROL_COUNT]; /* without runs: not measured */
    const struct repeat_cell *as_is_cell, *controlled_cell;
    size_t singles; /* how many of only and without were measured */
};
/* -ENOMEM; release in either case. */
int settings_gather(const struct repeat_case *file, const struct repeat_report *report,
                    size_t as_is_row, struct settings *settings);
void settings_release(struct settings *settings);
#define AUTO_SETTINGS __attribute__((cleanup(settings_release)))

/* Has it runs enough for statements about a control? */
bool settings_enough(const struct kept *kept);

/* What is left when all is controlled follows something that was counted with the runs. */
enum follows { FOLLOWS_NOTHING, FOLLOWS_INTERRUPTS, FOLLOWS_FAULTS, FOLLOWS_SWITCHES };
struct followed {
    enum follows what;
    double each;  /* counts for one of them */
    double share; /* of the variance that it explains */
};
/* also: the as-is runs are asked too. -ENOMEM. */
int settings_follow(const struct settings *settings, bool also, struct followed *followed);

/* The sentence; varies: as-is varies more for certain, p: chance of that; named: controls for which
 * there is evidence. */
struct told {
    bool varies, varies_less;
    uint32_t named;
    struct followed followed;
};
void settings_tell(const struct settings *settings, const struct told *told,
                   struct repeat_effect *effect);
