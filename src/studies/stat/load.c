/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a store has of the executions of `assay stat`: readings of every event, and what became of
 * the command each time. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "engine/loading.h"
#include "stats/moments.h"
#include "studies/stat/study.h"

/* ----------------------------------------------------------------------------------------------
 * Figures and trust of the events of a command: what was loaded, laid before the judge. */

/* ns of a task that are the operating system's, from its birth or exec to where counting begins and
 * from where it ends to the task's end; generous, since machines are slow and emulated. */
#define STAT_STARTING_NS 10000000u

/* --- figures --- */

bool stat_is_averaged(const struct stat_run *run, size_t index)
{
    return !run->runs[index].broken_off || run->run_count == 1;
}

size_t stat_averaged(const struct stat_run *run)
{
    size_t count = 0;
    while (count < run->run_count && stat_is_averaged(run, count))
        count++;
    return count; /* the one that was broken off is the last */
}

double stat_seconds(const struct stat_run *run)
{
    const size_t count = stat_averaged(run);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)run->runs[i].nanoseconds / 1e9;
    return count ? sum / (double)count : 0;
}

double stat_relayed(const struct stat_run *run)
{
    const size_t count = stat_averaged(run);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += run->runs[i].relayed ? (double)run->runs[i].output_bytes : 0;
    return count ? sum / (double)count : 0;
}

static int by_value(const void *left, const void *right)
{
    const uint64_t a = ((const struct stat_reading *)left)->value,
                   b = ((const struct stat_reading *)right)->value;
    return (a > b) - (a < b);
}

/* What relaying added to the event, by programs of the kit that were relayed, in proportion to what
 * they wrote. The program's own pace decides how often it has to wait, and that is not theirs: the
 * bar is all that they showed. False: nothing is known of it. */
static bool judge_relaying(const struct stat_run *run, struct stat_event *event,
                           struct stat_evidence *evidence)
{
    const double bytes = stat_relayed(run);
    if (bytes <= 0)
        return true;
    for (size_t i = 0; i < 2; i++) {
        if (run->relay_counts[i] != STAT_RELAYS || !event->is_counted)
            return false;
        qsort(event->relays[i], STAT_RELAYS, sizeof(**event->relays), by_value);
    }
    const struct stat_reading *few = event->relays[0], *many = event->relays[1];
    const double scale = fmax(1, bytes / STAT_PAGE / STAT_MOST_PAGES);
    const size_t last = STAT_RELAYS - 1, middle = STAT_RELAYS / 2;
    evidence->relayed = scale * fmax(0, (double)many[middle].value - (double)few[middle].value);
    evidence->relayed_bar = scale * fmax(0, (double)many[last].value - (double)few[0].value);
    return true;
}

/* Counts too many that validation found for each of something; its upper limit. */
static double overcount(const struct stat_event *event, enum cause cause, const char *per)
{
    const struct judgement *verdict = event->verdict;
    for (size_t i = 0; verdict && i < verdict->explanation_count; i++) {
        const struct explanation *explanation = &verdict->explanations[i];
        if (explanation->cause == cause && strcmp(explanation->per, per) == 0)
            return fmax(fabs(explanation->low), fabs(explanation->high));
    }
    return 0;
}

enum stat_nature stat_nature_of(const struct stat_run *run, const struct stat_event *event)
{
    const char *class = event->class ? event->class : "";
    const bool stays = run->controls & CONTROL_BIT(CONTROL_CPU);
    if (stat_is_time(event))
        return STAT_OF_TIME;
    return strcmp(class, "context-switches") == 0 ||
                   (strcmp(class, "cpu-migrations") == 0 && !stays)
               ? STAT_OF_CHANCE
               : STAT_OF_WORK;
}

/* Why there is no count of a command that was executed. */
#define STAT_RIGHTS                                                                                \
    "the command gains rights when it is executed (set-user-ID, set-group-ID or capabilities), "   \
    "or "                                                                                          \
    "its file may not be read, and there the operating system stops counting; who has these "      \
    "rights "                                                                                      \
    "already can count it"

/* An execution of a program that gains rights ends the counters on it. That of the command itself
 * is known; of others below it the time on a CPU tells that nothing counted. */
