/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judge: the verdict on every event by itself, from all of its rows, the first in order of
 * precedence that applies; then what events say of one another. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "studies/validate/judge.h"

/* ----------------------------------------------------------------------------------------------
 * The case file in memory. */

struct point *evidence_add_point(struct evidence *evidence)
{
    struct point *point = memory_add(evidence->points, evidence->point_count);
    point->cpu = -1;
    point->faults = -1;
    point->switches = -1;
    return point;
}

const struct trait *point_trait(const struct point *point, enum trait_kind kind, const char *name)
{
    for (size_t i = 0; i < point->trait_count; i++)
        if (point->traits[i].kind == kind && strcmp(point->traits[i].name, name) == 0)
            return &point->traits[i];
    return NULL;
}

double point_class_count(const struct point *point, const char *class)
{
    const struct trait *trait = point_trait(point, TRAIT_CLASS, class);
    return trait ? (double)trait->count : 0;
}

bool point_same_way(const struct point *left, const struct point *right)
{
    return strcmp(left->path, right->path) == 0 && left->pattern == right->pattern &&
           strcmp(left->opt, right->opt) == 0 && strcmp(left->link, right->link) == 0 &&
           left->counters == right->counters && left->cpu == right->cpu &&
           left->has_unfiltered == right->has_unfiltered && strcmp(left->core, right->core) == 0;
}

/* ----------------------------------------------------------------------------------------------
 * The words for verdicts and causes, the same in tables, JSON and docs. */

const char *const verdict_names[VERDICT_COUNT] = {
    [VERDICT_UNSUPPORTED] = "unsupported",
    [VERDICT_UNSCHEDULED] = "unscheduled",
    [VERDICT_UNJUDGED] = "unjudged",
    [VERDICT_DEAD] = "dead",
    [VERDICT_NOISY] = "noisy",
    [VERDICT_EXACT] = "exact",
    [VERDICT_ACCURATE] = "accurate",
    [VERDICT_BIASED] = "biased",
};

const char *const cause_names[CAUSE_COUNT] = {
    [CAUSE_NONE] = NULL,
    [CAUSE_INTERFACE_OVERHEAD] = "interface-overhead",
    [CAUSE_KERNEL_LEAK] = "kernel-leak",
    [CAUSE_FAULT_OVERCOUNT] = "fault-overcount",
    [CAUSE_INTERRUPT_OVERCOUNT] = "interrupt-overcount",
    [CAUSE_OPCODE_OVERCOUNT] = "opcode-overcount",
    [CAUSE_MULTIPLEXING] = "multiplexing",
    [CAUSE_WRAP] = "wrap",
    [CAUSE_LOST_COUNTS] = "lost-counts",
    [CAUSE_THRESHOLD] = "threshold",
    [CAUSE_OTHER_DEFINITION] = "other-definition",
    [CAUSE_MODE_NOT_APPLICABLE] = "mode-not-applicable",
    [CAUSE_CORE_TYPE] = "core-type",
    [CAUSE_VIRTUALIZED] = "virtualized",
    [CAUSE_PERMISSION] = "permission",
    [CAUSE_UNKNOWN] = "unknown",
};

bool verdict_is_of_counts(enum verdict verdict)
{
    return verdict >= VERDICT_DEAD;
}

unsigned verdict_weight(enum verdict verdict, enum cause cause)
{
    if (verdict_is_of_counts(verdict))
        return 2;
    return verdict != VERDICT_UNJUDGED && cause != CAUSE_PERMISSION;
}

bool verdict_is_trusted(enum verdict verdict)
{
    return verdict == VERDICT_EXACT || verdict == VERDICT_ACCURATE;
}

int verdict_from_name(const char *name)
{
    for (int i = 0; i < VERDICT_COUNT; i++)
        if (strcmp(verdict_names[i], name) == 0)
            return i;
    return -1;
}

/* ----------------------------------------------------------------------------------------------
 * What an event's name and kind say of it: its mode, and whether the processor counts it. */

#define MODE_LETTERS "ukhGHIDe"

size_t event_base(const char *event, const char **mode)
{
    const char *colon = strrchr(event, ':'), *slash = strrchr(event, '/');
    const char *last = !colon || (slash && slash > colon) ? slash : colon;
    *mode = "";
    if (!last || !last[1] || last[1 + strspn(last + 1, MODE_LETTERS)])
        return strlen(event);
    *mode = last + 1;
    /* The slash belongs to the name, a colon does not. */
    return (size_t)(last - event) + (*last == '/');
}

bool event_same_base(const char *left, const char *right)
{
    const char *mode;
    size_t length = event_base(left, &mode);
    return length == event_base(right, &mode) && strncmp(left, right, length) == 0;
}

