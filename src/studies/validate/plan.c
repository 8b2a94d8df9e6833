/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rounds of `assay validate`: every event in turn gets the next of its wishes, as long as they
 * fit its share of the budget. */
#include "studies/validate/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "study/plan.h"

#define MANY_RUNS        100u /* of a point */
#define FEW_RUNS         20u  /* where they are dear */
#define LADDER_PROCESSES 4u
#define OTHER_PROCESSES  2u
#define REST_PARTS       4u /* of the rest, one point takes at most such a part */
#define DEAR             4u /* many runs must fit this part of what a point may take */

/* --- the arrays of a plan --- */

/* Room for what is known of `count` cells, and the chains. */
static int make_room(const struct validate_study *study, struct validate_plan *plan, size_t count)
{
    struct validate_about *grown = realloc(plan->about, (count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    plan->about = grown;
    if (!plan->last_of_subject)
        plan->last_of_subject = calloc(study->subject_count + 1, sizeof(size_t));
    if (!plan->last_of_specimen)
        plan->last_of_specimen = calloc(study->specimen_count + 1, sizeof(size_t));
    return plan->last_of_subject && plan->last_of_specimen ? 0 : -ENOMEM;
}

/* Says what is known of cell `at`, and puts it into the chains. */
static void set_about(const struct validate_study *study, struct validate_plan *plan, size_t at,
                      const struct validate_about *about)
{
    struct validate_about *own = &plan->about[at];
    *own = *about;
    if (about->subject < study->subject_count) {
        own->before_of_subject = plan->last_of_subject[about->subject];
        plan->last_of_subject[about->subject] = at + 1;
    }
    if (about->specimen < study->specimen_count) {
        own->before_of_specimen = plan->last_of_specimen[about->specimen];
        plan->last_of_specimen[about->specimen] = at + 1;
    }
}

static int append(const struct validate_study *study, struct validate_plan *plan,
                  const struct cell *cell, const struct validate_about *about)
{
    size_t at = plan->count;
    int error = make_room(study, plan, at + 1);
    if (error == 0)
        error = plan_append(&plan->cells, &plan->count, cell);
    if (error == 0)
        set_about(study, plan, at, about);
    return error;
}

size_t validate_last_of_subject(const struct validate_plan *plan, size_t subject)
{
    return plan->last_of_subject ? plan->last_of_subject[subject] : 0;
}

size_t validate_last_of_specimen(const struct validate_plan *plan, size_t specimen)
{
    return plan->last_of_specimen ? plan->last_of_specimen[specimen] : 0;
}

void validate_plan_free(struct validate_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        cell_release(&plan->cells[i]);
    free(plan->cells);
    free(plan->about);
    free(plan->last_of_subject);
    free(plan->last_of_specimen);
    *plan = (struct validate_plan){0};
}

static size_t find_subject(const struct validate_study *study, const char *name)
{
    size_t i = 0;
    while (i < study->subject_count && strcmp(study->subjects[i].name, name) != 0)
        i++;
    return i;
}

/* The one with these parameters; else, since a geometry that was measured again changes them, the
 * one of that name. */
static size_t find_specimen(const struct validate_study *study, const char *name)
{
    size_t length = strcspn(name, "/");
    for (size_t i = 0; i < study->specimen_count; i++)
        if (strcmp(study->specimens[i].name, name) == 0)
            return i;
    for (size_t i = 0; i < study->specimen_count; i++) {
        const char *known = study->specimens[i].known->name;
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return i;
    }
    return VALIDATE_NO_SPECIMEN;
}

int validate_adopt(const struct validate_study *study, struct validate_plan *plan,
                   const struct cell *cell, uint32_t processes)
{
    struct validate_about about = {.subject = find_subject(study, cell->events[0]),
                                   .specimen = plan_is_overhead_cell(cell)
                                                   ? VALIDATE_NO_SPECIMEN
                                                   : find_specimen(study, cell->specimen),
                                   .processes = processes};
    uint32_t id = cell->id;
    int error = append(study, plan, cell, &about);
    if (error == 0)
        plan->cells[plan->count - 1].id = id;
    return error;
}

void validate_next_core(struct validate_subject *subject)
{
    int32_t first = subject->cpus[0];
    memmove(subject->cpus, subject->cpus + 1, (subject->cpu_count - 1) * sizeof(first));
    subject->cpus[subject->cpu_count - 1] = first;
}

/* --- one wish --- */

static bool same_way(const struct cell *cell, const struct validate_way *way)
{
    return cell->pattern == way->pattern && strcmp(cell->path, way->path) == 0 &&
           strcmp(cell->opt, way->opt) == 0 && strcmp(cell->link, way->link) == 0;
}

static bool is_of_way(const struct cell *cell, const struct validate_subject *event,
                      const struct validate_wish *wish)
{
    return cell->cpu == event->cpus[wish->cpu] && (cell->counters > 1) == wish->with_interrupts &&
           same_way(cell, &event->ways[wish->way]);
}

bool validate_is_planned(const struct validate_study *study, const struct validate_plan *plan,
                         size_t subject, const struct validate_wish *wish)
{
    const struct validate_subject *event = &study->subjects[subject];
    for (size_t i = validate_last_of_subject(plan, subject); i;
         i = plan->about[i - 1].before_of_subject) {
        const struct cell *cell = &plan->cells[i - 1];
        if (plan->about[i - 1].specimen == wish->specimen && cell->n == wish->n &&
            is_of_way(cell, event, wish))
            return true;
    }
    return false;
}

static int make_cell(const struct validate_study *study, size_t subject,
                     const struct validate_wish *wish, uint32_t runs, struct cell *cell)
{
    const struct validate_subject *event = &study->subjects[subject];
    const struct validate_way *way = &event->ways[wish->way];
    *cell = (struct cell){.events = {strdup(event->name)},
                          .counters = 1,
                          .path = strdup(way->path),
                          .pattern = way->pattern,
                          .specimen = strdup(study->specimens[wish->specimen].name),
                          .n = wish->n,
                          .opt = strdup(way->opt),
                          .link = strdup(way->link),
                          .runs = runs,
                          .separate = wish->with_interrupts,
                          .cpu = event->cpus[wish->cpu]};
    if (wish->with_interrupts) {
        cell->events[1] = strdup(study->interrupts);
        cell->counters = 2;
    }
    bool whole = cell->events[0] && cell->path && cell->specimen && cell->opt && cell->link &&
                 (!wish->with_interrupts || cell->events[1]);
    if (!whole)
        cell_release(cell);
    return whole ? 0 : -ENOMEM;
}

/* How a point is spread over processes. */
struct spread {
    uint32_t processes, runs; /* runs of each process */
    uint64_t ns;              /* of all processes */
};

/* No more processes than runs. */
static void spread_runs(uint32_t runs, uint32_t processes, struct spread *spread)
{
    spread->processes = processes < runs ? processes : runs;
    spread->runs = (runs + spread->processes - 1) / spread->processes;
}

static bool was_seen(const struct validate_plan *plan, size_t specimen)
{
    for (size_t i = validate_last_of_specimen(plan, specimen); i;
         i = plan->about[i - 1].before_of_specimen)
        if (plan->about[i - 1].visits)
            return true;
    return false;
}

/* Many runs where they cost little, few where they are dear; false: nobody knows what they cost. */
static bool spread_of(const struct validate_study *study, const struct validate_plan *plan,
                      size_t subject, const struct validate_wish *wish, uint64_t most,
                      struct spread *spread)
{
    const struct validate_subject *event = &study->subjects[subject];
    /* A source counts the same whichever process it runs. */
    uint32_t processes = wish->ladder && !event->runs ? LADDER_PROCESSES : OTHER_PROCESSES;
    uint32_t many = study->runs ? study->runs : MANY_RUNS;
    uint32_t few = study->runs ? study->runs : FEW_RUNS;
    uint64_t visit;
    if (event->runs)
        *spread = (struct spread){.processes = processes, .runs = event->runs};
    else
        spread_runs(many, processes, spread);
    if (!validate_visit_cost(study, plan, subject, wish, spread->runs, &visit))
        return false;
    spread->ns = spread->processes * visit;
    bool untried =
        *study->specimens[wish->specimen].known->parameters && !was_seen(plan, wish->specimen);
    if (study->full || (spread->ns <= most / DEAR && !untried))
        return true;
    if (!event->runs)
        spread_runs(few, OTHER_PROCESSES, spread);
    validate_visit_cost(study, plan, subject, wish, spread->runs, &visit);
    spread->ns = spread->processes * visit;
    return true;
}

/* --- a round --- */

static int take(const struct validate_study *study, size_t subject,
                const struct validate_wish *wish, const struct spread *spread,
                struct validate_plan *plan)
{
    struct cell cell;
    struct validate_about about = {
        .subject = subject, .specimen = wish->specimen, .processes = spread->processes};
    int error = make_cell(study, subject, wish, spread->runs, &cell);
    if (error < 0)
        return error;
    error = append(study, plan, &cell, &about);
    if (error < 0)
        cell_release(&cell);
    return error;
}

static bool was_visited(const struct validate_plan *plan, size_t subject)
{
    for (size_t i = validate_last_of_subject(plan, subject); i;
         i = plan->about[i - 1].before_of_subject)
        if (plan->about[i - 1].visits)
            return true;
    return false;
}

/* Specimens that nobody ran yet may be dear. Before anything is known of what a process costs,
 * only the ladder is asked for; those whose memory has to be made ready wait for a round in which
 * no other is new. */
static bool must_wait(const struct validate_study *study, const struct validate_plan *plan,
                      const struct validate_wish *wish, bool any_visited, bool *any_new)
{
    if (!any_visited)
        return !wish->ladder;
    if (was_seen(plan, wish->specimen))
        return false;
    if (*study->specimens[wish->specimen].known->parameters && *any_new)
        return true;
    *any_new = true;
    return false;
}

/* What the null cell of that wish's way will take; 0 where the plan has it already. */
static uint64_t null_cost(const struct validate_study *study, const struct validate_plan *plan,
                          size_t subject, const struct validate_wish *wish)
{
    const struct validate_subject *event = &study->subjects[subject];
    uint64_t process = 0;
    for (size_t i = validate_last_of_subject(plan, subject); i;
         i = plan->about[i - 1].before_of_subject)
        if (is_of_way(&plan->cells[i - 1], event, wish))
            return 0;
    validate_visit_cost(study, plan, subject, wish, 0, &process);
    return process * (event->runs ? OTHER_PROCESSES : LADDER_PROCESSES);
}

/* The subject's wishes that fit; what is left of its allowance is returned in *allowance. */
static int take_wishes(const struct validate_study *study, const struct validate_round *round,
                       size_t subject, uint64_t *allowance, struct validate_plan *plan)
{
    struct validate_wishes wishes;
    int error = validate_wish_list(study, &study->subjects[subject], &wishes);
    bool any_visited = was_visited(plan, subject), any_new = false;
    for (size_t i = 0; i < wishes.count && error == 0; i++) {
        struct spread spread;
        const struct validate_wish *wish = &wishes.list[i];
        uint64_t most = round->point_ns < *allowance ? round->point_ns : *allowance;
        if (round->share == SHARE_DEAR && !wish->ladder)
            continue;
        if (validate_is_planned(study, plan, subject, wish) ||
            !spread_of(study, plan, subject, wish, most, &spread))
            continue;
        uint64_t null_ns = null_cost(study, plan, subject, wish);
        bool fits = spread.ns <= most && (!any_visited || spread.ns + null_ns <= *allowance);
        if ((!study->full && !fits) || must_wait(study, plan, wish, any_visited, &any_new))
            continue;
        spread.ns += null_ns;
        error = take(study, subject, wish, &spread, plan);
        *allowance -= spread.ns < *allowance ? spread.ns : *allowance;
    }
    free(wishes.list);
    return error;
}

static bool has_wishes(const struct validate_study *study, const struct validate_plan *plan,
                       size_t subject)
{
    struct validate_wishes wishes;
    if (validate_wish_list(study, &study->subjects[subject], &wishes) < 0)
        return true;
    bool any = false;
    for (size_t i = 0; i < wishes.count && !any; i++)
        any = !validate_is_planned(study, plan, subject, &wishes.list[i]);
    free(wishes.list);
    return any;
}

/* Null cells for the ways that this round began. They are as cheap as a process can be, and what
 * they say is subtracted from everything: they get as many runs as any point. */
static int add_nulls(const struct validate_study *study, struct validate_plan *plan)
{
    size_t before = plan->count;
    int error = plan_overhead_cells(&plan->cells, &plan->count);
    size_t after = plan->count;
    if (make_room(study, plan, after) < 0) {
        while (plan->count > before)
            cell_release(&plan->cells[--plan->count]);
        return -ENOMEM;
    }
    for (size_t i = before; i < after; i++) {
        struct cell *cell = &plan->cells[i];
        size_t subject = find_subject(study, cell->events[0]);
        bool source = subject < study->subject_count && study->subjects[subject].runs;
        uint32_t many = study->runs ? study->runs : MANY_RUNS;
        struct spread spread = {.processes = OTHER_PROCESSES, .runs = cell->runs};
        if (!source)
            spread_runs(many, LADDER_PROCESSES, &spread);
        const struct validate_about about = {
            .subject = subject, .specimen = VALIDATE_NO_SPECIMEN, .processes = spread.processes};
        set_about(study, plan, i, &about);
        cell->runs = spread.runs;
    }
    return error;
}

int validate_next(const struct validate_study *study, const struct validate_round *round,
                  struct validate_plan *plan)
{
    size_t active = 0, first = plan->count;
    int error = 0;
    for (size_t i = 0; i < study->subject_count; i++)
        active += has_wishes(study, plan, i);
    uint64_t left = round->budget_ns;
    struct validate_round own = *round;
    if (round->share == SHARE_REST && own.point_ns > left / REST_PARTS)
        own.point_ns = left / REST_PARTS; /* many cheap points before a dear one */
    if (round->share == SHARE_DEAR)
        own.point_ns = left / 2;
    if (round->share == SHARE_FIRST) {
        active = first ? 0 : active;
        own.point_ns = left = UINT64_MAX;
    }
    for (size_t i = 0; i < study->subject_count && active && error == 0; i++) {
        uint64_t share = round->share >= SHARE_REST    ? left / 2
                         : round->share == SHARE_WHOLE ? round->budget_ns / active
                                                       : round->budget_ns / active / 2;
        uint64_t allowance = share;
        error = take_wishes(study, &own, i, &allowance, plan);
        left -= share - allowance;
        if (round->share == SHARE_FIRST && plan->count)
            break;
    }
    return error == 0 && plan->count > first ? add_nulls(study, plan) : error;
}
