/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judge: every event by itself, then all of them against one another. */
#include <errno.h>
#include <stdlib.h>

#include "studies/validate/judge.h"

int judge_case(const struct case_file *file, uint64_t seed, struct judgements *judgements)
{
    *judgements = (struct judgements){0};
    if (file->event_count == 0)
        return 0;
    judgements->list = calloc(file->event_count, sizeof(*judgements->list));
    if (!judgements->list)
        return -ENOMEM;
    for (size_t i = 0; i < file->event_count; i++) {
        judgements->count++;
        int error = judge_event(&file->events[i], seed, &judgements->list[i]);
        if (error < 0) {
            judgements_release(judgements);
            return error;
        }
    }
    relate_events(file, judgements);
    return 0;
}

void judgements_release(struct judgements *judgements)
{
    for (size_t i = 0; i < judgements->count; i++) {
        struct judgement *judgement = &judgements->list[i];
        for (size_t j = 0; j < judgement->row_count; j++)
            free(judgement->rows[j].points);
        free(judgement->rows);
    }
    free(judgements->list);
    *judgements = (struct judgements){0};
}