bool kind_is_of_cpu(const char *kind)
{
    static const char *const kinds[] = {"hardware", "cache", "pmu", "raw", "pfm", "papi"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

/* ----------------------------------------------------------------------------------------------
 * One event, measured in several ways: on cores of different types, and by different paths. Where
 * the answers differ, the difference is a verdict of its own. */

/* --- types of cores --- */

/* How one row speaks of its event. */
enum row_says { SAYS_NOTHING, SAYS_FINE, SAYS_WRONG, SAYS_NEVER /* no row does */ };

static enum row_says says(const struct judged_row *row)
{
    if (verdict_is_trusted(row->verdict))
        return SAYS_FINE;
    return row->verdict == VERDICT_DEAD || row->verdict == VERDICT_BIASED ||
                   row->verdict == VERDICT_UNSCHEDULED ||
                   (row->verdict == VERDICT_NOISY && row_matters(row))
               ? SAYS_WRONG
               : SAYS_NOTHING;
}

/* What rows of one kind have in common. */
enum row_kind { OF_CORE, OF_PATTERN, OF_COUNTERS };

static bool same_kind(const struct judged_row *left, const struct judged_row *right,
                      enum row_kind kind)
{
    return kind == OF_CORE      ? strcmp(left->core, right->core) == 0
           : kind == OF_PATTERN ? left->pattern == right->pattern
                                : left->counters == right->counters;
}

/* Does any row of this one's kind say it, and none the contrary? */
static bool all_rows(const struct judgement *judgement, const struct judged_row *of,
                     enum row_kind kind, enum row_says what, enum row_says contrary)
{
    size_t count = 0;
    for (size_t i = 0; i < judgement->row_count; i++) {
        const struct judged_row *row = &judgement->rows[i];
        if (!same_kind(row, of, kind))
            continue;
        if (says(row) == contrary)
            return false;
        count += says(row) == what;
    }
    return count > 0;
}

/* One row of a kind of which all are right, and one of a kind that is wrong and not right
 * anywhere. Rows that name no core belong to no type of core. */
static bool find_contrast(const struct judgement *judgement, enum row_kind kind,
                          const struct judged_row **right, const struct judged_row **wrong)
{
    *right = *wrong = NULL;
    for (size_t i = 0; i < judgement->row_count; i++) {
        const struct judged_row *row = &judgement->rows[i];
        if (kind == OF_CORE && !row->core[0])
            continue;
        if (!*right && all_rows(judgement, row, kind, SAYS_FINE, SAYS_WRONG))
            *right = row;
        /* On another type of core some may be right. */
        if (!*wrong &&
            all_rows(judgement, row, kind, SAYS_WRONG, kind == OF_CORE ? SAYS_NEVER : SAYS_FINE))
            *wrong = row;
    }
    return *right && *wrong;
}

/* One event in several patterns, with several numbers of counters, on cores of several types: a
 * note where one is right. The same code counted right one way and wrong another says where to
 * look. */
static void compare_settings(struct judgement *judgement)
{
    const struct judged_row *right, *wrong;
    if (find_contrast(judgement, OF_PATTERN, &right, &wrong))
        SAY(&judgement->why, PATTERNS, pattern_descriptions[right->pattern],
            pattern_descriptions[wrong->pattern]);
    if (find_contrast(judgement, OF_COUNTERS, &right, &wrong))
        SAY(&judgement->why, COUNTERS, right->counters, wrong->counters);
    if (!find_contrast(judgement, OF_CORE, &right, &wrong))
        return;
    judgement->cause = CAUSE_CORE_TYPE;
    SAY(&judgement->why, CORES, right->core, wrong->core);
    for (size_t i = 0; i < judgement->row_count; i++)
        if (strcmp(judgement->rows[i].core, right->core) != 0 &&
            says(&judgement->rows[i]) == SAYS_WRONG)
            judgement->rows[i].cause = CAUSE_CORE_TYPE;
}

/* --- paths --- */

static double spread(const struct judged_point *judged)
{
    return fmax(point_tolerance(judged), overhead_spread(judged));
}

/* The first point at which two ladders of the same code disagree: intervals so far apart that
 * neither noise nor overhead makes it. */
static bool rows_disagree(const struct judged_row *left, const struct judged_row *right,
                          const struct judged_point **one, const struct judged_point **other)
{
    for (size_t i = left->point_count; i-- > 0;)
        for (size_t j = 0; j < right->point_count; j++) {
            const struct judged_point *a = &left->points[i], *b = &right->points[j];
            double apart = fmax(spread(a), spread(b));
            if (a->point->n != b->point->n || a->runs <= 1 || b->runs <= 1 || !a->has_overhead ||
                !b->has_overhead ||
                (a->strict_low <= b->strict_high + apart &&
                 b->strict_low <= a->strict_high + apart))
                continue;
            *one = a;
            *other = b;
            return true;
        }
    return false;
}

/* One event by several paths. */
static void compare_paths(struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->row_count; i++)
        for (size_t j = i + 1; j < judgement->row_count; j++) {
            const struct judged_row *left = &judgement->rows[i], *right = &judgement->rows[j];
            const struct judged_point *one, *other;
            if (strcmp(left->specimen, right->specimen) != 0 ||
                strcmp(left->core, right->core) != 0 || strcmp(left->path, right->path) == 0 ||
                !rows_disagree(left, right, &one, &other))
                continue;
            judgement->disagrees = true;
            SAY(&judgement->why, PATHS, left->path, one->mean, right->path, other->mean,
                left->specimen, one->point->n);
            return;
        }
}

/* ----------------------------------------------------------------------------------------------
 * Events whose counts must add up to another's, whatever the truth: a check that needs no specimen
 * to be right. */

/* Classes: parts add up to the whole. */
static const struct identity {
    const char *whole, *parts[2];
} identities[] = {
    {"page-faults", {"minor-faults", "major-faults"}},
    {"cond-branches", {"cond-branches-taken", "cond-branches-not-taken"}},
};

/* The event of that class in the same mode. */
static const struct judgement *find_part(const struct judgements *all, const char *class,
                                         const struct judgement *whole)
{
    const char *mode, *wanted;
    event_base(whole->evidence->event, &wanted);
    for (size_t i = 0; i < all->count; i++) {
        const struct judgement *candidate = &all->list[i];
        event_base(candidate->evidence->event, &mode);
        if (candidate->evidence->class && strcmp(candidate->evidence->class, class) == 0 &&
            strcmp(mode, wanted) == 0 && candidate->runs > 0)
            return candidate;
    }
    return NULL;
}

static const struct judged_point *find_point(const struct judgement *judgement,
                                             const struct point *like)
{
    for (size_t i = 0; i < judgement->point_count; i++) {
        const struct judged_point *judged = judgement->points[i];
        if (judged->runs > 1 && judged->point->n == like->n &&
            strcmp(judged->point->specimen, like->specimen) == 0 &&
            point_same_way(judged->point, like))
            return judged;
    }
    return NULL;
}

/* Standard error of a mean. */
static double uncertainty(const struct judged_point *judged)
{
    return judged->stdev / sqrt((double)judged->runs);
}

/* true: it was broken, and said. */
static bool check_point(struct judgement *whole, const struct judged_point *judged,
                        const struct judgement *const parts[2])
{
    const struct judged_point *left = find_point(parts[0], judged->point);
    const struct judged_point *right = find_point(parts[1], judged->point);
    if (!left || !right || judged->runs < 2)
        return false;
    double sum = left->mean + right->mean, apart = fabs(judged->mean - sum);
    double doubt = 5 * (uncertainty(judged) + uncertainty(left) + uncertainty(right));
    double size = fmax(fabs(judged->mean), fabs(sum));
    if (apart <= fmax(0.01 * size, 1) + doubt)
        return false;
    SAY(&whole->why, SUM, judged->mean, parts[0]->evidence->event, parts[1]->evidence->event, sum,
        judged->point->specimen, judged->point->n);
    return true;
}

/* Events that add up; the first point of a whole at which they do not is said. */
static void check_identities(struct judgements *all)
{
    for (size_t i = 0; i < sizeof(identities) / sizeof(*identities); i++)
        for (size_t j = 0; j < all->count; j++) {
            struct judgement *whole = &all->list[j];
            if (!whole->evidence->class || strcmp(whole->evidence->class, identities[i].whole) != 0)
                continue;
            const struct judgement *const parts[] = {find_part(all, identities[i].parts[0], whole),
                                                     find_part(all, identities[i].parts[1], whole)};
            bool broken = !parts[0] || !parts[1];
            for (size_t row = 0; row < whole->row_count && !broken; row++)
                for (size_t at = whole->rows[row].point_count; at-- > 0 && !broken;)
                    broken = check_point(whole, &whole->rows[row].points[at], parts);
        }
}

/* ----------------------------------------------------------------------------------------------
 * What events say of one another: the same event in other modes, everything the processor counts,
 * and which event of a class is nearest to the truth. Comes after every event was judged by
 * itself. */

/* --- modes --- */

/* Counts something where something was to be counted. */
static bool is_alive(const struct judgement *judgement)
{
    return verdict_is_of_counts(judgement->verdict) && judgement->verdict != VERDICT_DEAD;
}

/* What is found of a dead event is so of its specimens. */
static void blame(struct judgement *dead, enum cause cause)
{
    dead->cause = cause;
    for (size_t i = 0; i < dead->row_count; i++)
        if (dead->rows[i].verdict == VERDICT_DEAD)
            dead->rows[i].cause = cause;
}

static void explain_dead_mode(struct judgement *dead, const struct judgements *all)
{
    const char *mode, *other_mode, *refused = NULL;
    event_base(dead->evidence->event, &mode);
    bool system = strchr(mode, 'k'), several = strchr(mode, 'h') || (system && strchr(mode, 'u'));
    for (size_t i = 0; i < all->count; i++) {
        const struct judgement *other = &all->list[i];
        if (other == dead || !event_same_base(dead->evidence->event, other->evidence->event))
            continue;
        event_base(other->evidence->event, &other_mode);
        if (!refused && !other_mode[0] && other->cause == CAUSE_PERMISSION)
            refused = other->evidence->event;
        if (!is_alive(other))
            continue;
        blame(dead, CAUSE_MODE_NOT_APPLICABLE);
        dead->why = (struct reasons){0};
        SAY(&dead->why, OTHER_MODE,
            !mode[0]            ? "the default mode"
            : several           ? "this mode"
            : system            ? "kernel mode"
            : strchr(mode, 'u') ? "user mode"
                                : "this mode",
            other->evidence->event);
        return;
    }
    /* The name that would tell a filter from a dead event may not be counted by this user. */
    if (refused)
        SAY(&dead->why, MODE_REFUSED, refused);
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

/* What lies in the kernel, as every tracepoint does, should be less in user mode than in all;
 * where the same event was counted in kernel mode alone that tells more. */
static bool should_differ(const struct judgement *judgement, const char *mode, const char *other,
                          const struct judgements *all)
{
    const char *third;
    if (other[0])
        return (is_only(mode, 'u') && is_only(other, 'k')) ||
               (is_only(mode, 'k') && is_only(other, 'u'));
    if (!is_only(mode, 'u') || strcmp(judgement->evidence->kind, "tracepoint") != 0)
        return false;
    for (size_t i = 0; i < all->count; i++) {
        event_base(all->list[i].evidence->event, &third);
        if (is_only(third, 'k') && all->list[i].runs > 0 &&
            event_same_base(judgement->evidence->event, all->list[i].evidence->event))
            return false;
    }
    return true;
}

static void note_ignored_mode(struct judgement *judgement, const struct judgements *all)
{
    const char *mode, *other_mode;
    event_base(judgement->evidence->event, &mode);
    for (size_t i = 0; i < all->count && is_alive(judgement); i++) {
        const struct judgement *other = &all->list[i];
        event_base(other->evidence->event, &other_mode);
        if (!event_same_base(judgement->evidence->event, other->evidence->event) ||
            !should_differ(judgement, mode, other_mode, all) || !is_alive(other) ||
            !count_alike(judgement, other))
            continue;
        if (judgement->cause == CAUSE_NONE || judgement->cause == CAUSE_INTERFACE_OVERHEAD)
            judgement->cause = CAUSE_MODE_NOT_APPLICABLE;
        if (other_mode[0])
            SAY(&judgement->why, NO_FILTER, other->evidence->event);
        else
            SAY(&judgement->why, NO_FILTER_IN_KERNEL, other->evidence->event);
        return;
    }
}

/* --- a filter that one event of a PMU showed to be ignored --- */

/* The PMU that a name spells out; "": that of the cores. */
static const char *pmu_of(const struct evidence *evidence, size_t *length)
{
    const char *slash = strcmp(evidence->kind, "pmu") == 0 ? strchr(evidence->event, '/') : NULL;
    *length = slash ? (size_t)(slash - evidence->event) : 0;
    return slash ? evidence->event : "";
}

/* An event of the cores has whichever PMU its core has. */
static bool same_pmu(const struct evidence *left, const struct evidence *right)
{
    size_t length, other;
    const char *one = pmu_of(left, &length), *two = pmu_of(right, &other);
    return !length || !other || (length == other && strncmp(one, two, length) == 0);
}

static void doubt_filter(struct judgement *judgement, const struct judgements *all)
{
    const struct evidence *evidence = judgement->evidence;
    if (judgement->filter != FILTER_UNKNOWN || !judgement->runs ||
        judgement->verdict == VERDICT_DEAD || !kind_is_of_cpu(evidence->kind) ||
        !event_is_user_only(evidence))
        return;
    for (size_t i = 0; i < all->count; i++) {
        const struct judgement *other = &all->list[i];
        if (other->filter != FILTER_IGNORED || !same_pmu(evidence, other->evidence))
            continue;
        if (verdict_is_trusted(judgement->verdict)) {
            judgement->verdict = VERDICT_UNJUDGED;
            judgement->limits = (struct judged_limits){.interrupts = NAN};
            judgement->usual = 0;
        }
        judgement->cause = CAUSE_KERNEL_LEAK;
        SAY(&judgement->why, FILTER_OF_PMU, other->evidence->event, other->leak);
        return;
    }
}

/* --- a hypervisor that withholds the PMU --- */

/* What a machine without a PMU answers. */
static bool is_absent(int error)
{
    return error == ENOENT || error == ENODEV || error == ENXIO || error == EOPNOTSUPP;
}

static void blame_hypervisor(const struct case_file *file, struct judgements *all)
{
    /* A PMU that is no core's (pmu: msr, rapl) may be there where that of the cores is not. */
    bool opens = false;
    for (size_t i = 0; i < all->count; i++)
        opens |= kind_is_of_cpu(all->list[i].evidence->kind) &&
                 strcmp(all->list[i].evidence->kind, "pmu") != 0 &&
                 all->list[i].verdict != VERDICT_UNSUPPORTED;
    for (size_t i = 0; i < all->count && file->virtualized; i++) {
        struct judgement *judgement = &all->list[i];
        if (!kind_is_of_cpu(judgement->evidence->kind))
            continue;
        /* Still unknown: it lives in no other mode, and on no other type of core. */
        if (judgement->verdict == VERDICT_DEAD && judgement->cause == CAUSE_UNKNOWN) {
            blame(judgement, CAUSE_VIRTUALIZED);
            SAY(&judgement->why, HYPERVISOR);
        } else if (judgement->verdict == VERDICT_UNSUPPORTED && judgement->cause == CAUSE_NONE &&
                   is_absent(judgement->evidence->error) &&
                   strcmp(judgement->evidence->kind, "pmu") != 0 && !opens) {
            judgement->cause = CAUSE_VIRTUALIZED;
        }
    }
}

/* --- ranks --- */

/* Best first: exact, accurate, biased, noisy, dead; within them by the mean over points that demand
 * counts of |error| in parts of the truth, at most 1e6. Higher is worse. */
static double badness(const struct judgement *judgement)
{
    static const int order[VERDICT_COUNT] = {
        [VERDICT_EXACT] = 1, [VERDICT_ACCURATE] = 2, [VERDICT_BIASED] = 3,
        [VERDICT_NOISY] = 4, [VERDICT_DEAD] = 5,
    };
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < judgement->point_count; i++) {
        const struct judged_point *judged = judgement->points[i];
        double predicted = point_predicted(judged), error = judged->mean - predicted;
        if (!point_demands_counts(judged) || predicted <= 0)
            continue;
        /* Limits: what is within them has no error. */
        if (judged->point->truth.low != judged->point->truth.high && !judged->against_account)
            error = (judged->low + judged->high) / 2;
        sum += fmin(fabs(error) / predicted, 1e6);
        count++;
    }
    double mean = count ? fmin(sum / (double)count, 1e6) : 1e6;
    return order[judgement->verdict] ? order[judgement->verdict] * 1e7 + mean : INFINITY;
}

static void rank_event(struct judgement *judgement, const struct judgements *all)
{
    const char *own_class = judgement->evidence->class;
    double own = badness(judgement);
    size_t rivals = 0, better = 0;
    for (size_t i = 0; i < all->count && own_class && isfinite(own); i++) {
        const struct judgement *other = &all->list[i];
        const char *class = other->evidence->class;
        if (other == judgement || !class || strcmp(own_class, class) != 0)
            continue;
        double theirs = badness(other);
        rivals += isfinite(theirs) != 0;
        better += theirs < own;
    }
    judgement->rank = rivals ? (unsigned)better + 1 : 0;
}

static void relate_events(const struct case_file *file, struct judgements *judgements)
{
    for (size_t i = 0; i < judgements->count; i++)
        doubt_filter(&judgements->list[i], judgements);
    for (size_t i = 0; i < judgements->count; i++) {
        struct judgement *judgement = &judgements->list[i];
        if (judgement->verdict == VERDICT_DEAD)
            explain_dead_mode(judgement, judgements);
        note_ignored_mode(judgement, judgements);
        compare_settings(judgement);
        compare_paths(judgement);
        rank_event(judgement, judgements);
    }
    blame_hypervisor(file, judgements);
    check_identities(judgements);
}

/* --- the verdict on one event by itself --- */

#define EXPLAINED_SHARE 0.5 /* of the squared errors: what is left is no longer most of it */

/* How many rows came to what. */
struct verdicts {
    size_t of[VERDICT_COUNT];
    size_t firm[VERDICT_COUNT];   /* of those on proven or bounded truths */
    size_t noisy;                 /* of the noisy ones those that speak against the counter */
    size_t inexact;               /* points on firm truths with a run that is not exact */
    size_t demand, zero, exact;   /* points that demand counts; that read 0; that are exact */
    size_t proven_exact;          /* points that demand counts by a proven truth, exact */
    size_t against;               /* rows on models that are too far off for the model's fault */
    const struct judged_row *far; /* the first of these */
    size_t unscheduled;           /* runs, over all points */
    size_t measured, none;        /* points with runs; of them without truth */
};

/* Noise that speaks against the counter: at an N that matters; or all over the place at the largest
 * N, where nothing matters only because the null cell of the way is as wild, and another way that
 * counts this very code right shows how it should be. */
static bool noise_counts(const struct judgement *judgement, const struct judged_row *row)
{
    const struct judged_point *last = &row->points[row->point_count - 1];
    if (row->verdict != VERDICT_NOISY || !grade_is_firm(row->grade))
        return false;
    if (row_matters(row) || !point_is_wild(last))
        return row_matters(row);
    for (size_t i = 0; i < judgement->row_count; i++) {
        const struct judged_row *other = &judgement->rows[i];
        if (!verdict_is_trusted(other->verdict) || strcmp(other->specimen, row->specimen) != 0)
            continue;
        for (size_t j = 0; j < other->point_count; j++)
            if (other->points[j].runs > 0 && other->points[j].point->n == last->point->n)
                return true;
    }
    return false;
}

static struct verdicts count_verdicts(const struct judgement *judgement,
                                      const struct circumstances *circumstances)
{
    struct verdicts verdicts = {0};
    for (size_t i = 0; i < judgement->row_count; i++) {
        const struct judged_row *row = &judgement->rows[i];
        verdicts.of[row->verdict]++;
        verdicts.firm[row->verdict] += grade_is_firm(row->grade);
        verdicts.noisy += noise_counts(judgement, row);
        bool far = false;
        for (size_t j = 0; j < row->point_count && row->grade == TRUTH_MODEL; j++)
            far |= point_is_far(&row->points[j]);
        verdicts.against += far;
        if (far && !verdicts.far)
            verdicts.far = row;
    }
    for (size_t i = 0; i < judgement->point_count; i++) {
        const struct judged_point *judged = judgement->points[i];
        enum truth_grade grade = point_grade(judged);
        enum standing standing = point_standing(judged, circumstances);
        bool demands = point_demands_counts(judged), exact = standing == STANDING_EXACT;
        verdicts.unscheduled += judged->unscheduled;
        verdicts.measured += judged->runs > 0;
        verdicts.none += judged->runs > 0 && grade == TRUTH_NONE;
        verdicts.demand += demands;
        verdicts.zero += demands && judged->is_zero;
        if (!grade_is_firm(grade) || standing == STANDING_NONE)
            continue;
        verdicts.inexact += !exact;
        verdicts.exact += exact;
        verdicts.proven_exact += demands && grade == TRUTH_PROVEN && exact;
    }
    return verdicts;
}

static enum verdict decide(const struct judgement *judgement, const struct verdicts *verdicts)
{
    if (verdicts->measured == 0)
        return verdicts->unscheduled > 0 ? VERDICT_UNSCHEDULED : VERDICT_UNJUDGED;
    if (verdicts->demand > 0 && verdicts->zero == verdicts->demand)
        return VERDICT_DEAD;
    /* What the filter lets through is no noise, and takes no truth to be seen. */
    if (judgement->filter == FILTER_IGNORED)
        return VERDICT_BIASED;
    /* Where other code decides, small counts may drown in what the way adds. */
    size_t right = verdicts->firm[VERDICT_EXACT] + verdicts->firm[VERDICT_ACCURATE];
    /* Dead on some code, alive on other. */
    size_t wrong = verdicts->firm[VERDICT_BIASED] + verdicts->firm[VERDICT_DEAD];
    if (verdicts->noisy > 0 || (right == 0 && verdicts->firm[VERDICT_NOISY] > wrong))
        return VERDICT_NOISY;
    if (wrong > 0)
        return VERDICT_BIASED;
    /* What speaks against it counts, whatever its grade; models alone speak for nothing. */
    if (verdicts->against > 0)
        return VERDICT_UNJUDGED;
    if (verdicts->inexact == 0 && verdicts->proven_exact > 0)
        return VERDICT_EXACT;
    return right > 0 ? VERDICT_ACCURATE : VERDICT_UNJUDGED;
}

/* --- the note --- */

/* The row that shows the verdict best: the first that has it, and rather one that predicts
 * something than one that predicts zero. */
static const struct judged_row *row_with(const struct judgement *judgement, enum verdict verdict)
{
    const struct judged_row *found = NULL;
    for (size_t i = 0; i < judgement->row_count; i++) {
        const struct judged_row *row = &judgement->rows[i];
        if (row->verdict != verdict)
            continue;
        for (size_t j = 0; j < row->point_count; j++)
            if (point_demands_counts(&row->points[j]))
                return row;
        found = found ? found : row;
    }
    return found;
}

static void note_row(struct judgement *judgement, enum verdict verdict, size_t others)
{
    const struct judged_row *row = row_with(judgement, verdict);
    if (!row)
        return;
    if (judgement->row_count == 1)
        reasons_append(&judgement->why, JOINT_SENTENCE, &row->why);
    else
        SAY(&judgement->why, OF_SPECIMEN, row->specimen, others > 1 ? (double)others : NAN,
            &row->why);
}

static void note_overhead(struct judgement *judgement)
{
    const struct judged_point *first = &judgement->rows[0].points[0];
    const char *path = judgement->rows[0].path;
    if (first->overhead_low != first->overhead_high)
        SAY(&judgement->why, ADDS, path, judgement->overhead, first->overhead_low,
            first->overhead_high);
    else if (judgement->overhead < 0)
        SAY(&judgement->why, TAKES_AWAY, path, -judgement->overhead);
    else
        SAY(&judgement->why, ADDS, path, judgement->overhead);
}

/* Is that the reason that the plan put into the store for want of a specimen (study.c)? */
static bool is_for_lack(const char *class, const char *reason)
{
    AUTO_MEMORY char *lack = memory_format(VALIDATE_LACK "%s", class);
    return strcmp(reason, lack) == 0;
}

/* Of its point furthest off. */
static double far_ratio(const struct judged_row *row)
{
    double most = 1;
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *judged = &row->points[i];
        const double ratio = judged->mean / fmax(point_predicted(judged), 1);
        if (point_is_far(judged) && fabs(log(fmax(ratio, 1e-9))) > fabs(log(most)))
            most = fmax(ratio, 1e-9);
    }
    return most;
}

