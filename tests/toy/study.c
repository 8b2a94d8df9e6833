/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay toy: how many ticks an empty window takes. */
#include <errno.h>
#include <math.h>
#include <stddef.h>

#include "base/memory.h"
#include "engine/loading.h"
#include "engine/study.h"
#include "engine/told.h"
#include "output/figure.h"
#include "output/json.h"
#include "studies/toy/study.h"

/* ----------------------------------------------------------------------------------------------
 * What it keeps. */

struct toy_options {
    struct study_options study; /* first */
};

struct toy_run {
    struct studying studying; /* first */
    struct toy_case file;
    struct toy_report report;
};

/* ----------------------------------------------------------------------------------------------
 * The plan: what is wished for, the most important first. */

#define WINDOWS     50u /* in a process */
#define PROCESSES   8u
#define EXPECTED_NS 10000000u /* of a process, before any was seen */
#define RESERVE_MS  500u

static int prepare(void *kept, struct failure *failure)
{
    struct toy_run *run = kept;
    const struct catalogue *catalogue = run->studying.catalogue;
    const struct catalogue_absence *absence = absences_find(catalogue, "path", "clock");
    if (!catalogue_path(catalogue, "clock"))
        return fail_with(failure, -ENODEV, "windows cannot be timed here: %.300s",
                         absence ? absence->reason : "the probe has no path clock");
    const struct wish wish = {
        .processes = PROCESSES, .least = 1, .after = NO_WISH, .expected_ns = EXPECTED_NS};
    struct cell cell = plan_copy(&(struct cell){.events = {(char[]){"clock/ticks/"}},
                                                .counters = 1,
                                                .path = (char[]){"clock"},
                                                .pattern = PATTERN_RR,
                                                .specimen = (char[]){"null"},
                                                .opt = (char[]){"O2"},
                                                .link = (char[]){"static"},
                                                .runs = WINDOWS,
                                                .cpu = -1});
    wishes_add(&run->studying.wishes, &wish, &cell);
    return 0;
}

static int measure(void *kept)
{
    static const char *const stages[] = {"empty windows"};
    static const struct pacing pacing = {.all = "all windows",
                                         .stage_names = stages,
                                         .stages = 1,
                                         .unit = "cell",
                                         .longer = "give a larger --budget",
                                         .reserve = RESERVE_MS,
                                         .portions = 2};
    return study_measure(kept, &pacing);
}

/* ----------------------------------------------------------------------------------------------
 * From the store to the judge. */

static int take_cell(void *context, const struct stored_cell *stored, size_t *place)
{
    (void)context, (void)stored;
    *place = 0;
    return 0;
}

static int take_run(void *context, const struct read_run *run)
{
    struct toy_case *file = context;
    *memory_add(file->ticks, file->count) = (double)run->values[0];
    return 0;
}

static int load(void *kept, struct store *store, struct failure *failure)
{
    struct reader reader = {.store = store,
                            .failure = failure,
                            .context = &((struct toy_run *)kept)->file,
                            .cell = take_cell,
                            .run = take_run};
    return reader_read(&reader);
}

