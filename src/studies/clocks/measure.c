/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store behind `assay clocks`: clocks and absences go into it before the first sample, so that
 * it can be judged without its machine; an unfinished one is gone on with as it began. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "engine/loading.h"
#include "engine/run-store.h"
#include "studies/clocks/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Clocks that a person brought along are read a few times before anything is planned: one that
 * cannot be read would spoil every look that it is part of, and how long a reading takes decides
 * how many of them a process makes. */

#define READINGS 4u
#define BLOCKS   3u
#define WAIT_MS  20000u
#define S_NS     1e9

/* One attempt. */
struct trial {
    double ticks; /* of the meter for a block, the fastest */
    bool moves;   /* in every block */
    bool failed;
    int error;
    char reason[400];
};

static int take_batch(void *context, const struct batch *batch, struct failure *failure)
{
    struct trial *trial = context;
    (void)failure;
    for (uint32_t run = 0; run < batch->runs && batch->counters == ROW_COLUMNS; run++) {
        const uint64_t *row = &batch->values[(size_t)run * ROW_COLUMNS];
        trial->moves &= row[ROW_FIRST] != row[ROW_LAST];
        trial->ticks = fmin(trial->ticks, (double)(row[ROW_AFTER] - row[ROW_BEFORE]));
    }
    return 0;
}

static int take_end(void *context, uint32_t cell, uint32_t process, enum visit_state state,
                    int error, const char *reason, struct failure *failure)
{
    struct trial *trial = context;
    (void)cell, (void)process, (void)failure;
    trial->failed = state == VISIT_FAILED;
    trial->error = error;
    snprintf(trial->reason, sizeof(trial->reason), "%s", reason ? reason : strerror(error));
    return 0;
}

/* Without a rate of the meter nobody knows: then as slow as it may be by its kind. */
static enum clocks_pace pace_of(const struct clocks_own *own, const struct trial *trial,
                                const struct catalogue_clock *meter)
{
    static const enum clocks_pace usual[] = {
        [EXTERNAL_OBJECT] = PACE_QUICK, [EXTERNAL_ASK] = PACE_SLOW, [EXTERNAL_RUN] = PACE_GLACIAL};
    if (!meter->hz || !isfinite(trial->ticks))
        return usual[own->clock.way];
    return clocks_pace_of(trial->ticks / (double)meter->hz * S_NS / READINGS);
}

static int try_one(struct clocks_run *run, struct clocks_own *own,
                   const struct catalogue_clock *meter, struct failure *failure)
{
    const char *const columns[ROW_COLUMNS] = {own->text, own->text,   own->text,
                                              own->text, meter->name, meter->name};
    const struct cell_watch watch = {
        .kind = WATCH_ROW, .length = READINGS, .threads = 1, .partner = -1};
    struct trial trial = {.ticks = INFINITY, .moves = true};
    const struct session_sink sink = {
        .context = &trial, .batch = take_batch, .visit_end = take_end};
    const struct visit visit = {.cell = 1};
    struct failure unread = {0};
    struct cell cell;
    clocks_cell(&cell, &watch, BLOCKS, run->scope.cpu, columns, ROW_COLUMNS);
    cell.id = 1;
    int error = session_run(run->studying.session, &cell, 1, &visit, 1, WAIT_MS, &sink, &unread);
    if (error == -ETIME)
        return fail_with(failure, -ENODEV,
                         "the clock '%s' cannot be read: it did not answer within %u s",
                         own->clock.name, WAIT_MS / 1000);
    if (error == -EINTR)
        return fail_with(failure, error, "interrupted");
    if (error < 0)
        return fail_with(failure, -EIO, "the clock '%s' cannot be read: %.300s", own->clock.name,
                         unread.text);
    if (trial.failed) /* the probe names the clock itself */
        return fail_with(failure, -ENODEV, "%s", trial.reason);
    own->pace = pace_of(own, &trial, meter);
    own->moves = isfinite(trial.ticks) && trial.moves;
    return 0;
}

