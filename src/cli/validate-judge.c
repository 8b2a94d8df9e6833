/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From what the store holds to verdicts: at the end for the reader, between rounds for the plan. */
#include <errno.h>
#include <string.h>

#include "base/monotonic.h"
#include "studies/validate/parts.h"

static int load(struct validating *validating, struct failure *failure)
{
    judgements_release(&validating->judgements);
    case_release(&validating->file);
    validating->judgements = (struct judgements){0};
    validating->file = (struct case_file){0};
    int error = validate_load(validating->store, &validating->file, failure);
    if (error < 0)
        return failure->code ? error : fail_with(failure, error, "out of memory");
    error = judge_case(&validating->file, validating->seed, &validating->judgements);
    return error < 0 ? fail_with(failure, error, "out of memory") : 0;
}

int validate_judge(struct validating *validating)
{
    struct failure failure = {0};
    if (load(validating, &failure) < 0)
        return validate_fail(&failure, EXIT_FAILED);
    validate_findings(&validating->file, &validating->judgements, validating->findings);
    validating->seconds = (double)(monotonic_ms() - validating->started) / 1000;
    return EXIT_DONE;
}

/* --- for the plan --- */

static bool is_surprising(const struct judgement *judgement)
{
    switch (judgement->verdict) {
    case VERDICT_NOISY:
    case VERDICT_BIASED:
        return true;
    case VERDICT_DEAD:
    case VERDICT_EXACT:
    case VERDICT_ACCURATE:
        return judgement->cause != CAUSE_NONE && judgement->cause != CAUSE_INTERFACE_OVERHEAD &&
               judgement->cause != CAUSE_MODE_NOT_APPLICABLE;
    default:
        return false;
    }
}

/* The largest N that reads zero although its truth is not, and the smallest above that counts. */
static void find_threshold(const struct judged_row *row, struct validate_subject *subject)
{
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *point = &row->points[i];
        if (!point->runs || point->point->truth.low <= 0)
            continue;
        uint64_t n = point->point->n;
        if (point->is_zero && !subject->counts_from)
            subject->zero_to = n;
        else if (!point->is_zero && subject->zero_to && !subject->counts_from)
            subject->counts_from = n;
    }
}

static void learn_event(const struct judgement *judgement, struct validate_subject *subject,
                        const char *primary)
{
    subject->deviates = is_surprising(judgement);
    if (judgement->verdict == VERDICT_UNSCHEDULED)
        validate_next_core(subject);
    subject->zero_to = subject->counts_from = 0;
    for (size_t i = 0; i < judgement->row_count; i++) {
        const struct judged_row *row = &judgement->rows[i];
        if (strcmp(row->specimen, primary) == 0 && strcmp(row->path, subject->ways[0].path) == 0) {
            find_threshold(row, subject);
            break;
        }
    }
    if (!subject->counts_from)
        subject->zero_to = 0;
}

int validate_learn(struct validating *validating, struct failure *failure)
{
    int error = load(validating, failure);
    if (error < 0)
        return error;
    for (size_t i = 0; i < validating->study.subject_count; i++) {
        struct validate_subject *subject = &validating->subjects[i];
        size_t primary = validate_primary(&validating->study, subject->class);
        for (size_t j = 0; j < validating->judgements.count; j++)
            if (strcmp(validating->judgements.list[j].evidence->event, subject->name) == 0)
                learn_event(&validating->judgements.list[j], subject,
                            validating->study.specimens[primary].name);
    }
    return 0;
}