/* Does it read 0 wherever it was measured, before anything is subtracted? */
static bool reads_zero(const struct judgement *judgement, size_t *runs, size_t *specimens)
{
    const struct evidence *evidence = judgement->evidence;
    *runs = *specimens = 0;
    for (size_t i = 0; i < evidence->point_count; i++)
        for (size_t j = 0; j < evidence->points[i].run_count; j++) {
            if (evidence->points[i].runs[j].value)
                return false;
            *runs += !evidence->points[i].is_null && evidence->points[i].runs[j].running > 0;
        }
    for (size_t i = 0; i < judgement->row_count; i++) {
        bool known = false;
        for (size_t j = 0; j < i && !known; j++)
            known = strcmp(judgement->rows[i].specimen, judgement->rows[j].specimen) == 0;
        *specimens += !known;
    }
    return *runs > 0;
}

static void note_unjudged(struct judgement *judgement, const struct verdicts *verdicts)
{
    const char *class = judgement->evidence->class, *reason = judgement->evidence->reason;
    size_t runs, specimens;
    judgement->unmatched =
        judgement->row_count == 0 || (reason && *reason && verdicts->measured == verdicts->none);
    if (!class)
        SAY(&judgement->why, UNKNOWN_CLASS);
    else if (judgement->unmatched && (!reason || is_for_lack(class, reason)))
        SAY(&judgement->why, NO_SPECIMEN, class);
    else if (judgement->unmatched && !*reason)
        SAY(&judgement->why, NO_TURN);
    else if (judgement->unmatched)
        SAY(&judgement->why, NOT_JUDGED,
            memory_format("%c%s", toupper((unsigned char)*reason), reason + 1));
    else if (verdicts->against > 0)
        SAY(&judgement->why, AGAINST_MODEL, verdicts->far->specimen,
            verdicts->against > 1 ? (double)verdicts->against : NAN, far_ratio(verdicts->far));
    else if (verdicts->measured == 0 || verdicts->measured > verdicts->none)
        note_row(judgement, VERDICT_UNJUDGED, 1);
    else
        SAY(&judgement->why, NONE_PREDICTS, class);
    judgement->reads_zero = reads_zero(judgement, &runs, &specimens);
    if (judgement->reads_zero)
        SAY(&judgement->why, READS_ZERO, runs, specimens);
    for (size_t i = 0; i < judgement->row_count && judgement->unmatched; i++)
        if (reasons_find(&judgement->rows[i].why, &validate_words[WHY_NO_PREDICTION]))
            judgement->rows[i].why = judgement->why;
}

