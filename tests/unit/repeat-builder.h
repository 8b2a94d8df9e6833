/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes cases for the judge of repetition: machines, programs, cells, and runs with given counts,
 * system calls and functions; and whole planted programs, whose counts vary as long as certain
 * controls are off. Cells and programs are named by index, since adding one may move the others. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case.h"
#include "stats/random.h"
#include "studies/repeat/study.h"

#define REPEAT_BUILT_EVENTS 4

struct repeat_builder {
    struct repeat_case file;
    struct memory_scope scope; /* of all that it makes, and of what is judged meanwhile */
    struct random random;
};

/* What all executions of a cell have in common. Zeroes are sensible: machine 0, program 0, as-is,
 * neither swept nor watched, counted by perf_event as instructions:u. */
struct repeat_way {
    size_t machine, program;
    const char *source; /* NULL: "perf_event" */
    uint32_t controls;
    enum command_sweep sweep;
    uint64_t swept;
    enum command_detail detail;
    const char *events[REPEAT_BUILT_EVENTS];  /* none: "instructions:u", or of another source
                                                 "SOURCE/instructions/" and, where raw is set,
                                                 "SOURCE/instructions-raw/" */
    const char *classes[REPEAT_BUILT_EVENTS]; /* NULL: "instructions" */
    bool raw;
};

static inline void repeat_build_start(struct repeat_builder *builder, uint64_t seed)
{
    memset(builder, 0, sizeof(*builder));
    memory_scope_begin(&builder->scope);
    random_seed(&builder->random, seed);
}

static inline void repeat_build_end(struct repeat_builder *builder)
{
    memory_scope_end(&builder->scope);
}

/* Its end is that of the block. */
#define AUTO_BUILDER __attribute__((cleanup(repeat_build_end))) struct repeat_builder

/* --- chance --- */

static inline double repeat_built_uniform(struct repeat_builder *builder)
{
    return (double)(random_next(&builder->random) >> 11) / 9007199254740992.0;
}

/* Standard normal. */
static inline double repeat_built_normal(struct repeat_builder *builder)
{
    double radius = sqrt(-2 * log(1 - repeat_built_uniform(builder)));
    return radius * cos(6.283185307179586 * repeat_built_uniform(builder));
}

/* --- machines and programs --- */

static inline size_t repeat_build_machine(struct repeat_builder *builder, const char *name,
                                          const char *fingerprint)
{
    struct repeat_machine *machine =
        memory_add(builder->file.machines, builder->file.machine_count);
    machine->name = memory_copy(name);
    machine->fingerprint = memory_copy(fingerprint);
    return builder->file.machine_count - 1;
}

static inline size_t repeat_build_program(struct repeat_builder *builder, const char *name,
                                          const char *words)
{
    struct repeat_program *program =
        memory_add(builder->file.programs, builder->file.program_count);
    program->name = memory_copy(name);
    program->words = memory_copy(words);
    program->subject_name = memory_copy("");
    program->shows = memory_copy("");
    program->bits = 64;
    return builder->file.program_count - 1;
}

/* A program of the kit: "loop", what it shows ("M8 M10"), its truth (negative: none) and bits. Its
 * N in its words is n. */
static inline size_t repeat_build_subject(struct repeat_builder *builder, const char *name,
                                          uint64_t n, const char *shows, int64_t truth, int bits)
{
    char words[128];
    char full[96];
    snprintf(words, sizeof(words), SUBJECT_WORD "%s %llu", name, (unsigned long long)n);
    snprintf(full, sizeof(full), SUBJECT_WORD "%s", name);
    size_t index = repeat_build_program(builder, full, words);
    struct repeat_program *program = &builder->file.programs[index];
    program->subject = true;
    program->subject_name = memory_copy(name);
    program->shows = memory_copy(shows);
    program->bits = bits;
    program->has_truth = truth >= 0;
    program->truth = truth >= 0 ? truth : 0;
    return index;
}

static inline void repeat_build_absence(struct repeat_builder *builder, const char *what,
                                        const char *reason, int error)
{
    struct repeat_absence *absence =
        memory_add(builder->file.absences, builder->file.absence_count);
    absence->what = memory_copy(what);
    absence->reason = memory_copy(reason);
    absence->error = error;
}

/* --- cells --- */

