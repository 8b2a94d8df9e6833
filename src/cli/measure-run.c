/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs the visits a measurement's store still lacks. */
#include "engine/gather.h"
#include "studies/measure/study.h"

int measure_execute(struct measuring *measuring)
{
    struct gathering gathering = {.command = "measure",
                                  .common = &measuring->options->common,
                                  .session = measuring->session,
                                  .store = measuring->store,
                                  .cells = measuring->cells,
                                  .cell_count = measuring->cell_count,
                                  .budget = measuring->options->budget,
                                  .resumed = measuring->options->resume};
    struct failure refusal = {0};
    int status = gather(&gathering, &measuring->complete, &refusal);
    return refusal.text[0] ? measure_refuse(measuring, &refusal, status) : status;
}