int clocks_try_own(struct clocks_run *run, struct failure *failure)
{
    /* One whose rate is known, though others would tell shorter times. */
    const struct catalogue *catalogue = run->studying.catalogue;
    const char *name = clocks_meter(catalogue);
    const struct catalogue_clock *meter = catalogue_clock(catalogue, "monotonic-raw-syscall");
    int error = 0;
    if (!meter && name)
        meter = catalogue_clock(catalogue, name);
    for (size_t i = 0; i < run->own_count && meter && error == 0; i++)
        error = try_one(run, &run->own[i], meter, failure);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * Looks at the clocks of another machine by the clock of this one: the only witness that is made
 * of another counter wherever the machine under test has none itself. Each look is bracketed by
 * the controller's own readings, so how wide it is, is known. */

#define BURST   15u /* looks one after the other: the narrowest of them counts */
#define OUTSIDE "outside"

/* --- is it another machine? --- */

static bool own_boot_id(char *id, size_t size)
{
    AUTO_FILE FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file || !fgets(id, (int)size, file))
        return false;
    id[strcspn(id, "\n")] = '\0';
    return *id != '\0';
}

void clocks_find_outside(struct clocks_run *run)
{
    const char *theirs = facts_get(run->studying.facts, "boot.id");
    char ours[64] = "";
    run->outside_cell = -1;
    run->outside_count = clocks_quick_walls(&run->scope, run->outside_look, CELL_MAX_COUNTERS - 2);
    if (run->outside_count > CELL_MAX_COUNTERS - 2)
        run->outside_count = CELL_MAX_COUNTERS - 2;
    run->outside = theirs && own_boot_id(ours, sizeof(ours)) && strcmp(theirs, ours) != 0 &&
                   run->outside_count;
}

/* --- a burst of looks --- */

/* Rows as a batch wants them. */
struct burst {
    uint64_t values[BURST * CELL_MAX_COUNTERS];
    uint64_t times[BURST * CELL_MAX_COUNTERS]; /* zeros: these are no counters */
    struct account accounts[BURST];
    uint32_t columns;
};

/* The cell of all bursts, which the plan gets with the first. */
static void find_cell(struct clocks_run *run)
{
    const struct cell_watch watch = {.kind = WATCH_OUTSIDE, .threads = 1, .partner = -1};
    const char *columns[CELL_MAX_COUNTERS] = {OUTSIDE};
    struct cell cell;
    if (run->outside_cell >= 0)
        return;
    for (size_t i = 0; i < run->outside_count; i++)
        columns[i + 1] = run->outside_look[i];
    columns[run->outside_count + 1] = OUTSIDE;
    clocks_cell(&cell, &watch, BURST, -1, columns, run->outside_count + 2);
    run->outside_cell = (ptrdiff_t)wishes_add_cell(&run->studying.wishes, &cell);
}

/* A burst is planned, done and ended in one transaction: nobody else could make up for it. */
static int keep(struct clocks_run *run, const struct burst *burst, struct failure *failure)
{
    struct wishes *wishes = &run->studying.wishes;
    struct store *store = run->studying.store;
    find_cell(run);
    struct wished_cell *about = &wishes->about[run->outside_cell];
    const struct visit visit = {.cell = wishes->cells[run->outside_cell].id,
                                .process = about->planned};
    const struct batch batch = {.cell = visit.cell,
                                .process = visit.process,
                                .runs = BURST,
                                .counters = burst->columns,
                                .values = burst->values,
                                .enabled = burst->times,
                                .running = burst->times,
                                .accounts = burst->accounts};
    size_t first = wishes->stored;
    int error = store_put_plan(store, wishes->cells + first, wishes->cell_count - first, &visit, 1,
                               failure);
    if (error == 0)
        error = store_put_batch(store, &batch, failure);
    if (error == 0)
        error = store_end_visit(store, visit.cell, visit.process, VISIT_DONE, 0, NULL, failure);
    if (error == 0)
        error = store_commit(store, failure);
    if (error == 0) {
        wishes->stored = wishes->cell_count;
        about->planned++;
    }
    return error;
}

int clocks_look_from_outside(void *kept)
{
    struct clocks_run *run = kept;
    struct burst burst = {.columns = (uint32_t)run->outside_count + 2};
    struct failure failure = {0};
    int error = 0;
    if (!run->outside || interrupted)
        return EXIT_DONE;
    for (uint32_t i = 0; i < BURST && error == 0; i++) {
        uint64_t *row = &burst.values[(size_t)i * burst.columns];
        error = session_look(run->studying.session, run->outside_look, run->outside_count, row + 1,
                             &row[0], &row[burst.columns - 1], &failure);
    }
    if (error == -EINTR)
        return EXIT_DONE; /* whoever runs visits says so */
    if (error == -ENOENT || error == -EINVAL) {
        /* A clock that cannot be looked at leaves the machine without looks from outside, no more.
         */
        run->outside = false;
        skips_add(&run->studying.skips, "looks from outside", failure.text, -error);
        return EXIT_DONE;
    }
    if (error == 0)
        error = keep(run, &burst, &failure);
    return error < 0 ? deliver_failure("clocks", &failure, EXIT_FAILED) : EXIT_DONE;
}

