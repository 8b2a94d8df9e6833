/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How `assay repeat` spends its time: after each portion it learns what programs do, and gives up
 * those that cannot be started or never end. */
#include "cli/portions.h"
#include "cli/repeat-run.h"

#define PORTIONS       8u
#define BRIEF_PORTIONS 6u
#define RESERVE_MS     1500u

static int learn(void *context)
{
    struct repeating *repeating = context;
    struct failure failure = {0};
    if (repeat_plan_learn(&repeating->plan, repeating->store, &failure) < 0)
        return repeat_fail(&failure);
    return EXIT_DONE;
}

static bool further(void *context)
{
    struct repeating *repeating = context;
    return repeat_plan_further(&repeating->plan);
}

int repeat_measure(struct repeating *repeating)
{
    const struct gather_beside beside = repeat_beside(repeating);
    struct portioning portioning = {.command = "repeat",
                                    .common = &repeating->run.options->common,
                                    .session = repeating->session,
                                    .store = repeating->store,
                                    .wishes = &repeating->plan.wishes,
                                    .all = "all executions",
                                    .stage_names = repeat_stage_names,
                                    .stages = 0, /* repeat-skips.c has more to say */
                                    .unit = "setting",
                                    .longer = "give a larger --budget",
                                    .started = repeating->started,
                                    .budget = repeating->run.budget,
                                    .reserve = RESERVE_MS,
                                    .seed = repeating->run.seed,
                                    .portions = repeating->study.quick ? BRIEF_PORTIONS : PORTIONS,
                                    .dearest_last = true,
                                    .resumed = repeating->run.options->resume,
                                    .skips = &repeating->run.skips,
                                    .beside = &beside,
                                    .between = learn,
                                    .further = further,
                                    .context = repeating};
    return repeat_ours(portions_measure(&portioning, &repeating->run.complete));
}