static inline void repeat_built_event(struct repeat_cell *cell, const char *event,
                                      const char *class)
{
    cell->event[cell->events] = memory_copy(event);
    cell->class[cell->events++] = memory_copy(class ? class : "instructions");
}

/* A cell without runs; its index. */
static inline size_t repeat_build_cell(struct repeat_builder *builder, const struct repeat_way *way)
{
    struct repeat_cell *cell = memory_add(builder->file.cells, builder->file.cell_count);
    const char *source = way->source ? way->source : "perf_event";
    cell->at = (struct repeat_place){way->machine, way->program};
    cell->source = memory_copy(source);
    cell->controls = way->controls;
    cell->sweep = way->sweep;
    cell->swept = way->swept;
    cell->detail = way->detail;
    cell->event = memory_new(REPEAT_BUILT_EVENTS + 1, sizeof(*cell->event));
    cell->class = memory_new(REPEAT_BUILT_EVENTS + 1, sizeof(*cell->class));
    for (size_t i = 0; i < REPEAT_BUILT_EVENTS && way->events[i]; i++)
        repeat_built_event(cell, way->events[i], way->classes[i]);
    if (!cell->events) {
        char event[64] = "instructions:u";
        if (strcmp(source, "perf_event") != 0)
            snprintf(event, sizeof(event), "%s/instructions/", source);
        repeat_built_event(cell, event, "instructions");
    }
    if (way->raw) {
        char event[64];
        snprintf(event, sizeof(event), "%s/instructions-raw/", source);
        repeat_built_event(cell, event, "instructions-raw");
    }
    if (way->detail == DETAIL_CALLS)
        cell->call_begins = memory_new(1, sizeof(*cell->call_begins));
    return builder->file.cell_count - 1;
}

/* One more execution of the cell: a count for each of its events. It ended with status 0, alone,
 * scheduled all the time, and wrote what all others wrote; what the result points to may be changed
 * until the next one is added. */
static inline struct repeat_run *repeat_build_run(struct repeat_builder *builder, size_t index,
                                                  const uint64_t *counts)
{
    struct repeat_cell *cell = &builder->file.cells[index];
    const size_t runs = cell->runs + 1, events = cell->events;
    cell->list = memory_resize(cell->list, runs, sizeof(*cell->list));
    cell->counts = memory_resize(cell->counts, runs * events, sizeof(*cell->counts));
    cell->scheduled = memory_resize(cell->scheduled, runs * events, sizeof(*cell->scheduled));
    memcpy(&cell->counts[cell->runs * events], counts, events * sizeof(*counts));
    for (size_t event = 0; event < events; event++)
        cell->scheduled[cell->runs * events + event] = 1;
    if (cell->call_begins) {
        cell->call_begins = memory_resize(cell->call_begins, runs + 1, sizeof(*cell->call_begins));
        cell->call_begins[runs] = cell->call_begins[runs - 1];
    }
    struct repeat_run *run = &cell->list[cell->runs++];
    *run = (struct repeat_run){
        .process = (uint32_t)runs, .output_bytes = 12, .output_sum = 345, .nanoseconds = 1000000};
    run->tasks = run->processes = 1;
    return run;
}

/* The same count n times, in every event. */
static inline void repeat_build_same(struct repeat_builder *builder, size_t index, uint64_t count,
                                     size_t runs)
{
    uint64_t counts[REPEAT_BUILT_EVENTS + 1];
    for (size_t i = 0; i <= REPEAT_BUILT_EVENTS; i++)
        counts[i] = count;
    for (size_t run = 0; run < runs; run++)
        repeat_build_run(builder, index, counts);
}

/* One more system call of the cell's last execution. */
static inline void repeat_build_call(struct repeat_builder *builder, size_t index, uint32_t task,
                                     const char *name, const char *what, int64_t result,
                                     uint64_t asked, uint64_t sum)
{
    struct repeat_cell *cell = &builder->file.cells[index];
    const size_t count = cell->call_begins[cell->runs];
    cell->calls = memory_resize(cell->calls, count + 1, sizeof(*cell->calls));
    cell->calls[count] = (struct repeat_call){.position = count - cell->call_begins[cell->runs - 1],
                                              .task = task,
                                              .name = memory_copy(name),
                                              .what = memory_copy(what),
                                              .result = result,
                                              .asked = asked,
                                              .sum = sum};
    cell->call_begins[cell->runs]++;
}

