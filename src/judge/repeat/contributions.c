/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a page fault and an interrupt add to a count: from programs whose instructions are known,
 * and where none of them was counted, from what varies with either in programs that are otherwise
 * held constant. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/findings.h"
#include "judge/repeat/instructions.h"
#include "judge/repeat/kept.h"
#include "judge/repeat/surplus.h"

/* Classes whose events a program decides alone, so that more of them came from elsewhere. */
static const char *const decided[] = {"instructions", "branches", "cond-branches", "loads",
                                      "stores",       "calls",    "returns",       NULL};

static bool is_decided(const char *class)
{
    for (const char *const *at = decided; *at; at++)
        if (strcmp(*at, class) == 0)
            return true;
    return false;
}

/* An event of a machine, and how its contributions are looked for. */
struct asked {
    const struct repeat_case *file;
    size_t machine;
    const char *event;
    bool by_truth;     /* else what is common to a cell is taken away */
    bool interrupts;   /* only runs that tell them */
    uint32_t controls; /* without a truth only cells with these */
};

static bool has_hardware_event(const struct repeat_cell *cell, const char *event)
{
    return strcmp(cell->source, "perf_event") == 0 && cell->detail == DETAIL_NONE &&
           repeat_event(cell, event) >= 0;
}

/* Opcodes that are counted twice would be taken for faults. */
static bool is_of_use(const struct asked *asked, const struct repeat_cell *cell)
{
    const struct repeat_program *program = &asked->file->programs[cell->program];
    if (cell->machine != asked->machine || !has_hardware_event(cell, asked->event) ||
        repeat_program_shows(program, "M2"))
        return false;
    if (asked->by_truth)
        return program->has_truth;
    return cell->controls == asked->controls && cell->sweep == SWEEP_NONE;
}

static int gather_cell(const struct asked *asked, const struct repeat_cell *cell,
                       struct surplus_list *list)
{
    AUTO_KEPT struct kept kept;
    const int64_t truth = asked->by_truth ? asked->file->programs[cell->program].truth : 0;
    const size_t group = asked->by_truth ? 0 : list->groups;
    if (kept_counts(cell, (uint32_t)repeat_event(cell, asked->event), &kept) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < kept.count; i++) {
        const struct repeat_run *run = &cell->list[kept.runs[i]];
        struct surplus surplus = {.group = group};
        const double level = asked->by_truth ? (double)((int64_t)kept.base - truth) : 0;
        surplus.events = kept.values[i] + level;
        run_disturbances(run, DISTURBANCE_FAULT, &surplus.by[DISTURBANCE_FAULT]);
        if (!run_disturbances(run, DISTURBANCE_INTERRUPT, &surplus.by[DISTURBANCE_INTERRUPT]) &&
            asked->interrupts)
            continue;
        if (run->tasks <= 1 && surplus_add(list, &surplus) < 0)
            return -ENOMEM;
    }
    return 0;
}

/* Did sources that count nothing but the program find the same in every run of this setting? */
static int is_constant(const struct asked *asked, const struct repeat_cell *cell, bool *constant)
{
    bool seen = false;
    *constant = true;
    for (size_t i = 0; i < asked->file->cell_count && *constant; i++) {
        const struct repeat_cell *other = &asked->file->cells[i];
        for (uint32_t event = 0; event < other->events; event++) {
            AUTO_KEPT struct kept kept = {0};
            if (other->machine != cell->machine || other->program != cell->program ||
                other->controls != cell->controls || other->sweep != SWEEP_NONE ||
                strcmp(other->source, "perf_event") == 0 || !counts_instructions(other, event))
                continue;
            if (kept_counts(other, event, &kept) < 0)
                return -ENOMEM;
            seen |= kept.count > 1;
            *constant &= kept_distinct(&kept) <= 1;
        }
    }
    *constant &= seen;
    return 0;
}

static int gather(const struct asked *asked, struct surplus_list *list, size_t *programs,
                  bool *firm)
{
    *firm = true;
    size_t last = SIZE_MAX;
    *programs = 0;
    for (size_t i = 0; i < asked->file->cell_count; i++) {
        const struct repeat_cell *cell = &asked->file->cells[i];
        const size_t before = list->count;
        bool constant = asked->by_truth;
        if (!is_of_use(asked, cell))
            continue;
        if (gather_cell(asked, cell, list) < 0 ||
            (!constant && is_constant(asked, cell, &constant) < 0))
            return -ENOMEM;
        *firm &= constant || list->count == before;
        if (list->count > before && cell->program != last) {
            last = cell->program;
            ++*programs;
        }
    }
    return 0;
}

/* The setting under which most is controlled. */
static uint32_t most_controlled(const struct repeat_case *file, size_t machine, const char *event)
{
    uint32_t most = 0;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        if (cell->machine == machine && has_hardware_event(cell, event) &&
            __builtin_popcount(cell->controls) > __builtin_popcount(most))
            most = cell->controls;
    }
    return most;
}