static void write_note(struct judgement *judgement, const struct verdicts *verdicts)
{
    switch (judgement->verdict) {
    case VERDICT_UNJUDGED:
        note_unjudged(judgement, verdicts);
        break;
    case VERDICT_EXACT:
        SAY(&judgement->why, EXACT, verdicts->exact);
        judgement->usual = judgement->why.count;
        break;
    case VERDICT_ACCURATE:
        /* Exact wherever it could be judged, but not everywhere. */
        note_row(judgement,
                 row_with(judgement, VERDICT_ACCURATE) ? VERDICT_ACCURATE : VERDICT_EXACT, 1);
        break;
    case VERDICT_DEAD:
        SAY(&judgement->why, DEAD, verdicts->demand);
        break;
    case VERDICT_BIASED:
        note_row(judgement, verdicts->firm[VERDICT_BIASED] ? VERDICT_BIASED : VERDICT_DEAD,
                 verdicts->of[VERDICT_BIASED]);
        break;
    default:
        note_row(judgement, judgement->verdict, verdicts->of[judgement->verdict]);
        break;
    }
}

/* --- the cause --- */

static void take_explanation(struct judgement *judgement, const struct explained *explained)
{
    if (explained->count == 0)
        return;
    const struct reasons rest = judgement->why;
    judgement->cause = explained->list[0].cause;
    judgement->why = explained->note;
    reasons_append(&judgement->why, JOINT_SENTENCE, &rest);
}