/* --- a new one --- */

static bool is_watched(const struct clocks_run *run, const char *column)
{
    const struct wishes *wishes = &run->studying.wishes;
    for (size_t i = 0; i < wishes->count; i++)
        for (uint32_t j = 0; j < wishes->list[i].cells[0].counters; j++)
            if (strcmp(wishes->list[i].cells[0].events[j], column) == 0)
                return true;
    return false;
}

int clocks_put(void *kept, struct failure *failure)
{
    static const char *const ways[] = {
        [EXTERNAL_OBJECT] = "object", [EXTERNAL_ASK] = "ask", [EXTERNAL_RUN] = "run"};
    static const struct stored_clock outside = {
        .name = OUTSIDE,
        .kind = "wall",
        .way = "controller",
        .hardware = "outside",
        .claim = "the controller's operating system",
        .note = "CLOCK_MONOTONIC_RAW of the machine that asks, before and after it was answered",
        .hz = 1000000000};
    struct clocks_run *run = kept;
    struct store *store = run->studying.store;
    const struct catalogue *catalogue = run->studying.catalogue;
    const struct clocks_plan *plan = &run->plan;
    int error = 0;
    for (size_t i = 0; i < catalogue->clock_count && error == 0; i++) {
        const struct catalogue_clock *known = &catalogue->clocks[i];
        const struct stored_clock clock = {.name = known->name,
                                           .kind = known->kind,
                                           .way = known->way,
                                           .hardware = known->hardware,
                                           .claim = known->claim,
                                           .note = known->note,
                                           .hz = known->hz,
                                           .resolution_ps = known->resolution_ps,
                                           .slow = known->slow,
                                           .steered = known->steered};
        if (is_watched(run, known->name))
            error = store_put_clock(store, &clock, failure);
    }
    for (size_t i = 0; i < run->own_count && error == 0; i++) {
        const struct external_clock *own = &run->own[i].clock;
        const struct stored_clock clock = {.name = own->name,
                                           .kind = "wall",
                                           .way = ways[own->way],
                                           .hardware = "external",
                                           .claim = own->hz ? "whoever brought it along" : "",
                                           .note = "",
                                           .hz = own->hz,
                                           .slow = run->own[i].pace != PACE_QUICK};
        error = store_put_clock(store, &clock, failure);
    }
    if (error == 0 && run->outside)
        error = store_put_clock(store, &outside, failure);
    /* Who asked for some clocks does not miss the others. */
    if (error == 0 && !run->names.count)
        error = absences_put(catalogue, "clock", store, failure);
    for (size_t i = 0; i < plan->absence_count && error == 0; i++) {
        const struct stored_event event = {.name = plan->absences[i].what,
                                           .kind = "watch",
                                           .error = plan->absences[i].error,
                                           .reason = plan->absences[i].reason};
        error = store_put_event(store, &event, failure);
    }
    return error;
}

/* --- an unfinished one --- */

/* Clocks that began anew, and what was read of them before, have no common zero: whatever looks at
 * the beginning and at the end of a run would take that for their rate. */
int clocks_check_boot(const struct clocks_run *run, struct failure *failure)
{
    const char *now = facts_get(run->studying.facts, "boot.id");
    AUTO_FACTS struct facts facts = {0};
    int error = store_facts(run->studying.store, &facts, failure);
    const char *then = error == 0 ? facts_get(&facts, "boot.id") : NULL;
    if (error < 0 || !now || !then || strcmp(now, then) == 0 ||
        run_store_is_finished(run->studying.store))
        return error;
    return fail_with(failure, -ESTALE,
                     "the machine was booted since %.300s was begun, so its clocks began anew and "
                     "the run cannot go on: judge what there is with --from, or begin another one",
                     store_path(run->studying.store));
}

