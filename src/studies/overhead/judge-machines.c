/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Machines side by side, in the order of their kernels' versions: what each call costs warm, with
 * the fewest events, and how that compares with the first machine that has it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/interval.h"
#include "studies/overhead/study.h"

/* ----------------------------------------------------------------------------------------------
 * What others cost in units of the bare calls: the same task done through each. Where one process
 * did both, its own ratio counts, in which everything cancels out that makes a whole process dear.
 */

#define MOST_CALLS 3

/* A task and the calls that do it through a path. */
struct task {
    const char *what;
    const char *path;
    const char *calls[MOST_CALLS]; /* kinds; the rest NULL */
    bool is_peer;                  /* else bare */
};

static const char complete[] = "start + stop + read", pair[] = "read, read",
                  command[] = "whole command";
static const struct task tasks[] = {
    {complete, "perf-read", {"start", "stop", "read"}, false},
    {complete, "perf-syscall", {"start", "stop", "read"}, false},
    {complete, "papi-low", {"start", "stop", "read"}, true},
    {complete, "assay", {"start", "stop", "read"}, true},
    {pair, "perf-read", {"read", "read"}, false},
    {pair, "perf-syscall", {"read", "read"}, false},
    {pair, "papi-low", {"read", "read"}, true},
    {pair, "papi-high", {"begin", "end"}, true},
    {pair, "likwid", {"begin", "end"}, true},
    {pair, "assay", {"read", "read"}, true},
    {command, "command", {"command"}, false},
    {command, "perf-stat", {"command"}, true},
};
enum { TASKS = sizeof(tasks) / sizeof(*tasks) };

/* What one process showed of all calls of a task together. */
struct done {
    uint32_t task;
    const struct overhead_figure *figure; /* of its first call */
    const struct overhead_tour *tour;
    double cost;
};

struct done_list {
    struct done *list;
    size_t count;
};

static bool means_something(const struct overhead_case *file, const struct overhead_figure *figure)
{
    return !file->machines[figure->machine].emulated ||
           !(overhead_is_time(figure->meter) || figure->meter->unit == METER_CYCLES);
}

/* --- tasks of processes --- */

/* The figures of one process stand together. */
static size_t end_of_process(const struct overhead_report *report, size_t begin)
{
    const struct overhead_figure *figures = report->figures;
    size_t end = begin;
    while (end < report->figure_count && figures[end].tour == figures[begin].tour &&
           figures[end].process == figures[begin].process)
        end++;
    return end;
}

static const struct overhead_figure *find_call(const struct overhead_case *file,
                                               const struct overhead_report *report, size_t begin,
                                               size_t end, const char *path, const char *kind,
                                               const struct overhead_meter *meter)
{
    for (size_t i = begin; i < end; i++) {
        const struct overhead_figure *figure = &report->figures[i];
        const struct overhead_operation *operation = &file->operations[figure->operation];
        if (figure->times == 1 && figure->meter == meter && strcmp(operation->path, path) == 0 &&
            strcmp(operation->kind, kind) == 0)
            return figure;
    }
    return NULL;
}

/* Of a process that lacks a call of the task: nothing. first: a figure of its first call. */
static bool add_up(const struct overhead_case *file, const struct overhead_report *report,
                   size_t begin, size_t end, const struct overhead_figure *first, struct done *done)
{
    const struct task *task = &tasks[done->task];
    done->figure = first;
    done->tour = &file->tours[first->tour];
    for (size_t i = 0; i < MOST_CALLS && task->calls[i]; i++) {
        const struct overhead_figure *call =
            find_call(file, report, begin, end, task->path, task->calls[i], first->meter);
        if (!call)
            return false;
        done->cost += call->value;
    }
    return true;
}

static void gather(const struct overhead_case *file, const struct overhead_report *report,
                   struct done_list *done)
{
    for (size_t begin = 0, end; begin < report->figure_count; begin = end) {
        end = end_of_process(report, begin);
        if (file->tours[report->figures[begin].tour].cold)
            continue;
        for (size_t i = begin; i < end; i++) {
            const struct overhead_figure *figure = &report->figures[i];
            const struct overhead_operation *operation = &file->operations[figure->operation];
            if (figure->times != 1 || !means_something(file, figure))
                continue;
            for (uint32_t task = 0; task < TASKS; task++) {
                struct done one = {.task = task};
                if (strcmp(operation->path, tasks[task].path) == 0 &&
                    strcmp(operation->kind, tasks[task].calls[0]) == 0 &&
                    add_up(file, report, begin, end, figure, &one))
                    *memory_add(done->list, done->count) = one;
            }
        }
    }
}

/* --- groups: processes that did the same task in the same way --- */

