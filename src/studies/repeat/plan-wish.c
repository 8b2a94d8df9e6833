/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Making wishes for `assay repeat`: from a program, a source and a setting to a cell. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "studies/repeat/plan.h"

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

static uint64_t subject_timeout(const struct repeat_study *study, bool stepped)
{
    uint64_t ms = study->quick ? QUICK_SUBJECT_MS : SUBJECT_MS;
    if (stepped)
        ms *= STEPPED_TIMES;
    return study->emulated ? ms * EMULATED_TIMES : ms;
}

/* Whoever is slowed down may take longer; but no single execution by a tool takes most of the time
 * there is. */
static uint64_t timeout_of(const struct repeat_study *study, const struct repeat_wanted *program,
                           const struct repeat_source *source)
{
    if (program->subject)
        return subject_timeout(study, source && source->each_ns);
    if (!study->timeout || !source || source->slower <= 1)
        return study->timeout;
    const double slowed = (double)study->timeout * source->slower;
    const uint64_t most = study->longest ? study->longest / TOOL_SHARE + 1 : LONGEST_MS;
    return slowed < (double)most ? (uint64_t)slowed : most;
}

/* --- its columns --- */

static bool add_column(struct cell *cell, const char *event)
{
    cell->events[cell->counters] = strdup(event);
    return cell->events[cell->counters++] != NULL;
}

/* Who watches calls counts nothing that would slow it down. */
static bool add_columns(struct cell *cell, const struct repeat_source *source)
{
    const bool watches = cell->command.detail == DETAIL_CALLS;
    bool whole = watches ? add_column(cell, source->calls) : true;
    for (size_t i = 0; source && !watches && i < source->count && i < CELL_MAX_COUNTERS - COLUMNS;
         i++)
        whole &= add_column(cell, source->events[i]);
    for (size_t i = 0; i < COLUMNS; i++)
        whole &= add_column(cell, columns[i]);
    return whole;
}

/* --- a cell --- */

static bool copy(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return *to || !from;
}

static uint64_t swept_to(enum command_sweep sweep, uint32_t point)
{
    switch (sweep) {
    case SWEEP_ENVIRONMENT:
        return (uint64_t)point * ENVIRONMENT_STEP;
    case SWEEP_STACK:
        return (uint64_t)point * STACK_STEP;
    case SWEEP_ASLR:
        return point + 1;
    default:
        return 0;
    }
}

static int make_cell(const struct repeat_wisher *wisher, const struct wished_execution *wished,
                     uint32_t point, struct cell *cell)
{
    const struct repeat_study *study = wisher->study;
    const struct repeat_wanted *program = &wisher->plan->programs[wished->program];
    const struct repeat_source *source =
        wished->source == REPEAT_PLAIN ? NULL : &study->sources[wished->source];
    const bool pinned = wished->controls & CONTROL_BIT(CONTROL_CPU);
    const bool first =
        wished->controls == 0 && wished->detail == DETAIL_NONE && (!source || wished->source == 0);
    *cell = (struct cell){.path = strdup("command"),
                          .pattern = PATTERN_RR,
                          .specimen = strdup("null"),
                          .opt = strdup("O2"),
                          .link = strdup("static"),
                          .runs = 1,
                          .cpu = pinned ? study->cpu : -1,
                          .command = {.controls = wished->controls,
                                      .sweep = wished->sweep,
                                      .swept = swept_to(wished->sweep, point),
                                      .timeout = timeout_of(study, program, source),
                                      .detail = wished->detail,
                                      .shown = study->shown && program->user && first}};
    struct cell_command *command = &cell->command;
    const bool whole =
        cell->path && cell->specimen && cell->opt && cell->link &&
        copy(&command->words, program->words) && copy(&command->name, program->name) &&
        copy(&command->directory, program->directory) && copy(&command->input, program->input) &&
        copy(&command->keep, study->keep) && add_columns(cell, source);
    return whole ? cell_check_command(cell, wisher->failure) : -ENOMEM;
}

/* --- a wish --- */

static int add_point(struct wish *wish, const struct repeat_wisher *wisher,
                     const struct wished_execution *wished, uint32_t point)
{
    struct cell *grown = reallocarray(wish->cells, wish->cell_count + 1, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    wish->cells = grown;
    return make_cell(wisher, wished, point, &grown[wish->cell_count++]);
}

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
    if (error < 0)
        cell_release(&cell);
    else
        error = wishes_add(&plan->wishes, &wish, &cell);
    for (uint32_t point = 1; point < points && error == 0; point++)
        error = add_point(&plan->wishes.list[plan->wishes.count - 1], wisher, wished, point);
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
    struct repeat_aim *aim = list_add(&plan->aims, &plan->aim_count, sizeof(*aim));
    wisher->error = aim ? add_wish(wisher, wished) : -ENOMEM;
    if (wisher->error < 0)
        return NO_WISH;
    const size_t wish = plan->wishes.count - 1;
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
        plan->wishes.list[wish].after = wish;
    return wish;
}

size_t repeat_find_wish(const struct repeat_plan *plan, size_t program, size_t source,
                        uint32_t controls, enum command_sweep sweep, enum command_detail detail)
{
    for (size_t i = 0; i < plan->wishes.count; i++) {
        const struct repeat_aim *aim = &plan->aims[i];
        if (aim->program == program && aim->source == source && aim->controls == controls &&
            aim->sweep == sweep && aim->detail == detail)
            return i;
    }
    return NO_WISH;
}

void repeat_plan_free(struct repeat_plan *plan)
{
    for (size_t i = 0; i < plan->program_count; i++)
        if (plan->programs[i].subject) { /* the others are the study's */
            free(plan->programs[i].name);
            free(plan->programs[i].words);
        }
    wishes_free(&plan->wishes);
    free(plan->aims);
    free(plan->programs);
    free(plan->told);
    *plan = (struct repeat_plan){0};
}
