/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a store has of the executions of `assay stat`: readings of every event, and what became of
 * the command each time. */
#include <errno.h>
#include <math.h>
#include <signal.h>
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

struct stat_means stat_means(const struct stat_run *run)
{
    const size_t count = stat_averaged(run);
    struct stat_means means = {0};
    for (size_t i = 0; i < count; i++) {
        const struct stat_execution *execution = &run->runs[i];
        const struct account *account = &execution->account;
        means.seconds += (double)execution->nanoseconds / 1e9;
        means.faults += (double)(account->minor_faults + account->major_faults) / (double)count;
        means.switches += (double)(account->voluntary + account->involuntary) / (double)count;
        means.interrupts += (double)execution->interrupts / (double)count;
        means.relayed += execution->relayed ? (double)execution->output_bytes : 0;
    }
    means.seconds /= count ? (double)count : 1;
    means.relayed /= count ? (double)count : 1;
    return means;
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
    const double bytes = stat_means(run).relayed;
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
    "or its file may not be read, and there the operating system stops counting; who has these "   \
    "rights already can count it"

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
    const struct stat_means means = stat_means(run);
    struct stat_evidence evidence = {
        .nature = stat_nature_of(run, event),
        .seconds = means.seconds * (double)count,
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
        .faults = means.faults,
        .per_interrupt = overcount(event, CAUSE_INTERRUPT_OVERCOUNT, "interrupt"),
        .interrupts = means.interrupts,
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

/* --- trust --- */

static void find_trust(struct stat_run *run)
{
    latest_verdicts_load(run->studying.fingerprint, &run->studying.given->common, &run->latest);
    for (size_t i = 0; i < run->event_count; i++) {
        struct stat_event *event = &run->events[i];
        int64_t age_s;
        if (!event->is_counted)
            continue;
        event->verdict = latest_verdict(&run->latest, event->name, &age_s);
        event->is_validated =
            trust_of(&run->latest, run->studying.facts, event->name, true, &event->trust) == 0;
        /* Whatever adds counts in user mode adds them to all modes together. */
        const char *user = event_mode(event->name) ? NULL : event_in_user_mode(event->name);
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
 * What a store has of a run, whether it was made just now or long ago: the events that it was to
 * count, the cells that were executed, readings of every event, and what became of the command each
 * time. */

/* One that cannot be counted has the reason; where perf_event counts nothing at all, that has. */
static int take_event(void *context, const struct stored_event *stored)
{
    struct stat_run *run = context;
    const char *reason = stored->reason ? stored->reason : "";
    if (strcmp(stored->name, STAT_COUNTER) == 0) {
        run->refused = memory_copy(reason);
        return 0;
    }
    *memory_add(run->events, run->event_count) = (struct stat_event){
        .name = memory_copy(stored->name),
        .class = memory_copy(stored->class),
        .is_counted = !stored->error,
        .error = stored->error,
        .reason = stored->error ? memory_copy(reason) : NULL,
        .figure.state = stored->error ? STAT_UNSUPPORTED : STAT_COUNTED,
    };
    run->asked = true;
    return 0;
}

/* --- cells --- */

/* The user's command, whose output was passed on. */
static void take_command(struct stat_run *run, const struct stored_cell *stored)
{
    const struct cell_command *command = &stored->cell.command;
    const uint32_t named =
        CONTROL_BIT(CONTROL_CPU) | CONTROL_BIT(CONTROL_DIRECTORY) | CONTROL_BIT(CONTROL_STDIN);
    run->command_cell = stored->cell.id;
    if (run->repeat < stored->processes) /* less than was asked for: not all had their turn */
        run->repeat = stored->processes;
    run->timeout = command->timeout;
    run->controls = command->controls;
    run->is_controlled = (run->controls & ~named) != 0;
    run->no_input = !command->input && !(run->controls & CONTROL_BIT(CONTROL_STDIN));
    run->line = memory_copy(command->words);
    run->name = memory_copy(command->name);
    if (stored->done > stored->failed || !stored->error)
        return;
    run->error = stored->error;
    run->reason = memory_copy(stored->reason ? stored->reason : "");
}

/* The program of the kit, all events at once: the last time counts, and only if it was counted. */
static void take_null(struct stat_run *run, const struct stored_cell *stored)
{
    const bool counted = stored->done > stored->failed;
    run->null_cell = counted ? stored->cell.id : 0;
    run->overhead_reason = counted ? STAT_NO_TRUTH : STAT_NULL_FAILED;
    for (uint32_t i = 0; i < stored->cell.counters; i++) {
        struct stat_event *event = stat_find_counted(run, stored->cell.events[i]);
        if (!event)
            continue;
        event->has_truth = counted && stored->counters[i].has_truth;
        event->truth = event->has_truth ? stored->counters[i].truth : 0;
    }
}

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct stat_run *run = context;
    const struct cell_command *command = &stored->cell.command;
    *memory_add(run->cells, run->cell_count) = plan_copy(&stored->cell);
    if (stored->cell.id != run->cell_count || !command->words)
        return 0;
    if (command->shown && !run->line) {
        take_command(run, stored);
    } else if (command->shown) { /* what relaying adds: a page first, then several */
        uint32_t *relay = &run->relay_cells[run->relay_cells[0] != 0];
        if (stored->done > stored->failed && stored->processes == STAT_RELAYS)
            *relay = stored->cell.id;
    } else if (stored->processes == STAT_NULLS) {
        take_null(run, stored);
    }
    return 0;
}

/* --- executions --- */

static void take_columns(const struct cell *cell, const struct read_run *read,
                         struct stat_execution *execution)
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
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
        for (uint32_t counter = 0; counter < cell->counters; counter++) {
            if (strcmp(places[i].column, cell->events[counter]) != 0)
                continue;
            *places[i].value = read->values[counter];
            if (places[i].known)
                *places[i].known = read->running[counter] > 0;
        }
}

static struct stat_reading of_account(const char *name, const struct account *account)
{
    const bool faults = strcmp(name, "page-faults") == 0;
    const uint64_t value = faults ? account->minor_faults + account->major_faults
                                  : account->voluntary + account->involuntary;
    return (struct stat_reading){value, 1, 1};
}

/* By the account where there is no counter; nothing of an event that the cell does not count. */
static struct stat_reading reading_of(const struct stat_event *event, const struct cell *cell,
                                      const struct read_run *read)
{
    if (event->figure.state == STAT_ACCOUNTED)
        return of_account(event->name, &read->account);
    for (uint32_t i = 0; i < cell->counters; i++)
        if (event->is_counted && strcmp(event->name, cell->events[i]) == 0)
            return (struct stat_reading){read->values[i], read->enabled[i], read->running[i]};
    return (struct stat_reading){0};
}

static int want_cell(void *context, const struct stored_cell *stored, size_t *place)
{
    const struct stat_run *run = context;
    const uint32_t id = stored->cell.id;
    if (id == run->command_cell || id == run->null_cell || id == run->relay_cells[0] ||
        id == run->relay_cells[1])
        *place = id - 1;
    return 0;
}

static int take_run(void *context, const struct read_run *read)
{
    struct stat_run *run = context;
    const struct cell *cell = &run->cells[read->place];
    const bool command = cell->id == run->command_cell, null = cell->id == run->null_cell;
    const size_t relay = cell->id == run->relay_cells[1];
    const size_t row = command ? run->run_count : null ? run->null_count : run->relay_counts[relay];
    for (size_t i = 0; i < run->event_count; i++) {
        struct stat_event *event = &run->events[i];
        size_t have = row;
        const struct stat_reading reading = reading_of(event, cell, read);
        if (command)
            *memory_add(event->runs, have) = reading;
        else if (null)
            *memory_add(event->nulls, have) = reading;
        else
            event->relays[relay][row] = reading;
    }
    if (command) {
        struct stat_execution *execution = memory_add(run->runs, run->run_count);
        execution->account = read->account;
        take_columns(cell, read, execution);
    } else if (null) {
        run->null_count++;
    } else {
        run->relay_counts[relay]++;
    }
    return 0;
}

/* --- the run --- */

/* Where perf_event is refused the operating system's account of the process is all there is. */
static void take_account(struct stat_run *run)
{
    static const char *const accounted[] = {"page-faults", "context-switches"};
    for (size_t i = 0; i < sizeof(accounted) / sizeof(*accounted); i++)
        *memory_add(run->events, run->event_count) =
            (struct stat_event){.name = memory_copy(accounted[i]),
                                .class = memory_copy(accounted[i]),
                                .figure.state = STAT_ACCOUNTED,
                                .has_truth = run->null_cell != 0};
}

static int load_cells(struct stat_run *run, struct store *store, struct failure *failure)
{
    struct store_info info = {0};
    const char *path = store_path(store);
    int error = store_info(store, &info, failure);
    run->was_interrupted = !info.finished;
    run->cut_off = info.ended && strcmp(info.ended, STAT_CUT_OFF) == 0;
    run->reader_ended = info.ended && strcmp(info.ended, STAT_UNREAD) == 0;
    store_info_release(&info);
    run->overhead_reason = STAT_NO_PROGRAM;
    run->events = NULL;
    run->cells = NULL;
    run->line = NULL;
    run->event_count = run->cell_count = 0;
    run->asked = false;
    if (error == 0)
        error = store_each_event(store, take_event, run, failure);
    if (error == 0)
        error = store_each_cell(store, take_cell, run, failure);
    if (error == 0 && !run->line)
        error = fail_with(failure, -EINVAL,
                          "the run in %.300s ended before the command was executed", path);
    if (error == 0 && !run->event_count && !run->refused)
        error = fail_with(failure, -EINVAL,
                          "the run in %.300s is of a version that did not keep which events it "
                          "counted: `assay export` has its counts",
                          path);
    if (error < 0)
        return error;
    if (run->refused)
        take_account(run);
    /* What is not known of an event has a reason, which is the same as it was. */
    for (size_t i = 0; i < run->event_count; i++)
        if (!run->events[i].has_truth)
            run->events[i].overhead_reason = run->overhead_reason;
    return 0;
}

int stat_load(void *kept, struct store *store, struct failure *failure)
{
    struct stat_run *run = kept;
    struct reader reader = {.store = store,
                            .failure = failure,
                            .context = run,
                            .cell = want_cell,
                            .run = take_run,
                            .by_cell = true,
                            .strict = true};
    int error = load_cells(run, store, failure);
    if (error < 0 || run->reason)
        return error;
    error = reader_read(&reader);
    /* A command that catches the signal ends as it likes; where nobody noted which execution it
     * was, as where a reader left, one that a signal killed was broken off. */
    struct stat_execution *last = run->run_count ? &run->runs[run->run_count - 1] : NULL;
    if (last && run->was_interrupted)
        last->broken_off = run->cut_off || last->status >= STATUS_SIGNAL;
    /* It was asked to end, where a pipe of its own would have ended it. */
    if (last && run->reader_ended && last->status == STATUS_SIGNAL + SIGINT)
        last->status = STATUS_SIGNAL + SIGPIPE;
    return error;
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

static int find_pace(void *context, const struct stored_cell *stored, size_t *place)
{
    struct pace *pace = context;
    const struct cell *cell = &stored->cell;
    if (stored->done - stored->failed != STAT_NULLS || !cell->command.words ||
        !is_alike(cell, pace->like))
        return 0;
    for (uint32_t i = 0; i < cell->counters; i++) {
        if (strcmp(cell->events[i], RUN_CPU) != 0)
            continue;
        *place = pace->cell = cell->id;
        pace->counter = i;
    }
    return 0;
}

static int take_pace(void *context, const struct read_run *read)
{
    struct pace *pace = context;
    const uint64_t time = read->values[pace->counter];
    if (read->place == pace->cell && time && pace->count < STAT_NULLS)
        pace->times[pace->count++] = (double)time;
    return 0;
}

/* The median time of its program of known truth joins the paces, where it has one that is alike. */
static void add_pace(struct stat_run *run, struct store *store, const char *kit)
{
    struct pace pace = {.like = &run->cells[run->null_cell - 1]};
    struct store_info info = {0};
    struct reader reader = {
        .store = store, .context = &pace, .cell = find_pace, .run = take_pace, .by_cell = true};
    const bool same = store_info(store, &info, NULL) == 0 && info.kit && strcmp(info.kit, kit) == 0;
    store_info_release(&info);
    if (!same || reader_read(&reader) < 0 || !pace.count)
        return;
    sort_values(pace.times, pace.count);
    run->paces[run->pace_count++] = quantile(pace.times, pace.count, 0.5);
}

static void load_paces(struct stat_run *run)
{
    struct store *own = run->studying.store;
    struct store_info info = {0};
    AUTO_FREE char *path = stat_asked(run)->study.store ? NULL : strdup(store_path(own));
    bool timed = false;
    for (size_t i = 0; i < run->event_count && stat_averaged(run) > 1; i++)
        timed = timed || stat_is_time(&run->events[i]);
    if (timed && run->null_cell && store_info(own, &info, NULL) == 0 && info.kit)
        add_pace(run, own, info.kit);
    for (size_t i = 1; info.kit && run->pace_count && i < STAT_PACES; i++) {
        struct store *store = NULL;
        char *older;
        if (store_latest_before(run->studying.fingerprint, "stat", path, &older, NULL) < 0)
            break;
        free(path);
        path = older;
        if (store_open(&store, path, false, NULL) == 0)
            add_pace(run, store, info.kit);
        store_close(store);
    }
    store_info_release(&info);
}

/* ----------------------------------------------------------------------------------------------
 * The judge is asked. */

int stat_judge_all(void *kept, struct failure *failure)
{
    struct stat_run *run = kept;
    run->studying.refusal = run->reason;
    if (run->reason)
        return 0;
    if (!run->run_count)
        return fail_with(failure, -EINVAL,
                         "the run was interrupted before the command had ended: nothing was "
                         "counted");
    find_trust(run);
    load_paces(run);
    for (size_t i = 0; i < run->event_count; i++)
        if (run->events[i].figure.state != STAT_UNSUPPORTED)
            judge_event(run, &run->events[i]);
    return 0;
}