/* One more function of the cell's first execution. */
static inline void repeat_build_function(struct repeat_builder *builder, size_t index,
                                         const char *object, const char *name, uint64_t count,
                                         uint64_t repetitions)
{
    struct repeat_cell *cell = &builder->file.cells[index];
    cell->functions =
        memory_resize(cell->functions, cell->function_count + 1, sizeof(*cell->functions));
    cell->functions[cell->function_count++] =
        (struct repeat_executed){memory_copy(object), memory_copy(name), count, repetitions};
}

/* --- planted programs --- */

/* How the counts of a program come about. All amounts are instructions. */
struct repeat_planted {
    double level;                 /* 0: a million */
    double varies[CONTROL_COUNT]; /* standard deviation, as long as the control is off */
    double shifts[CONTROL_COUNT]; /* what switching it on adds, in every run alike */
    double held;      /* on, what else varies stands this many standard deviations off its mean */
    uint32_t any;     /* varies by any_stdev as long as any of these controls is off */
    double any_stdev; /* … so that each of them is needed */
    uint32_t all;     /* varies by all_stdev only while all of these are off */
    double all_stdev; /* … so that each of them suffices */
    double noise;     /* standard deviation of the machine, whatever is controlled */
    double outliers;  /* chance that something adds outlier_size to a run, whatever is controlled */
    double outlier_size;
    double interrupts; /* mean number of interrupts, whatever is controlled */
    double each;       /* what one of them adds */
    uint32_t levels;   /* what varies takes one of so many values; 0: normal */
    size_t runs;       /* of each setting; 0: 12 */
};

/* What varies by stdev, in steps or not. */
static inline double repeat_built_varied(struct repeat_builder *builder,
                                         const struct repeat_planted *planted, double stdev)
{
    if (!(stdev > 0))
        return 0;
    if (planted->levels < 2)
        return stdev * repeat_built_normal(builder);
    const double n = planted->levels;
    const double step = stdev / sqrt((n * n - 1) / 12);
    return step * ((double)random_below(&builder->random, planted->levels) - (n - 1) / 2);
}

/* One execution of the planted program under these controls. */
static inline void repeat_build_planted_run(struct repeat_builder *builder, size_t index,
                                            const struct repeat_planted *planted)
{
    uint32_t on = builder->file.cells[index].controls;
    if (builder->file.cells[index].sweep == SWEEP_ASLR)
        on &= ~CONTROL_BIT(CONTROL_ASLR);
    double count = planted->level > 0 ? planted->level : 1e6;
    for (uint32_t control = 0; control < CONTROL_COUNT; control++) {
        if (on & CONTROL_BIT(control))
            count += planted->shifts[control] + planted->held * planted->varies[control];
        else
            count += repeat_built_varied(builder, planted, planted->varies[control]);
    }
    if (planted->any & ~on)
        count += repeat_built_varied(builder, planted, planted->any_stdev);
    if (planted->all && !(planted->all & on))
        count += repeat_built_varied(builder, planted, planted->all_stdev);
    count += planted->noise * repeat_built_normal(builder);
    if (planted->outliers > 0 && repeat_built_uniform(builder) < planted->outliers)
        count += planted->outlier_size;
    double interrupts = 0;
    if (planted->interrupts > 0)
        interrupts = fmax(0, round(planted->interrupts +
                                   sqrt(planted->interrupts) * repeat_built_normal(builder)));
    count += interrupts * planted->each;
    uint64_t counts[REPEAT_BUILT_EVENTS + 1];
    for (size_t i = 0; i <= REPEAT_BUILT_EVENTS; i++)
        counts[i] = count > 0 ? (uint64_t)llround(count) : 0;
    struct repeat_run *run = repeat_build_run(builder, index, counts);
    run->has_interrupts = planted->interrupts > 0;
    run->interrupts = (uint64_t)interrupts;
}

/* A cell of the planted program with its runs; its index. */
static inline size_t repeat_build_planted(struct repeat_builder *builder,
                                          const struct repeat_way *way,
                                          const struct repeat_planted *planted)
{
    size_t index = repeat_build_cell(builder, way);
    for (size_t run = 0; run < (planted->runs ? planted->runs : 12); run++)
        repeat_build_planted_run(builder, index, planted);
    return index;
}

/* As-is and controlled; with singles also every only-X and without-X. controls of the way are
 * those that "controlled" has on; 0: all. */