static void find_cause(struct judgement *judgement, const struct verdicts *verdicts,
                       const struct explained *explained, const struct run_order *order)
{
    bool deviates = judgement->verdict == VERDICT_NOISY || judgement->verdict == VERDICT_BIASED;
    bool fine = verdict_is_trusted(judgement->verdict), differ = false;
    if (deviates || judgement->verdict == VERDICT_DEAD)
        judgement->cause = CAUSE_UNKNOWN;
    if (!fine && !deviates)
        return;
    if (judgement->verdict != VERDICT_EXACT) {
        take_explanation(judgement, explained);
        if (order->first_differs) {
            if (judgement->cause == CAUSE_UNKNOWN || judgement->cause == CAUSE_NONE)
                judgement->cause = order->error < 0 ? CAUSE_LOST_COUNTS : CAUSE_UNKNOWN;
            SAY(&judgement->why, FIRST_RUN, order->processes, 100 * order->error);
        }
    }
    note_disturbed(judgement);
    if (fine && judgement->has_overhead && judgement->overhead != 0) {
        if (judgement->cause == CAUSE_NONE)
            judgement->cause = CAUSE_INTERFACE_OVERHEAD;
        note_overhead(judgement);
    }
    for (size_t i = 0; i < judgement->point_count; i++)
        differ |= judgement->points[i]->processes_differ;
    if (deviates && explained->count == 0 && differ)
        SAY(&judgement->why, PROCESSES);
    if (!judgement->has_overhead)
        SAY(&judgement->why, NO_NULL);
    if (order->drifts) {
        if (judgement->cause == CAUSE_NONE || judgement->cause == CAUSE_INTERFACE_OVERHEAD)
            judgement->cause = CAUSE_UNKNOWN;
        SAY(&judgement->why, DRIFTS, order->up, order->drifting);
    }
    if (verdicts->unscheduled > 0)
        SAY(&judgement->why, UNSCHEDULED,
            100 * (double)verdicts->unscheduled /
                (double)(judgement->runs + verdicts->unscheduled));
    /* What each run was compared with, where that is no function of N. */
    if (judgement->row_count > 0 && judgement->rows[0].points[0].against_account)
        SAY(&judgement->why, ACCOUNT);
}

