/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Trials of the judge. */
#include "trial.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorded.h"

const char *const recording_names[RECORDINGS] = {"faults", "calls", "switches", "probes", "lab"};

void bench_set_up(struct bench *bench)
{
    const char *source = getenv("ASSAY_SOURCE");
    snprintf(bench->folder, sizeof(bench->folder), "%s/tests/judge", source ? source : ".");
    char file[sizeof(bench->folder) + 20];
    snprintf(file, sizeof(file), "%s/specimens.txt", bench->folder);
    specimens_read(file, &bench->specimens);
}

static bool is_listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *found = strstr(names, name); found; found = strstr(found + 1, name))
        if ((found == names || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0'))
            return true;
    return names[0] == '\0';
}

static const struct countable *draw_countable(struct random *random, const struct trial *trial)
{
    const struct plant *plant = trial->plant;
    for (;;) {
        /* Half of all events are instructions: nothing else has as many ways to err. */
        size_t drawn = random_below(random, 2 * countable_count);
        const struct countable *countable = &countables[drawn < countable_count ? drawn : 0];
        /* Noise that a size can be a multiple of is that of hardware. */
        if (trial->ratio > 0 && !countable->is_hardware)
            continue;
        if (!plant || is_listed(plant->events, countable->event))
            return countable;
    }
}

/* A clean machine may be any. */
static enum world draw_world(struct random *random, const struct plant *plant,
                             const struct machine *machine)
{
    if (plant)
        return plant->world;
    enum world world = (enum world)random_below(random, 2 * WORLDS);
    const bool is_usual = world >= WORLDS || world == WORLD_USUAL;
    return is_usual || (world != WORLD_LONG && !machine->countable->is_hardware) ? WORLD_USUAL
                                                                                 : world;
}

static struct noise simulate(const struct bench *bench, const struct trial *trial,
                             struct random *random, struct case_file *file, enum world *world)
{
    struct machine machine;
    machine_draw(random, draw_countable(random, trial), trial->noise, &machine);
    const struct plant *plant = trial->plant;
    machine.has_twin = plant && plant->needs_twin;
    machine.two_core_types = plant && plant->needs_core_types;
    machine_enter(random, &machine, draw_world(random, plant, &machine));
    *world = machine.world;
    machine.ignores_filter = plant && plant->leaks_cycles;
    if (plant && plant->is_quiet)
        machine.noise = (struct noise){.kind = NOISE_NONE,
                                       .disturbed = machine.noise.disturbed,
                                       .disturbed_by = machine.noise.disturbed_by};
    machine.multiplexes = machine.countable->is_hardware && !plant && random_below(random, 10) == 0;
    if (plant && plant->needs_opcode)
        for (size_t i = 0; i < 3; i++)
            machine_want(&machine, (const char *const[]){"fldcw", "locked", "atomics"}[i]);
    if (plant && plant->needs_mixes)
        for (size_t i = 0; i < 4; i++)
            machine_want(&machine, (const char *const[]){"calls", "jumps", "loads", "stores"}[i]);
    if (trial->is_narrow || machine.two_core_types)
        machine.specimens = 7;
    if (trial->relative > 0)
        machine.noise.relative = trial->relative;
    clean_case(random, &bench->specimens, &machine, file);
    return machine.noise;
}

/* Which of its events is looked at. */
static size_t record(const struct bench *bench, const struct trial *trial, struct random *random,
                     struct case_file *file)
{
    char name[sizeof(bench->folder) + 40];
    snprintf(name, sizeof(name), "%s/recorded/%s.txt", bench->folder,
             recording_names[trial->recording]);
    recording_read(name, file);
    return random_below(random, file->event_count);
}

static bool can_be_planted(const struct plant *plant, const struct evidence *evidence,
                           const struct planting *planting, bool is_recorded)
{
    if (is_recorded && (plant->needs_twin || plant->needs_core_types || plant->world ||
                        !is_listed(plant->events, evidence->event)))
        return false;
    return !plant->needs_opcode || planting->opcode;
}

/* Planting in a copy tells the ratio of size 1; samples stay as they are. */
static double ratio_of_unit(const struct plant *plant, const struct planting *planting,
                            const struct evidence *evidence)
{
    struct planting unit = *planting;
    unit.size = 1;
    double largest = 0;
    for (size_t i = 0; i < evidence->point_count; i++) {
        const struct point *point = &evidence->points[i];
        double sum = 0;
        for (size_t j = 0; j < point->run_count; j++) {
            struct evidence_run run = point->runs[j];
            sum += fabs(plant->count(&unit, point, &run, (double)run.value) - (double)run.value);
        }
        if (point_shows_errors(point))
            largest = fmax(largest, sum / (double)point->run_count / point_noise(planting, point));
    }
    return largest;
}

/* Opcodes that are known to be miscounted on real machines come first. */
static void prefer_opcode(const struct trial *trial, struct planting *planting)
{
    static const char *const known[] = {"fldcw", "lock addq"};
    if (planting->opcode && trial->seed % 3 < 2)
        planting->opcode = known[trial->seed % 3];
}

static bool plant_in(const struct trial *trial, struct random *random, const struct noise *noise,
                     struct evidence *evidence, struct planting *planting, struct outcome *outcome)
{
    const struct plant *plant = trial->plant;
    planting_draw(random, plant, evidence, planting);
    planting->noise = noise;
    prefer_opcode(trial, planting);
    if (!can_be_planted(plant, evidence, planting, trial->recording >= 0))
        return false;
    double unit = trial->ratio > 0 ? ratio_of_unit(plant, planting, evidence) : 0;
    if (trial->ratio > 0 && unit == 0)
        return false;
    if (trial->ratio > 0)
        planting->size = trial->ratio / unit;
    size_t points_hit;
    outcome->ratio = plant_lie(plant, planting, evidence, &points_hit);
    snprintf(outcome->planted, sizeof(outcome->planted), "%s %g%s%s%s%s", plant->name,
             planting->size, planting->after_ns > 0 ? " late" : "",
             planting->share > 0 ? " share" : "", planting->opcode ? " opcode " : "",
             planting->opcode ? planting->opcode : "");
    /* What shows in one or two points has a size, but no shape that a cause could follow from. */
    if (plant->of_cycles)
        outcome->ratio = fmax(outcome->ratio, 3);
    return trial->ratio > 0 || outcome->ratio < 3 || points_hit >= 3 ||
           (plant->is_local && outcome->ratio > 0);
}

/* A code of the note. */
static bool is_told(const struct judgement *judgement, const char *code)
{
    for (size_t i = 0; i < judgement->why.count; i++)
        if (strcmp(judgement->why.list[i].words->code, code) == 0)
            return true;
    return false;
}

static bool is_detection(const struct plant *plant, const struct judgement *judgement)
{
    if (plant && plant->code && is_told(judgement, plant->code))
        return true;
    if (plant && !plant->is_harmless && plant->verdicts & VERDICT_BIT(VERDICT_UNJUDGED))
        return !verdict_is_trusted(judgement->verdict);
    switch (judgement->verdict) {
    case VERDICT_DEAD:
    case VERDICT_NOISY:
    case VERDICT_BIASED:
    case VERDICT_UNSCHEDULED:
        return true;
    default:
        return judgement->cause != CAUSE_NONE && judgement->cause != CAUSE_INTERFACE_OVERHEAD;
    }
}

/* The opcode stands first, and its factor is right to a tenth of a count, or two standard errors.
 */
static bool is_opcode_named(const struct plant *plant, const struct planting *planting,
                            const struct judgement *judgement)
{
    if (!plant->needs_opcode || judgement->explanation_count == 0)
        return false;
    const struct explanation *first = &judgement->explanations[0];
    double factor = strstr(plant->name, "not") ? -planting->size : planting->size;
    return strcmp(first->per, planting->opcode) == 0 &&
           (fabs(first->size - factor) < 0.1 || (first->low <= factor && factor <= first->high));
}

/* Windows of the same code differ by so much. */
#define ALIKE 1.2

/* Was it lied about in that run, by more than noise hides? */
static bool shows_lie(const struct plant *plant, const struct planting *planting,
                      const struct point *point, const struct evidence_run *run)
{
    struct evidence_run copy = *run;
    const double count = (double)run->value;
    return fabs(plant->count(planting, point, &copy, count) - count) >
           5 * point_noise(planting, point);
}

/* The longest window of the event that was right, where the note tells such windows from others or
 * all are said to be: that is how far a verdict may reach. */
static bool is_too_far(const struct plant *plant, const struct planting *planting,
                       const struct judgement *judgement)
{
    const bool tells = plant && plant->is_of_length &&
                       (judgement->verdict == VERDICT_EXACT || is_told(judgement, "long-windows"));
    uint64_t longest = 0;
    for (size_t i = 0; i < judgement->evidence->point_count; i++) {
        const struct point *point = &judgement->evidence->points[i];
        for (size_t j = 0; j < point->run_count; j++)
            if (point->runs[j].enabled > longest &&
                !(tells && shows_lie(plant, planting, point, &point->runs[j])))
                longest = point->runs[j].enabled;
    }
    return verdict_is_trusted(judgement->verdict) &&
           (double)judgement->limits.longest_ns > ALIKE * (double)longest;
}

/* Nothing is proven there, or the limits of what is are wide. */
static bool may_be_unjudged(enum world world, const struct judgement *judgement)
{
    return world == WORLD_MODELS || strcmp(judgement->evidence->event, "cycles:u") == 0;
}

static void set_against(const struct plant *plant, const struct planting *planting,
                        enum world world, const struct judgement *judgement,
                        struct outcome *outcome)
{
    outcome->verdict = judgement->verdict;
    outcome->cause = judgement->cause;
    outcome->is_detected = is_detection(plant, judgement);
    snprintf(outcome->event, sizeof(outcome->event), "%s", judgement->evidence->event);
    snprintf(outcome->note, sizeof(outcome->note), "%s", reasons_text(&judgement->why));
    outcome->is_too_far = is_too_far(plant, planting, judgement);
    if (!plant) {
        outcome->is_detected |=
            judgement->verdict == VERDICT_UNJUDGED && !may_be_unjudged(world, judgement);
        return;
    }
    outcome->is_right_verdict = plant->verdicts & VERDICT_BIT(judgement->verdict);
    outcome->is_right_cause = plant->causes & CAUSE_BIT(judgement->cause);
    outcome->is_named = is_opcode_named(plant, planting, judgement);
}

static void run(const struct bench *bench, const struct trial *trial, struct outcome *outcome)
{
    *outcome = (struct outcome){0};
    struct random random;
    random_seed(&random, trial->seed);
    struct case_file file = {0};
    struct planting planting = {0};
    size_t index = 0;
    struct noise noise = {0};
    enum world world = WORLD_USUAL;
    if (trial->recording >= 0)
        index = record(bench, trial, &random, &file);
    else
        noise = simulate(bench, trial, &random, &file, &world);
    if (!file.events) {
        fprintf(stderr, "a case without events\n");
        exit(1);
    }
    struct evidence *evidence = &file.events[index];
    if (trial->plant && !plant_in(trial, &random, trial->recording >= 0 ? NULL : &noise, evidence,
                                  &planting, outcome)) {
        outcome->is_void = true;
        return;
    }
    case_hide_interrupts(&file);
    struct judgements judgements = judge_case(&file);
    if (file.event_count > index + 1 && trial->recording < 0 &&
        (trial->plant ? trial->plant->of_cycles : trial->seed % 2) &&
        strcmp(file.events[index + 1].event, "cycles:u") == 0)
        index++;
    set_against(trial->plant, &planting, world, &judgements.list[index], outcome);
}

void trial_run(const struct bench *bench, const struct trial *trial, struct outcome *outcome)
{
    struct memory_scope scope;
    memory_scope_begin(&scope);
    run(bench, trial, outcome);
    memory_scope_end(&scope);
}
