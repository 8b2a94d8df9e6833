/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Programs of the kit as part of a plan: what each is executed with follows from the findings that
 * it shows. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "studies/repeat/plan.h"

static bool shows(const struct catalogue_subject *subject, const char *finding)
{
    const size_t length = strlen(finding);
    for (const char *at = subject->shows; at && *at; at += strspn(at, " ")) {
        const size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, finding, length) == 0)
            return true;
        at += word;
    }
    return false;
}

bool repeat_subject_needs_counter(const struct catalogue_subject *subject)
{
    static const char *const of_counters[] = {"M2", "M6", "M7"};
    size_t words = 0, found = 0;
    for (const char *at = subject->shows; at && *at; at += strspn(at, " ")) {
        words++;
        at += strcspn(at, " ");
    }
    for (size_t i = 0; i < sizeof(of_counters) / sizeof(*of_counters); i++)
        found += shows(subject, of_counters[i]);
    return words > 0 && words == found;
}

/* Does the CPU count instructions? */
static bool has_counter(const struct repeat_study *study)
{
    return study->source_count && strcmp(study->sources[0].name, "perf_event") == 0 &&
           study->sources[0].instructions;
}

/* Instructions, where they are known beforehand. */
static uint64_t instructions_of(const struct catalogue_subject *subject, uint64_t n)
{
    int64_t more, all;
    if (!subject->has_truth || n > INT64_MAX ||
        __builtin_mul_overflow(subject->each, (int64_t)n, &more) ||
        __builtin_add_overflow(more, subject->base, &all) || all < 0)
        return 0;
    return (uint64_t)all;
}

static int add(struct repeat_plan *plan, const struct catalogue_subject *subject, uint64_t n)
{
    struct repeat_wanted *added =
        list_add(&plan->programs, &plan->program_count, sizeof(*plan->programs));
    if (!added)
        return -ENOMEM;
    *added =
        (struct repeat_wanted){.subject = subject, .instructions = instructions_of(subject, n)};
    if (asprintf(&added->name, SUBJECT_WORD "%s", subject->name) < 0)
        added->name = NULL;
    if (asprintf(&added->words, SUBJECT_WORD "%s %" PRIu64, subject->name, n) < 0)
        added->words = NULL;
    return added->name && added->words ? 0 : -ENOMEM;
}

/* What faults and interrupts add is told apart from the program by executions of several lengths,
 * where a counter of the CPU counts. */
static bool wants_lengths(const struct repeat_study *study, const struct catalogue_subject *subject)
{
    return has_counter(study) && (shows(subject, "M6") || shows(subject, "M7"));
}

void repeat_add_subjects(struct repeat_wisher *wisher, const struct catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->subject_count && wisher->error == 0; i++) {
        const struct catalogue_subject *subject = &catalogue->subjects[i];
        if (!subject->shows || !*subject->shows ||
            (repeat_subject_needs_counter(subject) && !has_counter(wisher->study)))
            continue;
        wisher->error = add(wisher->plan, subject, subject->n);
        for (uint64_t part = 2; part <= 4 && wisher->error == 0; part += 2)
            if (wants_lengths(wisher->study, subject) && subject->n / part)
                wisher->error = add(wisher->plan, subject, subject->n / part);
    }
}

/* Is it a further length of the subject before it? */
static bool is_further_length(const struct repeat_plan *plan, size_t program)
{
    return program && plan->programs[program - 1].subject == plan->programs[program].subject;
}

static void wish_what_it_shows(struct repeat_wisher *wisher, size_t program)
{
    const struct repeat_study *study = wisher->study;
    const struct catalogue_subject *subject = wisher->plan->programs[program].subject;
    uint32_t singles = 0;
    if (shows(subject, "M3"))
        singles |= CONTROL_BIT(CONTROL_ASLR);
    if (shows(subject, "M5"))
        singles |= CONTROL_BIT(CONTROL_LAYOUT);
    for (size_t source = 0; source < study->source_count && singles; source++)
        if (repeat_source_sees(study->sources[source].name, CONTROL_ASLR))
            repeat_wish_singles(wisher, REPEAT_SUBJECTS, program, singles, source);
    if (shows(subject, "M4"))
        repeat_wish_sweep(wisher, REPEAT_SUBJECTS, program, SWEEP_ENVIRONMENT);
    if (shows(subject, "M5"))
        repeat_wish_sweep(wisher, REPEAT_SUBJECTS, program, SWEEP_STACK);
    if (subject->libc || shows(subject, "M8") || shows(subject, "M9") || shows(subject, "M10"))
        repeat_wish_details(wisher, REPEAT_SUBJECTS, program, false, study->code);
}

void repeat_wish_subjects(struct repeat_wisher *wisher, size_t begin)
{
    const size_t end = wisher->plan->program_count;
    repeat_wish_settings(wisher, REPEAT_SUBJECTS, begin, end);
    for (size_t program = begin; program < end && wisher->error == 0; program++)
        if (!is_further_length(wisher->plan, program))
            wish_what_it_shows(wisher, program);
    for (size_t program = begin; program < end; program++)
        for (size_t source = 0; source < wisher->study->source_count; source++)
            if (!is_further_length(wisher->plan, program))
                repeat_wish_as_is(wisher, REPEAT_SUBJECTS, program, source);
}