/* A row that deviates has the event's cause; one that is exact or dead tells its own. */
static void hand_down_cause(struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->row_count; i++) {
        struct judged_row *row = &judgement->rows[i];
        const struct judged_point *first = &row->points[0];
        if (row->verdict == VERDICT_NOISY || row->verdict == VERDICT_BIASED)
            row->cause = judgement->cause;
        else if (row->verdict == VERDICT_DEAD)
            row->cause = CAUSE_UNKNOWN;
        else if (verdict_is_trusted(row->verdict) && first->overhead != 0)
            row->cause = CAUSE_INTERFACE_OVERHEAD;
    }
}

/* --- what a verdict does not cover --- */

#define NEARLY_ALL 100 /* one in so many may be off beside runs that are exact */

/* An undisturbed run that is off where all others are right is no reason to call the event wrong,
 * and none to be silent: one that is far from its neighbours, or, where nearly all are exact, one
 * that is not. */
static void note_strays(struct judgement *judgement, const struct circumstances *circumstances)
{
    size_t strays = 0, inexact = 0, quiet = 0;
    double most = 0;
    const struct point *where = NULL;
    if (!verdict_is_trusted(judgement->verdict) || circumstances->strays_count)
        return;
    for (size_t i = 0; i < judgement->point_count; i++) {
        const struct judged_point *judged = judgement->points[i];
        if (!grade_is_firm(point_grade(judged)))
            continue;
        strays += judged->strays;
        quiet += judged->runs - judged->disturbed;
        inexact += judged->runs - judged->disturbed - judged->exact;
    }
    /* What has an explanation leaves only what is far off without a reason. */
    const bool nearly_exact = inexact * NEARLY_ALL <= quiet && judgement->explanation_count == 0;
    const size_t off = nearly_exact ? inexact : strays;
    for (size_t i = 0; i < judgement->point_count && off; i++) {
        const struct judged_point *judged = judgement->points[i];
        if (!grade_is_firm(point_grade(judged)) || (!nearly_exact && judged->strays == 0))
            continue;
        for (size_t k = 0; k < judged->point->run_count; k++) {
            const struct evidence_run *run = &judged->point->runs[k];
            double error;
            if (run_is_disturbed(judged, run) || !run_error(judged, run, &error) ||
                fabs(error) <= fabs(most))
                continue;
            most = error;
            where = judged->point;
        }
    }
    if (where)
        SAY(&judgement->why, STRAYED, off, quiet, most, where->specimen, where->n);
}