static void judge_losses(struct stat_run *run, struct stat_event *event, size_t count)
{
    bool dropped = false, partial = false;
    for (size_t i = 0; i < count; i++) {
        const struct stat_execution *execution = &run->runs[i];
        const uint64_t spent = execution->cpu_nanoseconds;
        const uint64_t unseen = spent / 10 + execution->tasks * STAT_STARTING_NS;
        dropped = dropped || execution->rights == RIGHTS_GAINED;
        partial = partial || (execution->tasks_known && execution->tasks > 1 &&
                              event->runs[i].enabled + unseen < spent);
    }
    if (dropped) {
        event->figure.state = STAT_DROPPED;
        event->reason = memory_copy(STAT_RIGHTS);
    } else if (partial && stat_has_figure(event)) {
        event->figure.state = STAT_PARTIAL;
        event->figure.has_uncertainty = false;
    }
}

static void judge_event(struct stat_run *run, struct stat_event *event)
{
    const enum stat_state state = event->figure.state;
    const size_t count = stat_averaged(run);
    double faults = 0, interrupts = 0;
    for (size_t i = 0; i < count; i++) {
        const struct account *account = &run->runs[i].account;
        faults += (double)(account->minor_faults + account->major_faults) / (double)count;
        interrupts += (double)run->runs[i].interrupts / (double)count;
    }
    struct stat_evidence evidence = {
        .nature = stat_nature_of(run, event),
        .seconds = stat_seconds(run) * (double)count,
        .paces = run->paces,
        .pace_count = run->pace_count,
        .runs = event->runs,
        .run_count = count,
        .nulls = event->nulls,
        .null_count = run->null_count,
        .has_truth = event->has_truth,
        .truth = event->truth,
        .is_random = !run->is_controlled,
        .per_fault = overcount(event, CAUSE_FAULT_OVERCOUNT, "page fault"),
        .faults = faults,
        .per_interrupt = overcount(event, CAUSE_INTERRUPT_OVERCOUNT, "interrupt"),
        .interrupts = interrupts,
    };
    const bool relaying_known = judge_relaying(run, event, &evidence);
    stat_judge(&evidence, &event->figure);
    event->figure.has_uncertainty = event->figure.has_uncertainty && relaying_known;
    if (state == STAT_ACCOUNTED && event->figure.state == STAT_COUNTED)
        event->figure.state = STAT_ACCOUNTED;
    if (!event->figure.has_overhead && !event->overhead_reason)
        event->overhead_reason = "the program of the kit that tells it got no counter";
    if (event->is_counted)
        judge_losses(run, event, count);
}

void stat_judge_all(struct stat_run *run)
{
    for (size_t i = 0; i < run->event_count; i++)
        if (run->events[i].figure.state != STAT_UNSUPPORTED)
            judge_event(run, &run->events[i]);
}

/* --- trust --- */

void stat_find_trust(struct stat_run *run)
{
    latest_verdicts_load(run->fingerprint, &run->options->common, &run->latest);
    for (size_t i = 0; i < run->event_count; i++) {
        struct stat_event *event = &run->events[i];
        int64_t age_s;
        if (!event->is_counted)
            continue;
        event->verdict = latest_verdict(&run->latest, event->name, &age_s);
        event->is_validated =
            trust_of(&run->latest, run->facts, event->name, true, &event->trust) == 0;
        /* Whatever adds counts in user mode adds them to all modes together. */
        AUTO_FREE char *user = event_mode(event->name) ? NULL : event_in_user_mode(event->name);
        if (user && !(event->verdict && event->verdict->explanation_count))
            event->verdict = latest_verdict(&run->latest, user, &age_s);
    }
}

bool stat_is_time(const struct stat_event *event)
{
    return event->class &&
           (strcmp(event->class, "task-clock") == 0 || strcmp(event->class, "cpu-clock") == 0);
}

bool stat_has_figure(const struct stat_event *event)
{
    return event->figure.state != STAT_UNSUPPORTED && event->figure.state != STAT_UNSCHEDULED &&
           event->figure.state != STAT_DROPPED;
}

/* ----------------------------------------------------------------------------------------------
 * What a store has of the executions of `assay stat`: readings of every event, and what became of
 * the command each time. */