/* Where and how it was done, but for the number of events. */
static int compare_ways(const struct done *left, const struct done *right)
{
    const struct overhead_figure *a = left->figure, *b = right->figure;
    int order = compare_numbers(a->machine, b->machine);
    order = order ? order : compare_numbers(a->meter->unit, b->meter->unit);
    order = order ? order : strcmp(a->meter->event, b->meter->event);
    order = order ? order : strcmp(left->tour->link, right->tour->link);
    return order ? order : strcmp(left->tour->counted, right->tour->counted);
}

/* What a peer and the bare calls must share to be compared. */
static int compare_places(const struct done *left, const struct done *right)
{
    int order = compare_ways(left, right);
    return order ? order : compare_numbers(left->tour->open, right->tour->open);
}

static int compare_processes(const struct done *left, const struct done *right)
{
    int order = compare_numbers(left->figure->tour, right->figure->tour);
    return order ? order : compare_numbers(left->figure->process, right->figure->process);
}

/* Fewest events first among the places of a task. */
static int by_group(const void *left, const void *right)
{
    const struct done *a = left, *b = right;
    int order = compare_places(a, b);
    order = order ? order : compare_numbers(a->task, b->task);
    return order ? order : compare_processes(a, b);
}

static size_t end_of_group(const struct done_list *done, size_t begin)
{
    size_t end = begin;
    while (end < done->count && done->list[end].task == done->list[begin].task &&
           compare_places(&done->list[begin], &done->list[end]) == 0)
        end++;
    return end;
}

struct group {
    const struct done *list;
    size_t count;
};

/* --- a peer against bare calls --- */

struct scratch {
    double *peer, *bare, *ratios;
};

static size_t copy_costs(struct group group, double *costs)
{
    for (size_t i = 0; i < group.count; i++)
        costs[i] = group.list[i].cost;
    return group.count;
}

static struct overhead_peer judge_peer(struct group peer, struct group bare,
                                       struct scratch *scratch)
{
    const struct overhead_figure *figure = peer.list->figure;
    const struct task *task = &tasks[peer.list->task];
    /* Processes that did both. How many; costs and ratios are left in the scratch. */
    size_t pairs = 0;
    for (size_t i = 0, j = 0; i < peer.count && j < bare.count;) {
        int order = compare_processes(&peer.list[i], &bare.list[j]);
        if (order == 0 && bare.list[j].cost > 0) {
            scratch->peer[pairs] = peer.list[i].cost;
            scratch->bare[pairs] = bare.list[j].cost;
            scratch->ratios[pairs++] = peer.list[i].cost / bare.list[j].cost;
        }
        i += order <= 0;
        j += order >= 0;
    }
    /* A command is a process of its own: nothing of the one that starts it makes both dear. */
    bool paired = pairs >= 2 && task->what != command;
    struct overhead_median cost =
        overhead_median_of(scratch->peer, paired ? pairs : copy_costs(peer, scratch->peer));
    struct overhead_median own =
        overhead_median_of(scratch->bare, paired ? pairs : copy_costs(bare, scratch->bare));
    struct overhead_median ratio =
        paired ? overhead_median_of(scratch->ratios, pairs) : overhead_median_ratio(cost, own);
    return (struct overhead_peer){
        .machine = figure->machine,
        .operation = figure->operation,
        .path = task->path,
        .variant = figure->variant,
        .what = task->what,
        .meter = figure->meter,
        .cost = cost.median,
        .bare = own.median,
        .ratio = ratio.median,
        .low = ratio.low,
        .high = ratio.high,
        .paired = paired,
        .processes = cost.count,
        .bare_path = tasks[bare.list->task].path,
    };
}

/* Is there the same with fewer events? Then that tells what the peer adds. */
static bool has_fewer_events(const struct done_list *done, const struct done *one)
{
    for (size_t i = 0; i < done->count; i++)
        if (done->list[i].task == one->task && done->list[i].tour->open < one->tour->open &&
            compare_ways(&done->list[i], one) == 0)
            return true;
    return false;
}

void overhead_judge_peers(const struct overhead_case *file, struct overhead_report *report)
{
    struct done_list done = {0};
    gather(file, report, &done);
    if (!done.count)
        return;
    AUTO_MEMORY double *room = memory_new(3 * done.count, sizeof(*room));
    struct scratch scratch = {room, room + done.count, room + 2 * done.count};
    qsort(done.list, done.count, sizeof(*done.list), by_group);
    for (size_t begin = 0, end; begin < done.count; begin = end) {
        end = end_of_group(&done, begin);
        struct group peer = {done.list + begin, end - begin};
        const struct task *task = &tasks[peer.list->task];
        if (!task->is_peer || has_fewer_events(&done, peer.list))
            continue;
        for (size_t at = 0, next; at < done.count; at = next) {
            next = end_of_group(&done, at);
            const struct task *other = &tasks[done.list[at].task];
            if (other->is_peer || other->what != task->what ||
                compare_places(peer.list, &done.list[at]) != 0)
                continue;
            struct group bare = {done.list + at, next - at};
            *memory_add(report->peers, report->peer_count) = judge_peer(peer, bare, &scratch);
        }
    }
    memory_give_back(done.list);
}