#define LEAST_N 3

/* A cause that nobody looked for is another unknown than one that was not found. */
static void note_missing(struct judgement *judgement)
{
    static const struct {
        const char *class, *name;
    } sought[] = {{"syscalls", "system calls"}, {"page-faults", "page faults"}};
    const struct evidence *evidence = judgement->evidence;
    AUTO_TEXT struct text missing = {0};
    const bool explained = judgement->explanation_count && judgement->explanations[0].share > 0;
    if (judgement->cause != CAUSE_UNKNOWN || !evidence->kind || !kind_is_of_cpu(evidence->kind) ||
        !event_is_user_only(evidence) || explained)
        return;
    /* Of what deviates, a plan that is not cut off takes three N of every specimen at least. */
    for (size_t i = 0; i < judgement->row_count && !missing.length; i++) {
        const struct judged_row *row = &judgement->rows[i];
        size_t measured = 0;
        for (size_t j = 0; j < row->point_count; j++)
            measured += row->points[j].runs > 0;
        if (grade_is_firm(row->grade) && row->counters == 1 && measured > 0 && measured < LEAST_N)
            text_printf(&missing, "more N of %s", row->specimen);
    }
    for (size_t i = 0; i < sizeof(sought) / sizeof(*sought); i++) {
        bool measured = false;
        for (size_t j = 0; j < judgement->point_count && !measured; j++) {
            const struct judged_point *judged = judgement->points[j];
            measured = judged->runs > 0 &&
                       point_class_count(judged->point, sought[i].class) >= CALLS_LEAST;
        }
        if (!measured)
            text_printf(&missing, "%s%s", missing.length ? ", " : "", sought[i].name);
    }
    if (missing.length)
        SAY(&judgement->why, UNDIAGNOSED, memory_text(&missing));
}

