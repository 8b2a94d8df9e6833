/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What events say of one another: the same event in other modes, everything the processor counts,
 * and which event of a class is nearest to the truth. Comes after every event was judged by
 * itself. */
#include <math.h>
#include <string.h>

#include "studies/validate/judge.h"
#include "judge/note.h"
#include "judge/points.h"

/* --- modes --- */

static bool same_base(const struct evidence *left, const struct evidence *right)
{
    const char *left_mode, *right_mode;
    size_t length = event_base(left->event, &left_mode);
    return length == event_base(right->event, &right_mode) &&
           strncmp(left->event, right->event, length) == 0;
}

/* Counts something where something was to be counted. */
static bool is_alive(const struct judgement *judgement)
{
    return judgement->verdict == VERDICT_EXACT || judgement->verdict == VERDICT_ACCURATE ||
           judgement->verdict == VERDICT_BIASED || judgement->verdict == VERDICT_NOISY;
}

static const char *mode_words(const char *mode)
{
    bool user = strchr(mode, 'u'), system = strchr(mode, 'k'), hypervisor = strchr(mode, 'h');
    if (user && !system && !hypervisor)
        return "user mode";
    if (system && !user && !hypervisor)
        return "kernel mode";
    return "this mode";
}

/* What is found of a dead event is so of its specimens. */
static void blame(struct judgement *dead, enum cause cause)
{
    dead->cause = cause;
    for (size_t i = 0; i < dead->row_count; i++)
        if (dead->rows[i].verdict == VERDICT_DEAD)
            dead->rows[i].cause = cause;
}

/* The name that would tell a filter from a dead event may not be counted by this user. */
static void note_refused_mode(struct judgement *dead, const struct judgements *all)
{
    const char *mode;
    for (size_t i = 0; i < all->count; i++) {
        const struct judgement *other = &all->list[i];
        event_base(other->evidence->event, &mode);
        if (other == dead || mode[0] || other->cause != CAUSE_PERMISSION ||
            !same_base(dead->evidence, other->evidence))
            continue;
        note_add(dead->note,
                 "%.100s is refused for lack of permission, so that nothing tells whether the mode "
                 "filters it all out or nothing is counted: see as root, or with CAP_PERFMON.",
                 other->evidence->event);
        return;
    }
}

static void explain_dead_mode(struct judgement *dead, const struct judgements *all)
{
    const char *mode;
    event_base(dead->evidence->event, &mode);
    for (size_t i = 0; i < all->count; i++) {
        const struct judgement *other = &all->list[i];
        if (other == dead || !same_base(dead->evidence, other->evidence) || !is_alive(other))
            continue;
        blame(dead, CAUSE_MODE_NOT_APPLICABLE);
        dead->note[0] = '\0';
        note_add(dead->note,
                 "Zero in %s: all that it counts happens outside and is filtered out; use %.100s.",
                 mode[0] ? mode_words(mode) : "the default mode", other->evidence->event);
        return;
    }
    note_refused_mode(dead, all);
}

/* --- a mode that filters nothing --- */

static bool is_only(const char *mode, char letter)
{
    return strchr(mode, letter) && strspn(mode, "ukh") == 1;
}

/* Adds the points of the same N at which both count something; false: they differ at one. */
static bool rows_alike(const struct judged_row *left, const struct judged_row *right,
                       size_t *compared)
{
    for (size_t i = 0; i < left->point_count; i++)
        for (size_t j = 0; j < right->point_count; j++) {
            const struct judged_point *x = &left->points[i], *y = &right->points[j];
            if (x->point->n != y->point->n || x->runs == 0 || y->runs == 0)
                continue;
            if (fabs(x->mean - y->mean) > point_tolerance(x))
                return false;
            *compared += x->mean > 0.5;
        }
    return true;
}

/* Do both count the same, and not nothing, wherever both were measured? */
static bool count_alike(const struct judgement *left, const struct judgement *right)
{
    size_t compared = 0;
    for (size_t i = 0; i < left->row_count; i++)
        for (size_t j = 0; j < right->row_count; j++) {
            const struct judged_row *a = &left->rows[i], *b = &right->rows[j];
            if (strcmp(a->specimen, b->specimen) == 0 && strcmp(a->path, b->path) == 0 &&
                !rows_alike(a, b, &compared))
                return false;
        }
    return compared > 0;
}

/* The same event, counted in kernel mode alone. */
static bool has_kernel_sibling(const struct judgement *judgement, const struct judgements *all)
{
    const char *mode;
    for (size_t i = 0; i < all->count; i++) {
        event_base(all->list[i].evidence->event, &mode);
        if (is_only(mode, 'k') && all->list[i].runs > 0 &&
            same_base(judgement->evidence, all->list[i].evidence))
            return true;
    }
    return false;
}

/* What lies in the kernel, as every tracepoint does, should be less in user mode than in all;
 * where kernel mode itself was counted that tells more. */
static bool should_differ(const struct judgement *judgement, const char *mode, const char *other,
                          const struct judgements *all)
{
    if (!other[0])
        return is_only(mode, 'u') && strcmp(judgement->evidence->kind, "tracepoint") == 0 &&
               !has_kernel_sibling(judgement, all);
    return (is_only(mode, 'u') && is_only(other, 'k')) ||
           (is_only(mode, 'k') && is_only(other, 'u'));
}