/* --- machines side by side --- */

struct entry {
    const struct overhead_figure *figure;
    const struct overhead_tour *tour;
    uint32_t rank; /* of its machine */
};

/* --- order --- */

/* "6.9.3" before "6.12.1"; then by CPU, then as they came. */
static bool stands_before(const struct overhead_case *file, uint32_t left, uint32_t right)
{
    const struct overhead_machine *a = &file->machines[left], *b = &file->machines[right];
    int order = strverscmp(a->os ? a->os : "", b->os ? b->os : "");
    order = order ? order : strcmp(a->cpu ? a->cpu : "", b->cpu ? b->cpu : "");
    return order ? order < 0 : left < right;
}

static uint32_t rank_of(const struct overhead_case *file, uint32_t machine)
{
    uint32_t rank = 0;
    for (uint32_t other = 0; other < file->machine_count; other++)
        rank += other != machine && stands_before(file, other, machine);
    return rank;
}

/* User mode, kernel, both. */
static const char *const modes[] = {"", "u", "k", "uk"};

static int compare_meters(const struct overhead_meter *left, const struct overhead_meter *right)
{
    if (left->unit != right->unit)
        return left->unit < right->unit ? -1 : 1;
    int order =
        (int)overhead_rank(left->mode, modes, 4) - (int)overhead_rank(right->mode, modes, 4);
    return order ? order : strcmp(left->event, right->event);
}

/* The same call, by the same meter. */
static int compare_calls(const struct entry *left, const struct entry *right)
{
    const struct overhead_figure *a = left->figure, *b = right->figure;
    int order = compare_numbers(a->operation, b->operation);
    order = order ? order : strcmp(a->variant, b->variant);
    return order ? order : compare_meters(a->meter, b->meter);
}

static int by_call(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = compare_calls(a, b);
    order = order ? order : compare_numbers(a->rank, b->rank);
    order = order ? order : compare_numbers(a->tour->open, b->tour->open);
    order = order ? order : compare_numbers(a->figure->tour, b->figure->tour);
    return order ? order : compare_numbers(a->figure->process, b->figure->process);
}

/* --- one call on one machine --- */

/* Times that differ by no more may be those of one machine, run twice. */
#define OVERHEAD_ALIKE 0.1

/* Code without a library is the same in every harness, but measured in several: in the static one,
 * where it was. */
static const char *link_of(const struct entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].tour->link, "static") == 0)
            return "static";
    return entries->tour->link;
}

/* entries: of one call and machine, fewest events first. */
static struct overhead_median median_of(const struct entry *entries, size_t count, double *scratch)
{
    size_t fewest = 0, found = 0;
    while (fewest < count && entries[fewest].tour->open == entries->tour->open)
        fewest++;
    const char *link = link_of(entries, fewest);
    for (size_t i = 0; i < fewest; i++)
        if (strcmp(entries[i].tour->link, link) == 0)
            scratch[found++] = entries[i].figure->value;
    return overhead_median_of(scratch, found);
}

/* Against the first machine that has the call. */
static void compare_with(const struct overhead_median *reference, uint32_t machine,
                         const struct overhead_median *own, struct overhead_machine_row *row)
{
    row->reference = machine;
    row->ratio = row->ratio_low = row->ratio_high = NAN;
    if (row->machine == machine)
        return;
    struct overhead_median ratio = overhead_median_ratio(*own, *reference);
    row->has_ratio = isfinite(ratio.median);
    row->ratio = ratio.median;
    row->ratio_low = ratio.low;
    row->ratio_high = ratio.high;
    bool is_apart = ratio.low > 1 || ratio.high < 1;
    bool is_far = !overhead_is_time(row->meter) || fabs(ratio.median - 1) > OVERHEAD_ALIKE;
    /* Steps average out as far as spans begin anywhere within one: less than a step is nothing. */
    bool is_beyond = fabs(own->median - reference->median) > row->meter->step;
    row->differs = row->has_ratio && is_apart && is_far && is_beyond;
}

