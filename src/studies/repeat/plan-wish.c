/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Making wishes for `assay repeat`: from a program, a source and a setting to a cell. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "studies/repeat/plan.h"

/* ----------------------------------------------------------------------------------------------
 * Programs of the kit as part of a plan: what each is executed with follows from the findings that
 * it shows. */

static bool shows(const struct catalogue_subject *subject, const char *finding)
{
    return has_word(subject->shows, finding);
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

static void add(struct repeat_plan *plan, const struct catalogue_subject *subject, uint64_t n)
{
    /* Instructions, where they are known beforehand. */
    int64_t more, all = 0;
    if (!subject->has_truth || n > INT64_MAX ||
        __builtin_mul_overflow(subject->each, (int64_t)n, &more) ||
        __builtin_add_overflow(more, subject->base, &all) || all < 0)
        all = 0;
    *memory_add(plan->programs, plan->program_count) =
        (struct repeat_wanted){.name = memory_format(SUBJECT_WORD "%s", subject->name),
                               .words = memory_format(SUBJECT_WORD "%s %" PRIu64, subject->name, n),
                               .subject = subject,
                               .instructions = (uint64_t)all};
}

void repeat_add_subjects(struct repeat_wisher *wisher, const struct catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->subject_count; i++) {
        const struct catalogue_subject *subject = &catalogue->subjects[i];
        if (!subject->shows || !*subject->shows ||
            (repeat_subject_needs_counter(subject) && !has_counter(wisher->study)))
            continue;
        add(wisher->plan, subject, subject->n);
        /* What faults and interrupts add is told apart from the program by executions of several
         * lengths, where a counter of the CPU counts. */
        for (uint64_t part = 2; part <= 4; part += 2)
            if (has_counter(wisher->study) && (shows(subject, "M6") || shows(subject, "M7")) &&
                subject->n / part)
                add(wisher->plan, subject, subject->n / part);
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
        repeat_wish_details(wisher, REPEAT_SUBJECTS, program, false);
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

/* --- from a program, a source and a setting to a cell --- */

#define S_MS UINT64_C(1000)
/* ms that a subject may take: each is short, unless a tool keeps it from ending. */
#define LONGEST_MS       (UINT64_C(7) * 24 * 3600 * S_MS) /* that a cell may say */
#define SUBJECT_MS       (10 * S_MS)
#define QUICK_SUBJECT_MS (4 * S_MS)
#define TOOL_SHARE       4u /* of the time there is */
#define STEPPED_TIMES    3u
#define EMULATED_TIMES   6u
/* Bytes from one point of a sweep to the next. The first takes every remainder by 16 in turn, the
 * second (a stack begins at a multiple of 16) every one by 256; both stay below what a page holds.
 */
#define ENVIRONMENT_STEP 251u
#define STACK_STEP       240u

static const char *const columns[] = {RUN_STATUS,     RUN_OUTPUT_BYTES, RUN_OUTPUT_SUM,
                                      RUN_TASKS,      RUN_PROCESSES,    RUN_LEFT,
                                      RUN_INTERRUPTS, RUN_NANOSECONDS};
#define COLUMNS (sizeof(columns) / sizeof(*columns))

/* --- the time that it may take --- */

/* Whoever is slowed down may take longer; but no single execution by a tool takes most of the time
 * there is. */
static uint64_t timeout_of(const struct repeat_study *study, const struct repeat_wanted *program,
                           const struct repeat_source *source)
{
    if (program->subject)
        return (study->quick ? QUICK_SUBJECT_MS : SUBJECT_MS) *
               (source && source->each_ns ? STEPPED_TIMES : 1) *
               (study->emulated ? EMULATED_TIMES : 1);
    if (!study->timeout || !source || source->slower <= 1)
        return study->timeout;
    const double slowed = (double)study->timeout * source->slower;
    const uint64_t most = study->longest ? study->longest / TOOL_SHARE + 1 : LONGEST_MS;
    return slowed < (double)most ? (uint64_t)slowed : most;
}

/* --- a cell --- */

static int make_cell(const struct repeat_wisher *wisher, const struct wished_execution *wished,
                     uint32_t point, struct cell *cell)
{
    static const uint64_t steps[SWEEP_COUNT] = {
        [SWEEP_ENVIRONMENT] = ENVIRONMENT_STEP, [SWEEP_STACK] = STACK_STEP};
    const struct repeat_study *study = wisher->study;
    const struct repeat_wanted *program = &wisher->plan->programs[wished->program];
    const struct repeat_source *source =
        wished->source == REPEAT_PLAIN ? NULL : &study->sources[wished->source];
    const bool pinned = wished->controls & CONTROL_BIT(CONTROL_CPU);
    const bool first =
        wished->controls == 0 && wished->detail == DETAIL_NONE && (!source || wished->source == 0);
    *cell = (struct cell){
        .path = memory_copy("command"),
        .pattern = PATTERN_RR,
        .specimen = memory_copy("null"),
        .opt = memory_copy("O2"),
        .link = memory_copy("static"),
        .runs = 1,
        .cpu = pinned ? study->cpu : -1,
        .command = {.controls = wished->controls,
                    .sweep = wished->sweep,
                    .swept = wished->sweep == SWEEP_ASLR ? point + 1 : point * steps[wished->sweep],
                    .timeout = timeout_of(study, program, source),
                    .detail = wished->detail,
                    .shown = study->shown && program->user && first,
                    .words = memory_copy(program->words),
                    .name = memory_copy(program->name),
                    .directory = memory_copy(program->directory),
                    .input = memory_copy(program->input),
                    .keep = memory_copy(study->keep)}};
    /* Who watches calls counts nothing that would slow it down. */
    if (wished->detail == DETAIL_CALLS)
        cell->events[cell->counters++] = memory_copy(source->calls);
    else
        for (size_t i = 0; source && i < source->count && i < CELL_MAX_COUNTERS - COLUMNS; i++)
            cell->events[cell->counters++] = memory_copy(source->events[i]);
    for (size_t i = 0; i < COLUMNS; i++)
        cell->events[cell->counters++] = memory_copy(columns[i]);
    return cell_check_command(cell, wisher->failure);
}

/* --- a wish --- */

static int add_wish(struct repeat_wisher *wisher, const struct wished_execution *wished)
{
    struct repeat_plan *plan = wisher->plan;
    const struct wish wish = {
        .stage = (unsigned)wished->stage,
        .processes = wished->processes,
        .least = wished->least,
        .after = wished->after,
        .expected_ns = repeat_plan_price(plan, wished->program, wished->source, wished->detail)};
    const uint32_t points = wished->sweep == SWEEP_NONE ? 1 : wisher->study->sweep_points;
    struct cell cell;
    int error = make_cell(wisher, wished, 0, &cell);
    if (error == 0)
        wishes_add(plan->wishes, &wish, &cell);
    for (uint32_t point = 1; point < points && error == 0; point++) {
        struct wish *added = &plan->wishes->list[plan->wishes->count - 1];
        error = make_cell(wisher, wished, point, memory_add(added->cells, added->cell_count));
    }
    return error;
}

/* Whatever is no setting of what somebody asked for. */
static bool is_held(const struct repeat_wisher *wisher, const struct wished_execution *wished)
{
    const bool subject = wisher->plan->programs[wished->program].subject;
    const bool first = wished->source == REPEAT_PLAIN || wished->source == 0;
    const bool setting = wished->controls == wisher->study->controls ||
                         (wished->controls == 0 && (first || !subject));
    const bool asked =
        wished->program < wisher->study->program_count || wisher->study->program_count == 0;
    return !setting || !asked || wished->sweep != SWEEP_NONE || wished->detail != DETAIL_NONE;
}

size_t repeat_wish(struct repeat_wisher *wisher, const struct wished_execution *wished)
{
    struct repeat_plan *plan = wisher->plan;
    if (wisher->error < 0 || !wished->processes)
        return NO_WISH;
    /* Of two controls, one alone is the other left out. */
    const size_t same = repeat_find_wish(plan, wished->program, wished->source, wished->controls,
                                         wished->sweep, wished->detail);
    if (same != NO_WISH)
        return same;
    struct repeat_aim *aim = memory_add(plan->aims, plan->aim_count);
    wisher->error = add_wish(wisher, wished);
    if (wisher->error < 0)
        return NO_WISH;
    const size_t wish = plan->wishes->count - 1;
    *aim = (struct repeat_aim){.program = wished->program,
                               .source = wished->source,
                               .controls = wished->controls,
                               .sweep = wished->sweep,
                               .detail = wished->detail,
                               .held = is_held(wisher, wished),
                               .after = wished->after,
                               .processes = wished->processes,
                               .least = wished->least};
    if (plan->passes)
        repeat_plan_assign(wisher, wished, wish);
    if (aim->held)
        plan->wishes->list[wish].after = wish;
    return wish;
}

size_t repeat_find_wish(const struct repeat_plan *plan, size_t program, size_t source,
                        uint32_t controls, enum command_sweep sweep, enum command_detail detail)
{
    for (size_t i = 0; i < plan->wishes->count; i++) {
        const struct repeat_aim *aim = &plan->aims[i];
        if (aim->program == program && aim->source == source && aim->controls == controls &&
            aim->sweep == sweep && aim->detail == detail)
            return i;
    }
    return NO_WISH;
}