struct loading {
    struct stat_run *run;
    const struct cell *cell;
    bool null; /* of the program of known truth */
    int relay; /* which of those whose output was relayed; -1: none */
    uint32_t process;
    size_t row; /* of the execution under way */
};

static void take_column(struct stat_execution *execution, const char *column,
                        const struct sample *sample)
{
    const struct {
        const char *column;
        uint64_t *value;
        bool *known;
    } places[] = {
        {RUN_STATUS, &execution->status, NULL},
        {RUN_OUTPUT_BYTES, &execution->output_bytes, &execution->relayed},
        {RUN_TASKS, &execution->tasks, &execution->tasks_known},
        {RUN_PROCESSES, &execution->processes, NULL},
        {RUN_LEFT, &execution->left, NULL},
        {RUN_INTERRUPTS, &execution->interrupts, &execution->interrupts_known},
        {RUN_NANOSECONDS, &execution->nanoseconds, NULL},
        {RUN_CPU, &execution->cpu_nanoseconds, NULL},
        {RUN_RIGHTS, &execution->rights, NULL},
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        if (strcmp(places[i].column, column) != 0)
            continue;
        *places[i].value = sample->value;
        if (places[i].known)
            *places[i].known = sample->running > 0;
    }
}

/* A row begins: every event has a place in it, whether the cell counts it or not. */
static int begin_row(struct loading *loading, const struct sample *sample)
{
    struct stat_run *run = loading->run;
    size_t *const count = loading->null ? &run->null_count : &run->run_count;
    loading->process = sample->process;
    if (loading->relay >= 0) {
        loading->row = run->relay_counts[loading->relay]++;
        return loading->row < STAT_RELAYS ? 0 : -EINVAL;
    }
    loading->row = *count;
    if (loading->null) {
        *memory_add(run->null_accounts, *count) = sample->account;
    } else {
        struct stat_execution *execution = memory_add(run->runs, *count);
        execution->account = sample->account;
    }
    for (size_t i = 0; i < run->event_count; i++) {
        struct stat_event *event = &run->events[i];
        size_t have = loading->row;
        if (loading->null)
            memory_add(event->nulls, have);
        else
            memory_add(event->runs, have);
    }
    return 0;
}

static int take_sample(void *context, const struct sample *sample)
{
    struct loading *loading = context;
    struct stat_run *run = loading->run;
    const int error = sample->process != loading->process ? begin_row(loading, sample) : 0;
    if (error < 0)
        return error;
    if (sample->counter >= loading->cell->counters)
        return 0;
    const char *name = loading->cell->events[sample->counter];
    if (!loading->null && loading->relay < 0)
        take_column(&run->runs[loading->row], name, sample);
    for (size_t i = 0; i < run->event_count; i++) {
        struct stat_event *event = &run->events[i];
        if (!event->is_counted || strcmp(event->name, name) != 0)
            continue;
        const struct stat_reading reading = {sample->value, sample->enabled, sample->running};
        if (loading->relay >= 0)
            event->relays[loading->relay][loading->row] = reading;
        else if (loading->null)
            event->nulls[loading->row] = reading;
        else
            event->runs[loading->row] = reading;
    }
    return 0;
}

static int load_cell(struct stat_run *run, uint32_t id, bool null, int relay,
                     struct failure *failure)
{
    if (!id)
        return 0;
    struct loading loading = {
        .run = run, .cell = &run->cells[id - 1], .null = null, .relay = relay};
    return store_each_sample(run->store, id, take_sample, &loading, failure);
}

/* --- accounts in the place of counts --- */

static struct stat_reading of_account(const char *name, const struct account *account)
{
    const bool faults = strcmp(name, "page-faults") == 0;
    const uint64_t value = faults ? account->minor_faults + account->major_faults
                                  : account->voluntary + account->involuntary;
    return (struct stat_reading){value, 1, 1};
}

static void take_accounts(struct stat_run *run)
{
    for (size_t i = 0; i < run->event_count; i++) {
        struct stat_event *event = &run->events[i];
        if (event->figure.state != STAT_ACCOUNTED)
            continue;
        for (size_t row = 0; row < run->run_count; row++)
            event->runs[row] = of_account(event->name, &run->runs[row].account);
        for (size_t row = 0; row < run->null_count; row++)
            event->nulls[row] = of_account(event->name, &run->null_accounts[row]);
    }
}