static int judge(void *kept, struct failure *failure)
{
    struct toy_run *run = kept;
    (void)failure;
    run->report = toy_judge(&run->file);
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * What it says: for people, for programs, on a page. */

static const char *nothing(const void *kept)
{
    const struct toy_run *run = kept;
    return finish_nothing(run->file.count, run->studying.complete);
}

static void put_report(const void *kept, const struct style *style, struct text *out)
{
    static const struct column columns[] = {{"windows", true, false, false},
                                            {"least", true, false, false},
                                            {"median", true, false, false},
                                            {"most", true, false, false},
                                            {"verdict", false, false, false}};
    const struct toy_run *run = kept;
    struct table table = {columns, sizeof(columns) / sizeof(*columns), NULL, 0};
    deliver_put_machine(run->studying.facts, style, out);
    table_addf(&table, TONE_PLAIN, "%zu", run->file.count);
    table_addf(&table, TONE_PLAIN, "%g", run->report.least);
    table_addf(&table, TONE_PLAIN, "%g", run->report.median);
    table_addf(&table, TONE_PLAIN, "%g", run->report.most);
    table_add(&table, run->report.steady ? TONE_GOOD : TONE_WARN,
              run->report.steady ? "steady" : "not steady");
    table_put(&table, style, out);
    table_free(&table);
    skips_put(&run->studying.skips, style, out);
}

static json_t *results(const void *kept)
{
    const struct toy_run *run = kept;
    json_t *rows = json_array(), *row = json_object();
    json_object_set_new(row, "windows", json_integer((json_int_t)run->file.count));
    json_object_set_new(row, "least", figure_number(run->report.least));
    json_object_set_new(row, "median", figure_number(run->report.median));
    json_object_set_new(row, "most", figure_number(run->report.most));
    json_array_append_new(rows, row);
    return rows;
}

static json_t *analysis(const void *kept)
{
    const struct toy_run *run = kept;
    json_t *object = json_object();
    json_object_set_new(object, "steady", json_boolean(run->report.steady));
    return object;
}

static json_t *figures(const void *kept)
{
    static const struct figure_column columns[] = {
        {"window", "window", ROLE_X, false}, {"ticks", "ticks", ROLE_Y, false}, {0}};
    const struct toy_run *run = kept;
    json_t *figures = json_array();
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "toy-windows",
        .title = "How many ticks an empty window takes",
        .caption = "Each dot is one window with nothing in it.",
        .kind = FIGURE_POINTS,
        .x = {"window, in the order in which they were measured", SCALE_LINEAR, true},
        .y = {"ticks", SCALE_LOG, false},
        .columns = columns,
    });
    for (size_t i = 0; i < run->file.count && i < FIGURE_MOST_ROWS; i++)
        FIGURE_ROW(figure, json_integer((json_int_t)i), figure_number(run->file.ticks[i]));
    figures_append(figures, figure);
    return figures;
}

/* --- for reports and `run` --- */

static void lead(const void *kept, struct lead *sentences)
{
    const struct toy_run *run = kept;
    AUTO_TEXT struct text sentence = {0};
    text_printf(&sentence, "An empty window takes %g ticks, and is %s.", run->report.median,
                run->report.steady ? "steady" : "not steady");
    told_say(sentences, text_string(&sentence));
}

static const struct study_told told = {
    .title = "How long nothing takes",
    .lead = lead,
    .part = {.turn = 7,
             .quick_s = 1,
             .full_s = 2,
             .emulated_s = 10,
             .least_s = 1,
             .emulated_least_s = 5,
             .rank = 6},
};

/* ----------------------------------------------------------------------------------------------
 * The command, and its entry in the driver. */

static const struct study study = {
    .size = sizeof(struct toy_run),
    .no_arguments = "there is nothing to name",
    .prepare = prepare,
    .adopt = study_adopt,
    .measure = measure,
    .load = load,
    .judge = judge,
    .nothing = nothing,
    .put_report = put_report,
    .results = results,
    .analysis = analysis,
    .figures = figures,
    .told = &told,
};

#define FIELD(name) offsetof(struct toy_options, study.name)

static const struct option_spec specs[] = {
    {0, "budget", OPTION_BUDGET | OPTION_MEASURES | OPTION_STAYS, "TIME",
     "spend about TIME: 5s, 1m", FIELD(budget), "5s"},
    OPTION_ROW_FROM(FIELD(from)),
    {0, "seed", OPTION_SEED, "SEED", "draw the order of the processes from SEED", FIELD(seed),
     NULL},
    OPTION_ROW_STORE(FIELD(store)),
    OPTION_ROW_RESUME(FIELD(resume)),
    {0},
};

const struct command command_toy = {
    .name = "toy",
    .group = GROUP_STUDY,
    .summary = "how many ticks an empty window takes",
    .synopsis = "[options]",
    .description = "Times windows with nothing in them.",
    .examples = "# how long does nothing take?\n"
                "assay toy",
    .options = specs,
    .options_size = sizeof(struct toy_options),
    .study = &study,
};