/* Among its cells may be that of looks from outside, with the clocks that can be looked at now. */
int clocks_adopt(void *kept, struct failure *failure)
{
    struct clocks_run *run = kept;
    int error = study_adopt(&run->studying, failure);
    for (size_t i = 0; i < run->studying.wishes.cell_count; i++) {
        const struct cell *cell = &run->studying.wishes.cells[i];
        bool same = cell->watch.kind == WATCH_OUTSIDE && cell->counters == run->outside_count + 2;
        for (size_t j = 0; j < run->outside_count && same; j++)
            same = strcmp(cell->events[j + 1], run->outside_look[j]) == 0;
        if (same)
            run->outside_cell = (ptrdiff_t)i;
    }
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * From a store to the case: what the machine claims, its clocks, what could not be had, the watches
 * with their factors, then all readings. */

/* --- the readings, look by look --- */

struct load {
    struct store *store;
    struct clocks_case *file;
    struct failure *failure;
    size_t *looks; /* [watch_count] taken so far */
};

static int take_process(void *context, size_t place, uint32_t process)
{
    const struct load *load = context;
    struct clock_watch *watch = &load->file->watches[place];
    size_t begins = watch->processes + 1;
    (void)process;
    watch->begins[watch->processes++] = load->looks[place];
    watch->begins = memory_room(watch->begins, begins, sizeof(*watch->begins));
    return 0;
}

/* Values are taken as they are: any 64 bits may be a reading. */
static int take_look(void *context, const struct read_run *run)
{
    const struct load *load = context;
    struct clock_watch *watch = &load->file->watches[run->place];
    size_t look = load->looks[run->place]++;
    watch->accounts = memory_room(watch->accounts, look, sizeof(*watch->accounts));
    watch->values = memory_room(watch->values, look, watch->columns * sizeof(*watch->values));
    watch->accounts[look] = run->account;
    memcpy(&watch->values[look * watch->columns], run->values,
           watch->columns * sizeof(*watch->values));
    return 0;
}

/* What is beyond the last whole group goes, and a process that has none. */
static int end_process(void *context, size_t place, uint32_t process)
{
    const struct load *load = context;
    struct clock_watch *watch = &load->file->watches[place];
    const size_t group = watch_group(watch->kind, watch->threads);
    const size_t begin = watch->begins[watch->processes - 1];
    const size_t whole = (load->looks[place] - begin) / group * group;
    (void)process;
    load->looks[place] = begin + whole;
    watch->processes -= !whole;
    watch->begins[watch->processes] = begin + whole;
    return 0;
}

/* --- the machine --- */

/* The words of `available` but for `current`. */
static char *name_others(const char *available, const char *current)
{
    struct text line = {0};
    for (const char *word = available ? available : ""; *(word += strspn(word, " \t\n"));) {
        const size_t length = strcspn(word, " \t\n");
        if (!current || strlen(current) != length || memcmp(word, current, length) != 0)
            text_printf(&line, "%s%.*s", line.length ? " " : "", (int)length, word);
        word += length;
    }
    return memory_text(&line);
}

static double read_ppm(const char *text)
{
    char *end;
    const double ppm = text ? strtod(text, &end) : NAN;
    return text && end != text && !*end && isfinite(ppm) ? ppm : NAN;
}

static int take_machine(struct load *load)
{
    AUTO_FACTS struct facts facts = {0};
    struct clocks_case *file = load->file;
    int error = store_facts(load->store, &facts, load->failure);
    if (error)
        return error;
    const char *current = facts_get(&facts, "clock.current");
    const char *flags = facts_get(&facts, "clock.flags");
    size_t count;
    core_allowed(&facts, &count);
    file->cpus = (uint32_t)count;
    file->emulated = facts_get(&facts, "emulated") != NULL;
    file->steered_ppm = read_ppm(facts_get(&facts, "clock.steered_ppm"));
    file->available = name_others(facts_get(&facts, "clock.available"), current);
    file->clocksource = memory_copy(current ? current : "");
    file->flags = memory_copy(flags ? flags : "");
    return 0;
}

/* --- clocks, and what could not be had --- */

static int role_of(const char *kind)
{
    for (int role = 0; role < CLOCK_ROLES; role++)
        if (strcmp(kind, clock_role_names[role]) == 0)
            return role;
    return -1;
}

static int take_clock(void *context, const struct stored_clock *stored)
{
    struct load *load = context;
    const int role = role_of(stored->kind);
    if (role < 0)
        return fail_with(load->failure, -EBADMSG,
                         "the store %.300s has a clock %.80s of the kind '%.40s', which means "
                         "nothing to this assay. Take a copy you trust.",
                         store_path(load->store), stored->name, stored->kind);
    *memory_add(load->file->clocks, load->file->clock_count) =
        (struct clock_known){.name = memory_copy(stored->name),
                             .way = memory_copy(stored->way),
                             .hardware = memory_copy(stored->hardware),
                             .claim = memory_copy(stored->claim),
                             .note = memory_copy(stored->note),
                             .role = (enum clock_role)role,
                             .hz = stored->hz,
                             .resolution_ns = (double)stored->resolution_ps / 1000,
                             .steered = stored->steered,
                             .external = strcmp(stored->hardware, "external") == 0};
    return 0;
}

static int take_absence(void *context, const struct stored_event *event)
{
    struct clocks_case *file = ((const struct load *)context)->file;
    *memory_add(file->absences, file->absence_count) =
        (struct clock_absence){memory_copy(event->name), memory_copy(event->reason), event->error};
    return 0;
}

/* --- watches --- */

/* Do the columns before hold this clock, where its kind has each once? A user's clock may have the
 * name of another. */
static bool is_twice(const struct clock_watch *watch, uint32_t column)
{
    const bool answered = watch->kind == WATCH_OUTSIDE && column == watch->columns - 1;
    if (watch->kind == WATCH_ROW || watch->kind == WATCH_STEPS)
        return false;
    for (uint32_t before = answered ? 1 : 0; before < column; before++)
        if (watch->clocks[before] == watch->clocks[column])
            return true;
    return false;
}

static int take_columns(struct load *load, const struct cell *cell, struct clock_watch *watch)
{
    watch->clocks = memory_new(cell->counters, sizeof(*watch->clocks));
    for (watch->columns = 0; watch->columns < cell->counters; watch->columns++) {
        const uint32_t column = watch->columns;
        struct external_clock named;
        int index = -1;
        if (external_clock_parse(cell->events[column], &named, NULL) >= 0)
            index = clocks_index(load->file, named.name);
        if (index < 0)
            return fail_with(
                load->failure, -EBADMSG,
                "the store %.300s has a watch, cell %u, that reads %.80s, but does not "
                "say what that is. Take a copy you trust.",
                store_path(load->store), cell->id, cell->events[column]);
        watch->clocks[column] = (uint32_t)index;
    }
    for (uint32_t column = 0; column < watch->columns; column++)
        if (is_twice(watch, column))
            return fail_with(load->failure, -EBADMSG,
                             "the store %.300s has a watch, cell %u, with two clocks of the name "
                             "%.80s. Give the one that is yours another name.",
                             store_path(load->store), cell->id,
                             load->file->clocks[watch->clocks[column]].name);
    return 0;
}

static int take_cell(void *context, const struct stored_cell *stored, size_t *place)
{
    struct load *load = context;
    struct clocks_case *file = load->file;
    const struct cell_watch *asked = &stored->cell.watch;
    if (asked->kind == WATCH_NONE)
        return 0;
    const size_t index = file->watch_count;
    load->looks = memory_room(load->looks, index, sizeof(*load->looks));
    struct clock_watch *watch = memory_add(file->watches, file->watch_count);
    *watch = (struct clock_watch){.kind = asked->kind,
                                  .workload = memory_copy(asked->workload ? asked->workload : ""),
                                  .length = asked->length,
                                  .threads = asked->threads,
                                  .moves = asked->moves,
                                  .handover = asked->handover,
                                  .awake = asked->awake,
                                  .partner = asked->partner,
                                  .cpu = stored->cell.cpu,
                                  .begins = memory_new(1, sizeof(*watch->begins)),
                                  .failed = stored->failed,
                                  .error = stored->error};
    if (stored->failed)
        watch->reason = memory_copy(stored->reason ? stored->reason : strerror(stored->error));
    *place = index;
    return take_columns(load, &stored->cell, watch);
}

int clocks_load(struct store *store, struct clocks_case *file, struct failure *failure)
{
    struct load load = {.store = store, .file = file, .failure = failure};
    struct reader reader = {.store = store,
                            .failure = failure,
                            .context = &load,
                            .cell = take_cell,
                            .begin = take_process,
                            .run = take_look,
                            .end = end_process,
                            .run_word = "look",
                            .counter_word = "column"};
    *file = (struct clocks_case){.steered_ppm = NAN};
    int error = take_machine(&load);
    if (error == 0)
        error = store_each_clock(store, take_clock, &load, failure);
    if (error == 0)
        error = reader_each_absence(store, take_absence, &load, failure);
    return error == 0 ? reader_read(&reader) : error;
}