/* --- how fast the machine was, now and before --- */

struct pace {
    const struct cell *like; /* of this run */
    uint32_t cell, counter;  /* of the program of known truth in the store; 0: it has none */
    double times[STAT_NULLS];
    size_t count;
};

/* Executed in the same way, and as much is counted of it. */
static bool is_alike(const struct cell *a, const struct cell *b)
{
    return a->counters == b->counters && a->command.controls == b->command.controls &&
           a->cpu == b->cpu && strcmp(a->command.words, b->command.words) == 0;
}

static int find_pace(void *context, const struct stored_cell *stored)
{
    struct pace *pace = context;
    const struct cell *cell = &stored->cell;
    if (stored->done - stored->failed != STAT_NULLS || !cell->command.words ||
        !is_alike(cell, pace->like))
        return 0;
    for (uint32_t i = 0; i < cell->counters; i++) {
        if (strcmp(cell->events[i], RUN_CPU) != 0)
            continue;
        pace->cell = cell->id;
        pace->counter = i;
    }
    return 0;
}

static int take_pace(void *context, const struct sample *sample)
{
    struct pace *pace = context;
    if (sample->counter == pace->counter && sample->value && pace->count < STAT_NULLS)
        pace->times[pace->count++] = (double)sample->value;
    return 0;
}

/* The median time of its program of known truth; 0: it has none that is alike. */
static double pace_of(struct store *store, const struct cell *like, const char *kit)
{
    struct pace pace = {.like = like};
    struct store_info info = {0};
    const bool same = store_info(store, &info, NULL) == 0 && info.kit && strcmp(info.kit, kit) == 0;
    store_info_release(&info);
    if (!same || store_each_cell(store, find_pace, &pace, NULL) < 0 || !pace.cell ||
        store_each_sample(store, pace.cell, take_pace, &pace, NULL) < 0 || !pace.count)
        return 0;
    sort_values(pace.times, pace.count);
    return quantile(pace.times, pace.count, 0.5);
}

static void add_pace(struct stat_run *run, struct store *store, const char *kit)
{
    const double pace = pace_of(store, &run->cells[run->null_cell - 1], kit);
    if (pace > 0)
        run->paces[run->pace_count++] = pace;
}

void stat_load_paces(struct stat_run *run)
{
    struct store_info info = {0};
    AUTO_FREE char *path = run->options->store ? NULL : strdup(store_path(run->store));
    bool timed = false;
    for (size_t i = 0; i < run->event_count && stat_averaged(run) > 1; i++)
        timed = timed || stat_is_time(&run->events[i]);
    if (timed && run->null_cell && store_info(run->store, &info, NULL) == 0 && info.kit)
        add_pace(run, run->store, info.kit);
    for (size_t i = 1; info.kit && run->pace_count && i < STAT_PACES; i++) {
        struct store *store = NULL;
        char *older;
        if (store_latest_before(run->fingerprint, "stat", path, &older, NULL) < 0)
            break;
        free(path);
        path = older;
        if (store_open(&store, path, false, NULL) == 0)
            add_pace(run, store, info.kit);
        store_close(store);
    }
    store_info_release(&info);
}

int stat_load(struct stat_run *run, struct failure *failure)
{
    int error = load_cell(run, run->null_cell, true, -1, failure);
    if (error == 0)
        error = load_cell(run, run->command_cell, false, -1, failure);
    for (int i = 0; i < 2 && error == 0; i++)
        error = load_cell(run, run->relay_cells[i], false, i, failure);
    if (error < 0)
        return failure->code ? error : fail_with(failure, error, "out of memory");
    take_accounts(run);
    /* A command that catches the signal ends as it likes; where nobody noted which execution it
     * was, as where a reader left, one that a signal killed was broken off. */
    struct stat_execution *last = run->run_count ? &run->runs[run->run_count - 1] : NULL;
    if (last && run->was_interrupted)
        last->broken_off = run->cut_off || last->status >= STATUS_SIGNAL;
    return 0;
}
