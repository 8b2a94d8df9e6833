/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Machines that are made up, for tests of the plan of `assay overhead`, and a look at what it
 * wishes of them. Include it after cmocka. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "studies/overhead/parts.h"
#include "wire/cell.h"

#define WORD(text) ((char *)(uintptr_t)(text))
#define ANYHOW     WORD("static,lazy,bind-now")
#define BOUND      WORD("lazy,bind-now")
#define OPERATION(path_, kind_, instrument_, effect_, when_, links_, ...)                          \
    {                                                                                              \
        .path = WORD(path_), .kind = WORD(kind_), .instrument = WORD(instrument_),                 \
        .effect = WORD(effect_), .when = WORD(when_), .links = (links_), .note = WORD(""),         \
        .page = WORD(""), __VA_ARGS__                                                              \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static struct catalogue_operation operations[] = {
    OPERATION("timer", "nothing", "timer", "keeps", "any", ANYHOW, ),
    OPERATION("timer", "gauge", "timer", "keeps", "any", ANYHOW, ),
    OPERATION("perf-read", "start", "perf", "starts", "stopped", ANYHOW, .binds = true),
    OPERATION("perf-read", "stop", "perf", "stops", "running", ANYHOW, .binds = true),
    OPERATION("perf-read", "read", "perf", "keeps", "any", ANYHOW, .binds = true),
    OPERATION("perf-syscall", "start", "perf", "starts", "stopped", ANYHOW, ),
    OPERATION("perf-syscall", "stop", "perf", "stops", "running", ANYHOW, ),
    OPERATION("perf-syscall", "read", "perf", "keeps", "any", ANYHOW, ),
    OPERATION("perf-user", "read", "perf", "keeps", "any", ANYHOW, .page = WORD("populated")),
    OPERATION("perf-user-cold", "read", "perf", "keeps", "any", ANYHOW, .page = WORD("cold")),
    OPERATION("perf-prctl", "start", "prctl", "starts", "stopped", ANYHOW, .alone = true),
    OPERATION("perf-prctl", "stop", "prctl", "stops", "running", ANYHOW, .alone = true),
    OPERATION("assay", "start", "assay", "starts", "stopped", WORD("static"), .binds = true),
    OPERATION("assay", "stop", "assay", "stops", "running", WORD("static"), .binds = true),
    OPERATION("assay", "read", "assay", "keeps", "any", WORD("static"), .binds = true),
    OPERATION("papi-low", "start", "papi", "starts", "stopped", BOUND, .binds = true),
    OPERATION("papi-low", "stop", "papi", "stops", "running", BOUND, .binds = true),
    OPERATION("papi-low", "read", "papi", "keeps", "any", BOUND, .binds = true),
    OPERATION("papi-low", "accum", "papi", "keeps", "running", BOUND, .binds = true),
    OPERATION("papi-high", "begin", "papi-high", "starts", "stopped", BOUND, .binds = true),
    OPERATION("papi-high", "end", "papi-high", "stops", "running", BOUND, .binds = true),
    OPERATION("command", "command", "command", "keeps", "any", WORD("static"), ),
    OPERATION("perf-stat", "command", "command", "keeps", "any", WORD("static"), ),
};
#pragma GCC diagnostic pop
static const struct catalogue catalogue = {
    .operations = operations, .operation_count = sizeof(operations) / sizeof(*operations)};
static const struct overhead_meters ticks[] = {{{"clock/ticks/"}, 1}};
static const struct overhead_meters instructions[] = {{{"instructions:u", "instructions:k"}, 2}};
static const struct overhead_meters both[] = {{{"clock/ticks/"}, 1},
                                              {{"instructions:u", "instructions:k"}, 2}};

static inline struct overhead_study plain_machine(void)
{
    return (struct overhead_study){.catalogue = &catalogue,
                                   .meters = ticks,
                                   .meters_count = 1,
                                   .counted = "page-faults",
                                   .cpu = 1,
                                   .seed = 42};
}

static inline struct overhead_study emulated_machine(void)
{
    struct overhead_study study = plain_machine();
    study.meters = instructions;
    study.counted = "instructions:u";
    study.emulated = true;
    return study;
}

static inline struct wishes wished(const struct overhead_study *study)
{
    struct wishes wishes = {0};
    struct failure failure = {0};
    assert_int_equal(overhead_wish(study, &wishes, &failure), 0);
    return wishes;
}

/* --- looking at wishes --- */

static inline const struct cell *cell_of_wish(const struct wishes *plan, size_t wish)
{
    return &plan->list[wish].cells[0];
}

/* Does one of its calls begin so? */
static inline bool calls(const struct cell *cell, const char *name)
{
    const char *at = cell->tour.calls;
    while ((at = strstr(at, name))) {
        if (at == cell->tour.calls || at[-1] == ',')
            return true;
        at++;
    }
    return false;
}

static inline size_t length_of(const struct cell *cell)
{
    size_t length = 1;
    for (const char *at = cell->tour.calls; *at; at++)
        length += *at == ',';
    return length;
}

struct looked_for {
    enum overhead_stage stage;
    const char *call, *without, *link; /* NULL: any */
    uint32_t open;                     /* 0: any */
};

#define LOOKED_FOR(...) ((struct looked_for){__VA_ARGS__})
/* What is wished for of a plain machine. */
#define PLAN(study, plan)                                                                          \
    struct overhead_study study = plain_machine();                                                 \
    struct wishes plan = wished(&(study))

static inline bool fits(const struct wish *wish, const struct looked_for *wanted)
{
    const struct cell *cell = &wish->cells[0];
    return wish->stage == wanted->stage && (!wanted->call || calls(cell, wanted->call)) &&
           (!wanted->without || !calls(cell, wanted->without)) &&
           (!wanted->link || strcmp(cell->link, wanted->link) == 0) &&
           (!wanted->open || cell->tour.open == wanted->open);
}

static inline size_t count_of(const struct wishes *plan, struct looked_for wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++)
        count += fits(&plan->list[i], &wanted);
    return count;
}

static inline const struct wish *first_of(const struct wishes *plan, struct looked_for wanted)
{
    for (size_t i = 0; i < plan->count; i++)
        if (fits(&plan->list[i], &wanted))
            return &plan->list[i];
    assert_true(false);
    return NULL;
}