static int by_size(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* How long the window of a point usually was, and what came in between. */
static void look_at_windows(const struct judged_point *judged, uint64_t *usual, double *interrupts)
{
    const struct point *point = judged->point;
    AUTO_MEMORY uint64_t *times = memory_new(point->run_count, sizeof(*times));
    size_t count = 0;
    double sum = 0;
    for (size_t i = 0; i < point->run_count; i++)
        if (run_is_judged(judged, &point->runs[i])) {
            times[count++] = point->runs[i].enabled;
            sum += point->runs[i].interrupts;
        }
    qsort(times, count, sizeof(*times), by_size);
    *usual = count ? times[(count - 1) / 2] : 0;
    *interrupts = point->has_interrupts && count ? sum / (double)count : NAN;
}

static void find_limits(struct judgement *judgement, const struct circumstances *circumstances,
                        double right_to_ns)
{
    struct judged_limits *limits = &judgement->limits;
    limits->interrupts = NAN;
    for (size_t i = 0; i < judgement->point_count; i++) {
        const struct judged_point *judged = judgement->points[i];
        const enum standing standing = point_standing(judged, circumstances);
        uint64_t usual;
        double interrupts;
        /* What equals a model to the last count held what its code does, whoever proves it. */
        if (!verdict_is_trusted(judgement->verdict) ||
            (standing != STANDING_EXACT &&
             (standing != STANDING_WITHIN || !grade_is_firm(point_grade(judged)))))
            continue;
        limits->calls |= point_class_count(judged->point, "syscalls") > 0;
        limits->switches |= point_class_count(judged->point, "context-switches") > 0;
        limits->migrations |= point_class_count(judged->point, "cpu-migrations") > 0;
        look_at_windows(judged, &usual, &interrupts);
        /* The clock of a source runs for as long as its process lives. */
        if (usual <= limits->longest_ns || (double)usual > 1.5 * right_to_ns ||
            strcmp(judgement->evidence->kind, "source") == 0)
            continue;
        limits->longest_ns = usual;
        limits->longest_n = judged->point->n;
        limits->interrupts = interrupts;
    }
}

/* Behind what a table says as well, or behind the first sentence. */
static void note_reach(struct judgement *judgement)
{
    const struct judged_limits *limits = &judgement->limits;
    const char *const names[] = {limits->calls ? "system calls" : NULL,
                                 limits->switches ? "context switches" : NULL,
                                 limits->migrations ? "moves to another CPU" : NULL};
    const struct reasons all = judgement->why;
    const size_t at = judgement->usual ? judgement->usual : all.count > 0;
    AUTO_TEXT struct text held = {0};
    if (!limits->longest_ns)
        return;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i])
            text_printf(&held, "%s%s", held.length ? ", " : "", names[i]);
    judgement->why = (struct reasons){0};
    reasons_append(&judgement->why, JOINT_SENTENCE, &(struct reasons){all.list, at});
    SAY(&judgement->why, REACH, (double)limits->longest_ns, memory_text(&held));
    reasons_append(&judgement->why, JOINT_SENTENCE,
                   &(struct reasons){all.list + at, all.count - at});
    judgement->usual += judgement->usual > 0;
}

/* --- all of it --- */

void judge_event(const struct evidence *evidence, struct judgement *judgement)
{
    judgement->evidence = evidence;
    gather_rows(judgement);
    if (evidence->error != 0 && judgement->runs == 0) {
        const char *reason = evidence->reason;
        judgement->verdict = VERDICT_UNSUPPORTED;
        if (evidence->error == EACCES || evidence->error == EPERM)
            judgement->cause = CAUSE_PERMISSION;
        SAY(&judgement->why, REFUSED, reason && *reason ? reason : strerror(evidence->error));
        for (size_t i = 0; i < judgement->row_count; i++)
            judgement->rows[i].verdict = VERDICT_UNSUPPORTED;
        return;
    }
    struct explained explained = {.right_to_ns = INFINITY};
    test_filter(judgement);
    if (judgement->runs > 0)
        explain(judgement, &explained);
    double share = 0;
    for (size_t i = 0; i < explained.count; i++)
        share += explained.list[i].share;
    struct run_order order = compare_runs(judgement);
    struct circumstances circumstances = {
        .explained = order.first_differs || share >= EXPLAINED_SHARE,
        .strays_count = order.first_differs || too_many_strays(judgement),
    };
    for (size_t i = 0; i < judgement->row_count; i++)
        judge_row(&judgement->rows[i], &circumstances);
    struct verdicts verdicts = count_verdicts(judgement, &circumstances);
    judgement->verdict = decide(judgement, &verdicts);
    if (judgement->row_count > 0) {
        judgement->has_overhead = judgement->rows[0].points[0].has_overhead;
        judgement->overhead = judgement->rows[0].points[0].overhead;
    }
    struct explanation *explanations = memory_new(explained.count, sizeof(*explanations));
    memcpy(explanations, explained.list, explained.count * sizeof(*explanations));
    judgement->explanations = explanations;
    judgement->explanation_count = explained.count;
    judgement->fits = explained.fits;
    write_note(judgement, &verdicts);
    find_cause(judgement, &verdicts, &explained, &order);
    note_strays(judgement, &circumstances);
    note_missing(judgement);
    find_limits(judgement, &circumstances, explained.right_to_ns);
    note_reach(judgement);
    hand_down_cause(judgement);
}

struct judgements judge_case(const struct case_file *file)
{
    struct judgements judgements = {.list = memory_new(file->event_count, sizeof(*judgements.list)),
                                    .count = file->event_count};
    for (size_t i = 0; i < file->event_count; i++) {
        struct judgement *judgement = &judgements.list[i];
        judge_event(&file->events[i], judgement);
        /* A filter may say that there is no such call: that is a refusal. */
        if (judgement->verdict == VERDICT_UNSUPPORTED && file->filtered &&
            judgement->evidence->error == ENOSYS)
            judgement->cause = CAUSE_PERMISSION;
        judgements.runs += judgement->runs;
        judgements.disturbed += judgement->disturbed;
        for (size_t j = 0; j < judgement->row_count; j++)
            *memory_add(judgements.rows, judgements.row_count) = &judgement->rows[j];
    }
    relate_events(file, &judgements);
    return judgements;
}