static inline void repeat_build_settings(struct repeat_builder *builder,
                                         const struct repeat_way *way,
                                         const struct repeat_planted *planted, bool singles)
{
    const uint32_t all = way->controls ? way->controls : CONTROLS_ALL;
    struct repeat_way setting = *way;
    setting.controls = 0;
    repeat_build_planted(builder, &setting, planted);
    setting.controls = all;
    repeat_build_planted(builder, &setting, planted);
    for (uint32_t control = 0; singles && control < CONTROL_COUNT; control++) {
        if (!(all & CONTROL_BIT(control)))
            continue;
        setting.controls = CONTROL_BIT(control);
        repeat_build_planted(builder, &setting, planted);
        setting.controls = all & ~CONTROL_BIT(control);
        repeat_build_planted(builder, &setting, planted);
    }
}

/* --- judging --- */

/* One machine, one program. */
static inline void repeat_begin(struct repeat_builder *builder, uint64_t seed)
{
    repeat_build_start(builder, seed);
    repeat_build_machine(builder, "a machine (x86_64)", "fingerprint-1");
    repeat_build_program(builder, "perl", "/usr/bin/perl -e 1");
}

#define WORLD(name, seed)                                                                          \
    AUTO_BUILDER name;                                                                             \
    repeat_begin(&(name), seed)

/* One machine alone. */
#define MACHINE(name, seed)                                                                        \
    AUTO_BUILDER name;                                                                             \
    repeat_build_start(&(name), seed);                                                             \
    repeat_build_machine(&(name), "a machine (x86_64)", "1")

static inline struct repeat_report repeat_judged(const struct repeat_builder *builder)
{
    struct repeat_report report;
    repeat_judge(&builder->file, 1, &report);
    return report;
}

/* Does it say this? */
#define assert_says(said, word)                                                                    \
    do {                                                                                           \
        if (!reasons_find(&(said), &repeat_words[word]))                                           \
            fail_msg("%s does not say %s", #said, repeat_words[word].code);                        \
    } while (0)

/* The number with this place in what is said first with this word. */
static inline double repeat_number_of(const struct reasons *said, enum repeat_word word,
                                      size_t place)
{
    const struct reason *reason = reasons_find(said, &repeat_words[word]);
    if (!reason || place >= reason->value_count)
        fail_msg("%s is not said", repeat_words[word].code);
    const struct reason_value *value = &reason->values[place];
    return value->kind == REASON_COUNT ? (double)value->count : value->number;
}

/* Words alone, which outlive the scope, until the next call. */
static inline struct reasons repeat_words_of(const struct reasons *said)
{
    static struct reason list[16];
    struct reasons words = {list, said->count < 16 ? said->count : 16};
    for (size_t i = 0; i < words.count; i++)
        list[i] = (struct reason){.words = said->list[i].words};
    return words;
}

/* How many worlds to try: `usual`, or ASSAY_TEST_SEEDS times as many where that is in the
 * environment (1 … 100). */
static inline uint32_t repeat_seeds(uint32_t usual)
{
    const char *times = getenv("ASSAY_TEST_SEEDS");
    const long factor = times ? strtol(times, NULL, 10) : 1;
    return usual * (uint32_t)(factor < 1 ? 1 : factor > 100 ? 100 : factor);
}

/* --- findings --- */

enum { M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11 };

/* Judges and checks what was built. */
static inline struct finding repeat_found(struct repeat_builder *builder, size_t which)
{
    struct repeat_report report = repeat_judged(builder);
    for (size_t i = 0; i < REPEAT_FINDINGS; i++) {
        const struct finding *finding = &report.findings[i];
        assert_non_null(finding->id);
        assert_true(finding->claim[0] && finding->figure[0] && finding->why.count);
        assert_true(!finding->has_estimate ||
                    (finding->low <= finding->estimate && finding->estimate <= finding->high));
    }
    struct finding finding = report.findings[which];
    finding.why = repeat_words_of(&finding.why);
    return finding;
}

#define assert_verdict(one, wanted)                                                                \
    do {                                                                                           \
        const struct finding judged_ = (one);                                                      \
        if (judged_.verdict != (wanted))                                                           \
            fail_msg("%s %s: %s", judged_.id, finding_verdict_names[judged_.verdict],              \
                     judged_.why.list[0].words->code);                                             \
    } while (0)