static struct repeat_contribution *add(struct repeat_report *report, size_t machine,
                                       const char *event, enum disturbance disturbance)
{
    struct repeat_contribution *larger = realloc(
        report->contributions, (report->contribution_count + 1) * sizeof(*report->contributions));
    if (!larger)
        return NULL;
    report->contributions = larger;
    struct repeat_contribution *added = &larger[report->contribution_count++];
    *added = (struct repeat_contribution){.machine = machine,
                                          .each = (double)NAN,
                                          .low = (double)NAN,
                                          .high = (double)NAN,
                                          .residual = (double)NAN};
    snprintf(added->event, sizeof(added->event), "%s", event);
    snprintf(added->of, sizeof(added->of), "%s", disturbance_names[disturbance]);
    return added;
}

/* Fills those that this way of asking answers and that are not known yet. */
static int ask(const struct asked *asked, struct repeat_contribution *found)
{
    AUTO_SURPLUS struct surplus_list list = {0};
    struct surplus_fit fit;
    size_t programs;
    bool firm;
    if (gather(asked, &list, &programs, &firm) < 0 ||
        surplus_fit(&list, asked->interrupts, &fit) < 0)
        return -ENOMEM;
    for (int i = 0; i < DISTURBANCES; i++) {
        if (!fit.known[i] || found[i].known)
            continue;
        found[i].known = true;
        found[i].each = fit.each[i];
        found[i].low = fit.low[i];
        found[i].high = fit.high[i];
        found[i].residual = fit.residual;
        found[i].runs = list.count;
        found[i].programs = programs;
        found[i].firm = firm;
    }
    return 0;
}

static void say_why(const struct asked *asked, enum disturbance disturbance, char *why, size_t size)
{
    bool told = false;
    size_t runs = 0;
    for (size_t i = 0; i < asked->file->cell_count; i++) {
        const struct repeat_cell *cell = &asked->file->cells[i];
        if (cell->machine != asked->machine || !has_hardware_event(cell, asked->event))
            continue;
        for (size_t run = 0; run < cell->runs; run++, runs++)
            told = told || cell->list[run].has_interrupts;
    }
    if (disturbance == DISTURBANCE_INTERRUPT && !told)
        snprintf(why, size,
                 "no run tells its interrupts: it was not pinned to a CPU, or "
                 "/proc/interrupts cannot be read there");
    else
        snprintf(why, size,
                 "of %zu runs too few differ in it, and no program of known length was counted "
                 "that does",
                 runs);
}

/* Truths first, with interrupts beside faults and then without; then programs, in the same way. */
static int judge_event(const struct repeat_case *file, size_t machine, const char *event,
                       struct repeat_report *report)
{
    const uint32_t controls = most_controlled(file, machine, event);
    const size_t first = report->contribution_count;
    struct asked asked = {file, machine, event, false, false, controls};
    for (int i = 0; i < DISTURBANCES; i++)
        if (!add(report, machine, event, (enum disturbance)i))
            return -ENOMEM;
    struct repeat_contribution *found = &report->contributions[first];
    for (int way = 0; way < 4; way++) {
        asked.by_truth = way < 2;
        asked.interrupts = way % 2 == 0;
        if (ask(&asked, found) < 0)
            return -ENOMEM;
    }
    for (int i = 0; i < DISTURBANCES; i++)
        if (!found[i].known)
            say_why(&asked, (enum disturbance)i, found[i].why, sizeof(found[i].why));
    return 0;
}

static bool is_judged(const struct repeat_report *report, size_t machine, const char *event)
{
    for (size_t i = 0; i < report->contribution_count; i++)
        if (report->contributions[i].machine == machine &&
            strcmp(report->contributions[i].event, event) == 0)
            return true;
    return false;
}

static int judge_machine(const struct repeat_case *file, size_t machine,
                         struct repeat_report *report)
{
    int error = 0;
    for (size_t i = 0; i < file->cell_count && !error; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        for (uint32_t event = 0; event < cell->events && !error; event++)
            if (cell->machine == machine && has_hardware_event(cell, cell->event[event]) &&
                is_decided(cell->class[event]) && !is_judged(report, machine, cell->event[event]))
                error = judge_event(file, machine, cell->event[event], report);
    }
    return error;
}

/* Why the machine has no counter of instructions, where it was asked for one. */
static int say_none(const struct repeat_case *file, size_t machine, struct repeat_report *report)
{
    static const char event[] = "instructions:u";
    const char *reason = "no counter of the CPU counted instructions";
    for (size_t i = 0; i < file->absence_count; i++)
        if (strncmp(file->absences[i].what, "instructions", strlen("instructions")) == 0)
            reason = file->absences[i].reason;
    for (int i = 0; i < DISTURBANCES; i++) {
        struct repeat_contribution *added = add(report, machine, event, (enum disturbance)i);
        if (!added)
            return -ENOMEM;
        snprintf(added->why, sizeof(added->why), "%.*s", reason_first_sentence(reason), reason);
    }
    return 0;
}

int repeat_judge_contributions(const struct repeat_case *file, struct repeat_report *report)
{
    int error = 0;
    for (size_t machine = 0; machine < file->machine_count && !error; machine++) {
        const size_t before = report->contribution_count;
        error = judge_machine(file, machine, report);
        if (!error && report->contribution_count == before)
            error = say_none(file, machine, report);
    }
    return error;
}