static void judge_call(const struct overhead_case *file, struct overhead_report *report,
                       const struct entry *entries, size_t count, double *scratch)
{
    struct overhead_median reference = {0};
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && entries[end].rank == entries[begin].rank;)
            end++;
        const struct overhead_figure *figure = entries[begin].figure;
        const struct overhead_operation *operation = &file->operations[figure->operation];
        struct overhead_median own = median_of(entries + begin, end - begin, scratch);
        struct overhead_machine_row *row = memory_add(report->machines, report->machine_row_count);
        *row = (struct overhead_machine_row){
            .machine = figure->machine,
            .operation = figure->operation,
            .path = operation->path,
            .variant = figure->variant,
            .kind = operation->kind,
            .meter = figure->meter,
            .total = figure->meter >= report->totals &&
                     figure->meter < report->totals + report->total_count,
            .processes = own.count,
            .median = own.median,
            .low = own.low,
            .high = own.high,
            .seen = NAN,
        };
        if (begin == 0)
            reference = own;
        compare_with(&reference, entries->figure->machine, &own, row);
    }
}

/* --- what counters missed, by the clock --- */

static struct overhead_machine_row *
find_mode(struct overhead_report *report, const struct overhead_machine_row *like, const char *mode)
{
    for (size_t i = 0; i < report->machine_row_count; i++) {
        struct overhead_machine_row *row = &report->machines[i];
        if (row->machine == like->machine && row->meter->unit == METER_INSTRUCTIONS &&
            strcmp(row->meter->mode, mode) == 0 && row->operation == like->operation &&
            strcmp(row->variant, like->variant) == 0)
            return row;
    }
    return NULL;
}

/* Where the counters saw all, their sum is exact; else what they missed is kernel code, for they
 * are halted by it alone. */
static void machines_complete(struct overhead_machine_row *clock,
                              const struct overhead_machine_row *user,
                              struct overhead_machine_row *kernel)
{
    double sum = user->median + kernel->median, step = clock->meter->step;
    if (fabs(clock->median - sum) <= step) {
        clock->median = sum;
        clock->low = user->low + kernel->low;
        clock->high = user->high + kernel->high;
        return;
    }
    if (clock->median < sum) /* by counters the call costs more, for they are open beside it */
        return;
    clock->hidden = kernel->hidden = true;
    clock->seen = sum;
    kernel->seen = kernel->median;
    kernel->median = clock->median - user->median;
    kernel->low = clock->low - user->high;
    kernel->high = clock->high - user->low;
}

static void compare_again(const struct overhead_report *report, struct overhead_machine_row *row)
{
    for (size_t i = 0; i < report->machine_row_count; i++) {
        const struct overhead_machine_row *other = &report->machines[i];
        struct overhead_called like = {row->reference, row->operation, row->meter, row->variant};
        if (!overhead_same_call(other, &like))
            continue;
        const struct overhead_median own = {row->median, row->low, row->high, row->processes};
        const struct overhead_median reference = {other->median, other->low, other->high,
                                                  other->processes};
        compare_with(&reference, other->machine, &own, row);
        return;
    }
}

static void complete_rows(struct overhead_report *report)
{
    bool any = false;
    for (size_t i = 0; i < report->machine_row_count; i++) {
        struct overhead_machine_row *clock = &report->machines[i];
        if (!overhead_is_clock(clock->meter))
            continue;
        struct overhead_machine_row *user = find_mode(report, clock, "u");
        struct overhead_machine_row *kernel = find_mode(report, clock, "k");
        any |= user && kernel;
        if (user && kernel)
            machines_complete(clock, user, kernel);
    }
    for (size_t i = 0; i < report->machine_row_count && any; i++)
        compare_again(report, &report->machines[i]);
}

/* --- all --- */

static size_t machines_gather(const struct overhead_case *file,
                              const struct overhead_report *report, struct entry *entries)
{
    size_t count = 0;
    for (size_t i = 0; i < report->figure_count; i++) {
        const struct overhead_figure *figure = &report->figures[i];
        const struct overhead_tour *tour = &file->tours[figure->tour];
        if (!tour->cold && figure->times == 1 && means_something(file, figure) &&
            !overhead_is_own(&file->operations[figure->operation]))
            entries[count++] = (struct entry){figure, tour, rank_of(file, figure->machine)};
    }
    qsort(entries, count, sizeof(*entries), by_call);
    return count;
}

void overhead_judge_machines(const struct overhead_case *file, struct overhead_report *report)
{
    AUTO_MEMORY struct entry *entries = memory_new(report->figure_count + 1, sizeof(*entries));
    AUTO_MEMORY double *scratch = memory_new(report->figure_count + 1, sizeof(*scratch));
    size_t count = machines_gather(file, report, entries);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && compare_calls(&entries[begin], &entries[end]) == 0;)
            end++;
        judge_call(file, report, entries + begin, end - begin, scratch);
    }
    complete_rows(report);
}
