/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How `assay clocks` spends its time, with looks from outside before, between and after. */
#include "cli/clocks-run.h"
#include "cli/portions.h"

#define PORTIONS          10u
#define BRIEF_PORTIONS    4u
#define EMULATED_PORTIONS 6u /* the way to such a machine is narrow */
#define RESERVE_MS        2500u

int clocks_measure(struct watching *watching)
{
    const struct clocks_study *study = &watching->study;
    struct portioning portioning = {.command = "clocks",
                                    .common = &watching->run.options->common,
                                    .session = watching->session,
                                    .store = watching->store,
                                    .wishes = &watching->plan.wishes,
                                    .all = "all watches",
                                    .stage_names = clocks_stage_names,
                                    .stages = CLOCKS_STAGES,
                                    .unit = "cell",
                                    .longer = "give a larger --budget",
                                    .started = watching->started,
                                    .budget = watching->run.budget,
                                    .reserve = RESERVE_MS,
                                    .seed = watching->run.seed,
                                    .portions = study->emulated ? EMULATED_PORTIONS
                                                : study->quick  ? BRIEF_PORTIONS
                                                                : PORTIONS,
                                    .once = watching->run.once,
                                    .resumed = watching->run.options->resume,
                                    .skips = &watching->run.skips,
                                    .between = clocks_look_from_outside,
                                    .context = watching};
    return portions_measure(&portioning, &watching->run.complete);
}
