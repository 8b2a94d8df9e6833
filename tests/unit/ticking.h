/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A loop on a machine whose timer ticks: periodic, with another phase in every process, the runs of
 * a process one after the other, ticks of different size, and processes in one of two states. For
 * tests of what duration does to counts. */
#pragma once

#include "error-builder.h"

struct ticking {
    double period;    /* iterations between two ticks */
    double each;      /* mean of what one adds */
    double dear;      /* share of ticks that add three times as much more than the others */
    double state;     /* what half of the processes add to every run */
    double leak;      /* what every iteration adds by itself */
    double counting;  /* what counting interrupts adds to each */
    bool random_runs; /* the processes have different numbers of runs, 20 to 200 */
    /* --- of the process at hand --- */
    size_t process;
    double clock, own_state;
};

static inline double ticking_size(const struct ticking *ticking, struct random *random)
{
    /* each = usual * (1 + 3 * dear) */
    double usual = ticking->each / (1 + 3 * ticking->dear);
    return error_built_uniform(random) < ticking->dear ? 4 * usual : usual;
}

static inline double ticking_run(struct error_cell *cell, size_t process, size_t run, size_t index,
                                 struct random *random, void *context)
{
    struct ticking *ticking = context;
    if (run == 0) {
        ticking->process = process;
        ticking->clock = error_built_uniform(random) * ticking->period;
        ticking->own_state = error_built_uniform(random) < 0.5 ? ticking->state : 0;
    }
    double before = ticking->clock, added = ticking->own_state + ticking->leak * (double)cell->n;
    ticking->clock += (double)cell->n;
    uint64_t ticks =
        (uint64_t)(ticking->clock / ticking->period) - (uint64_t)(before / ticking->period);
    for (uint64_t tick = 0; tick < ticks; tick++)
        added += ticking_size(ticking, random) + (cell->interrupts ? ticking->counting : 0);
    if (cell->interrupts)
        cell->interrupts[index] = (double)ticks;
    /* Between two runs the harness does something of its own. */
    ticking->clock += error_built_uniform(random) * 0.02 * ticking->period;
    return added;
}

/* Processes measured differently long: of each some last runs are taken away. */
static inline void ticking_shorten(struct error_cell *cell, struct random *random, size_t least)
{
    size_t kept = 0, first = 0;
    for (size_t process = 0; process < cell->processes; process++) {
        size_t end = cell->begins[process + 1];
        size_t keep = least + (size_t)random_below(random, end - first - least + 1);
        memmove(cell->values + kept, cell->values + first, keep * sizeof(*cell->values));
        if (cell->interrupts)
            memmove(cell->interrupts + kept, cell->interrupts + first,
                    keep * sizeof(*cell->interrupts));
        kept += keep;
        first = end;
        cell->begins[process + 1] = kept;
    }
    cell->runs = kept;
}

/* A ladder of loops: truth 1 + 3 N in user mode, nothing of it in the kernel's. */
static inline void build_ticking(struct error_builder *builder, struct ticking *ticking,
                                 const char *event, const uint64_t *ladder, uint32_t processes,
                                 uint32_t runs, bool interrupts)
{
    for (; *ladder; ladder++) {
        struct error_way way = {.part = PART_DURATION,
                                .event = event,
                                .specimen = "loop",
                                .pattern = PATTERN_AO,
                                .n = *ladder,
                                .has_truth = true,
                                .truth = strstr(event, ":k") ? 0 : (int64_t)(1 + 3 * *ladder),
                                .counters = interrupts ? 2 : 1,
                                .others = interrupts ? "irq:irq_handler_entry" : "",
                                .processes = processes,
                                .runs = runs,
                                .times = interrupts,
                                .error = 1600,
                                .draw = ticking_run,
                                .context = ticking};
        struct error_cell *cell = build_error_cell(builder, &way);
        if (ticking->random_runs)
            ticking_shorten(cell, &builder->random, 20);
    }
}