static void note_ignored_mode(struct judgement *judgement, const struct judgements *all)
{
    const char *mode, *other_mode;
    event_base(judgement->evidence->event, &mode);
    for (size_t i = 0; i < all->count && is_alive(judgement); i++) {
        const struct judgement *other = &all->list[i];
        event_base(other->evidence->event, &other_mode);
        if (!same_base(judgement->evidence, other->evidence) ||
            !should_differ(judgement, mode, other_mode, all) || !is_alive(other) ||
            !count_alike(judgement, other))
            continue;
        if (judgement->cause == CAUSE_NONE || judgement->cause == CAUSE_INTERFACE_OVERHEAD)
            judgement->cause = CAUSE_MODE_NOT_APPLICABLE;
        note_add(judgement->note, "The mode filters nothing: %.100s counts the same%s.",
                 other->evidence->event,
                 other_mode[0] ? "" : ", though a tracepoint lies in the kernel");
        return;
    }
}

/* --- a hypervisor that withholds the PMU --- */

/* A PMU that is no core's (pmu: msr, rapl) may be there where that of the cores is not. */
static bool any_hardware_opens(const struct judgements *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (is_hardware(all->list[i].evidence) && strcmp(all->list[i].evidence->kind, "pmu") != 0 &&
            all->list[i].verdict != VERDICT_UNSUPPORTED)
            return true;
    return false;
}

static void blame_hypervisor(const struct case_file *file, struct judgements *all)
{
    bool opens = any_hardware_opens(all);
    for (size_t i = 0; i < all->count && file->virtualized; i++) {
        struct judgement *judgement = &all->list[i];
        if (!is_hardware(judgement->evidence))
            continue;
        /* Still unknown: it lives in no other mode, and on no other type of core. */
        if (judgement->verdict == VERDICT_DEAD && judgement->cause == CAUSE_UNKNOWN) {
            blame(judgement, CAUSE_VIRTUALIZED);
            note_add(judgement->note,
                     "A hypervisor is between this machine and the CPU's counters: it lets the "
                     "event be opened, but does not count.");
        } else if (judgement->verdict == VERDICT_UNSUPPORTED && judgement->cause == CAUSE_NONE &&
                   strcmp(judgement->evidence->kind, "pmu") != 0 && !opens) {
            judgement->cause = CAUSE_VIRTUALIZED;
        }
    }
}

/* --- ranks --- */

double mean_relative_error(const struct judgement *judgement)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < judgement->row_count; i++)
        for (size_t j = 0; j < judgement->rows[i].point_count; j++) {
            const struct judged_point *judged = &judgement->rows[i].points[j];
            double predicted = point_predicted(judged);
            if (!point_demands_counts(judged) || predicted <= 0)
                continue;
            /* Limits: what is within them has no error. */
            double error = judged->mean - predicted;
            if (judged->point->truth.low != judged->point->truth.high && !judged->against_account)
                error = (judged->low + judged->high) / 2;
            sum += fmin(fabs(error) / predicted, 1e6);
            count++;
        }
    return count ? sum / (double)count : INFINITY;
}

/* Best first: exact, accurate, biased, noisy, dead; within them by error. Higher is worse. */
static double badness(const struct judgement *judgement)
{
    static const int order[VERDICT_COUNT] = {
        [VERDICT_EXACT] = 1, [VERDICT_ACCURATE] = 2, [VERDICT_BIASED] = 3,
        [VERDICT_NOISY] = 4, [VERDICT_DEAD] = 5,
    };
    double error = fmin(mean_relative_error(judgement), 1e6);
    return order[judgement->verdict] ? order[judgement->verdict] * 1e7 + error : INFINITY;
}

static bool same_class(const struct judgement *left, const struct judgement *right)
{
    const char *a = left->evidence->class, *b = right->evidence->class;
    return a && b && strcmp(a, b) == 0;
}

static void rank_event(struct judgement *judgement, const struct judgements *all)
{
    double own = badness(judgement);
    size_t rivals = 0, better = 0;
    for (size_t i = 0; i < all->count && isfinite(own); i++) {
        const struct judgement *other = &all->list[i];
        double theirs = badness(other);
        if (other == judgement || !same_class(judgement, other) || !isfinite(theirs))
            continue;
        rivals++;
        better += theirs < own;
    }
    judgement->rank = rivals ? (unsigned)better + 1 : 0;
}

void relate_events(const struct case_file *file, struct judgements *judgements)
{
    for (size_t i = 0; i < judgements->count; i++) {
        struct judgement *judgement = &judgements->list[i];
        if (judgement->verdict == VERDICT_DEAD)
            explain_dead_mode(judgement, judgements);
        note_ignored_mode(judgement, judgements);
        compare_settings(judgement);
        compare_cores(judgement);
        compare_paths(judgement);
        rank_event(judgement, judgements);
    }
    blame_hypervisor(file, judgements);
    check_identities(judgements);
}
