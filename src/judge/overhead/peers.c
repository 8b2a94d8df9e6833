/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What others cost in units of the bare calls: the same task done through each. Where one process
 * did both, its own ratio counts, in which everything cancels out that makes a whole process dear.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/overhead/figures.h"
#include "stats/medians.h"

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
    size_t task;
    const struct overhead_figure *figure; /* of its first call */
    const struct overhead_tour *tour;
    double cost;
};

struct done_list {
    struct done *list;
    size_t count;
};

static void done_release(struct done_list *done)
{
    free(done->list);
}
#define AUTO_DONE __attribute__((cleanup(done_release)))

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

static int gather(const struct overhead_case *file, const struct overhead_report *report,
                  struct done_list *done)
{
    done->list = calloc(report->figure_count * 4 + 1, sizeof(*done->list));
    if (!done->list)
        return -ENOMEM;
    for (size_t begin = 0, end; begin < report->figure_count; begin = end) {
        end = end_of_process(report, begin);
        if (file->tours[report->figures[begin].tour].cold)
            continue;
        for (size_t i = begin; i < end; i++) {
            const struct overhead_figure *figure = &report->figures[i];
            const struct overhead_operation *operation = &file->operations[figure->operation];
            if (figure->times != 1 || !overhead_means_something(file, figure))
                continue;
            for (size_t task = 0; task < TASKS; task++) {
                struct done one = {.task = task};
                if (strcmp(operation->path, tasks[task].path) == 0 &&
                    strcmp(operation->kind, tasks[task].calls[0]) == 0 &&
                    add_up(file, report, begin, end, figure, &one))
                    done->list[done->count++] = one;
            }
        }
    }
    return 0;
}

/* --- groups: processes that did the same task in the same way --- */

static int compare(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

/* Where and how it was done, but for the number of events. */
static int compare_ways(const struct done *left, const struct done *right)
{
    const struct overhead_figure *a = left->figure, *b = right->figure;
    int order = compare(a->machine, b->machine);
    order = order ? order : compare(a->meter->unit, b->meter->unit);
    order = order ? order : strcmp(a->meter->event, b->meter->event);
    order = order ? order : strcmp(left->tour->link, right->tour->link);
    return order ? order : strcmp(left->tour->counted, right->tour->counted);
}

/* What a peer and the bare calls must share to be compared. */
static int compare_places(const struct done *left, const struct done *right)
{
    int order = compare_ways(left, right);
    return order ? order : compare(left->tour->open, right->tour->open);
}

static int compare_processes(const struct done *left, const struct done *right)
{
    int order = compare(left->figure->tour, right->figure->tour);
    return order ? order : compare(left->figure->process, right->figure->process);
}

/* Fewest events first among the places of a task. */
static int by_group(const void *left, const void *right)
{
    const struct done *a = left, *b = right;
    int order = compare_places(a, b);
    order = order ? order : compare(a->task, b->task);
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

/* Processes that did both. How many; costs and ratios are left in the scratch. */
static size_t pair_up(struct group peer, struct group bare, struct scratch *scratch)
{
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
    return pairs;
}

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
    size_t pairs = pair_up(peer, bare, scratch);
    /* A command is a process of its own: nothing of the one that starts it makes both dear. */
    bool paired = pairs >= 2 && task->what != command;
    struct overhead_median cost =
        overhead_median_of(scratch->peer, paired ? pairs : copy_costs(peer, scratch->peer));
    struct overhead_median own =
        overhead_median_of(scratch->bare, paired ? pairs : copy_costs(bare, scratch->bare));
    struct overhead_median ratio =
        paired ? overhead_median_of(scratch->ratios, pairs) : overhead_median_ratio(cost, own);
    struct overhead_peer result = {
        .machine = figure->machine,
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
    };
    snprintf(result.bare_path, sizeof(result.bare_path), "%s", tasks[bare.list->task].path);
    return result;
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

static int put(struct overhead_report *report, const struct overhead_peer *peer)
{
    void *grown = reallocarray(report->peers, report->peer_count + 1, sizeof(*report->peers));
    if (!grown)
        return -ENOMEM;
    report->peers = grown;
    report->peers[report->peer_count++] = *peer;
    return 0;
}

static int judge_group(const struct done_list *done, size_t begin, size_t end,
                       struct scratch *scratch, struct overhead_report *report)
{
    struct group peer = {done->list + begin, end - begin};
    const struct task *task = &tasks[peer.list->task];
    int error = 0;
    if (!task->is_peer || has_fewer_events(done, peer.list))
        return 0;
    for (size_t at = 0, next; at < done->count && !error; at = next) {
        next = end_of_group(done, at);
        const struct task *other = &tasks[done->list[at].task];
        if (other->is_peer || other->what != task->what ||
            compare_places(peer.list, &done->list[at]) != 0)
            continue;
        struct group bare = {done->list + at, next - at};
        struct overhead_peer judged = judge_peer(peer, bare, scratch);
        error = put(report, &judged);
    }
    return error;
}

int overhead_judge_peers(const struct overhead_case *file, uint64_t seed,
                         struct overhead_report *report)
{
    (void)seed;
    AUTO_DONE struct done_list done = {0};
    int error = gather(file, report, &done);
    AUTO_FREE double *room = calloc(3 * (done.count + 1), sizeof(*room));
    if (error || !room)
        return -ENOMEM;
    struct scratch scratch = {room, room + done.count + 1, room + 2 * (done.count + 1)};
    qsort(done.list, done.count, sizeof(*done.list), by_group);
    for (size_t begin = 0, end; begin < done.count && !error; begin = end) {
        end = end_of_group(&done, begin);
        error = judge_group(&done, begin, end, &scratch, report);
    }
    return error;
}
