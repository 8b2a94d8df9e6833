/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which events may speak for or against a claim, and why none can: shared by the rules of
 * findings. */
#include <stdio.h>
#include <string.h>

#include "studies/validate/findings.h"
#include "judge/note.h"

static bool lists(const char *list, const char *word, size_t length)
{
    while (*list) {
        size_t each = strcspn(list, " ");
        if (each == length && memcmp(list, word, length) == 0)
            return true;
        list += each + (list[each] == ' ');
    }
    return false;
}

bool claim_lists(const char *list, const char *word)
{
    return lists(list, word, strcspn(word, "/"));
}

/* A source counts what it executes itself: that says nothing of this machine's counters. */
static bool is_source(const struct evidence *evidence)
{
    return evidence->kind && strcmp(evidence->kind, "source") == 0;
}

bool claim_concerns(const struct judgement *judgement, const char *classes)
{
    const struct evidence *evidence = judgement->evidence;
    return evidence->class && !is_source(evidence) && claim_lists(classes, evidence->class);
}

/* "a, b or c" for a list separated by spaces. */
static void put_choice(const char *list, char *words, size_t size)
{
    size_t used = 0;
    words[0] = '\0';
    while (*list && used < size) {
        size_t each = strcspn(list, " ");
        const char *rest = list + each + (list[each] == ' ');
        const char *joint = !used ? "" : *rest ? ", " : " or ";
        used += (size_t)snprintf(words + used, size - used, "%s%.*s", joint, (int)each, list);
        list = rest;
    }
}

bool claim_usable(const struct judgement *judgement, char *why, size_t size)
{
    const struct evidence *evidence = judgement->evidence;
    const char *reason =
        evidence->reason && *evidence->reason ? evidence->reason : "no reason was given";
    if (evidence->error)
        snprintf(why, size, "%.100s cannot be opened: %.*s", evidence->event,
                 reason_first_sentence(reason), reason);
    else if (judgement->verdict == VERDICT_UNSCHEDULED)
        snprintf(why, size, "%.100s opens, but never got a counter", evidence->event);
    else if (judgement->verdict == VERDICT_DEAD &&
             (judgement->cause == CAUSE_MODE_NOT_APPLICABLE || judgement->cause == CAUSE_CORE_TYPE))
        snprintf(why, size, "%.100s cannot count this: %.200s", evidence->event, judgement->note);
    else
        return true;
    return false;
}

/* Why an event that counts has nothing to say: its specimens were not measured, or not enough. */
static void excuse_points(const struct claim *claim, const struct tested_by *test,
                          const struct evidence *evidence, char *why, size_t size)
{
    double most = -1;
    char choice[200];
    put_choice(test->specimens, choice, sizeof(choice));
    snprintf(why, size, "%.100s was not measured on %s", evidence->event, choice);
    for (size_t i = 0; i < evidence->point_count; i++) {
        const struct point *point = &evidence->points[i];
        if (point->is_null || !claim_lists(test->specimens, point->specimen))
            continue;
        struct judged_point judged = {.point = point};
        double count = reading_foretold(&judged, claim->foretold);
        if (point->truth.grade == TRUTH_NONE)
            snprintf(why, size, "nothing is predicted for %.100s on %.100s", evidence->event,
                     point->specimen);
        else if (!point->run_count && point->failure_reason)
            snprintf(why, size, "%.100s could not be measured on %.100s: %.200s", evidence->event,
                     point->specimen, point->failure_reason);
        else if (point->run_count && count > most)
            most = count;
    }
    if (most >= 0 && claim->least > 0)
        snprintf(why, size,
                 "%.100s has no quiet runs with a count that is large enough: at most %s was "
                 "predicted, and it takes %s and a hundred times the overhead",
                 evidence->event, FIGURE(most), FIGURE(claim->least));
    else if (most >= 0)
        snprintf(why, size, "%.100s was not measured with counts small enough, or counts none",
                 evidence->event);
}

enum excuse claim_excuse(const struct claim *claim, const struct tested_by *test,
                         const struct judgements *judgements, char *why, size_t size)
{
    enum excuse excuse = EXCUSE_NOT_TRIED;
    bool sourced = false;
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        const struct evidence *evidence = judgement->evidence;
        if (evidence->class && is_source(evidence) && claim_lists(test->classes, evidence->class))
            sourced = true;
        if (!claim_concerns(judgement, test->classes))
            continue;
        char first[NOTE_SIZE];
        if (claim_usable(judgement, first, sizeof(first))) {
            excuse_points(claim, test, evidence, why, size);
            return EXCUSE_NOT_ENOUGH;
        }
        if (excuse == EXCUSE_NOT_TRIED)
            snprintf(why, size, "%s", first);
        excuse = EXCUSE_REFUSED;
    }
    char choice[200];
    put_choice(test->classes, choice, sizeof(choice));
    if (excuse == EXCUSE_NOT_TRIED)
        snprintf(why, size, "no event that counts %s was measured%s", choice,
                 sourced ? ", only sources, which say nothing of this machine's counters" : "");
    return excuse;
}
