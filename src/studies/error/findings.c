/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The claims of the paper on the accuracy of counter measurements as data, and their way through
 * the rules: what the other parts of the judge found in, findings out (docs/findings.md). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "studies/error/study.h"

/* ----------------------------------------------------------------------------------------------
 * Why nothing could decide a claim about measurement error, in words for people: what cannot be
 * opened, what failed, what was not measured. */

static const struct error_cell *cell_of(const struct error_case *file, const char *event)
{
    for (size_t i = 0; i < file->cell_count; i++)
        if (strcmp(file->cells[i].event, event) == 0)
            return &file->cells[i];
    return NULL;
}

const char *event_class(const struct error_case *file, const char *event)
{
    const struct error_cell *cell = cell_of(file, event);
    return !cell ? NULL : cell->class ? cell->class : cell->base;
}

enum count_mode event_mode_of(const struct error_case *file, const char *event)
{
    const struct error_cell *cell = cell_of(file, event);
    return cell ? cell->mode : COUNT_ANY;
}

bool event_is_source(const struct error_case *file, const char *event)
{
    const struct error_cell *cell = cell_of(file, event);
    return cell && cell->kind && strcmp(cell->kind, "source") == 0;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The event itself, else the same in another mode, which fails for the same reason more often than
 * not. */
static const struct error_absence *absent_instructions(const struct error_case *file,
                                                       const char *event)
{
    const struct error_absence *other = NULL;
    for (size_t i = 0; i < file->absence_count; i++) {
        const struct error_absence *absence = &file->absences[i];
        if (strcmp(absence->what, event) == 0)
            return absence;
        if (!other &&
            (strcmp(absence->what, "instructions") == 0 || begins(absence->what, "instructions:")))
            other = absence;
    }
    return other;
}

static const char *given(const char *reason)
{
    return reason && *reason ? reason : "no reason was given";
}

/* Without what the machine said of it where `brief`: that stands with the event. */
static struct reasons why_no_instructions_as(const struct error_case *file, enum count_mode mode,
                                             bool brief)
{
    struct reasons why = {0};
    const char *event = memory_format("instructions:%s", count_mode_names[mode]);
    const struct error_absence *absence = absent_instructions(file, event);
    const char *failed = NULL;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (strcmp(cell->event, event) != 0 || cell->part != PART_NULL)
            continue;
        if (cell->runs > 0) {
            SAY(&why, CLAUSE, FOUND_OTHER_WAYS, event);
            return why;
        }
        failed = cell->reason ? cell->reason : failed;
    }
    if (absence)
        SAY(&why, CLAUSE, FOUND_REFUSED, absence->what, brief ? "" : given(absence->reason));
    else if (failed)
        SAY(&why, CLAUSE, FOUND_FAILED, event, brief ? "" : failed);
    else
        SAY(&why, CLAUSE, FOUND_NOT_MEASURED, event);
    return why;
}

struct reasons why_no_instructions(const struct error_case *file, enum count_mode mode)
{
    return why_no_instructions_as(file, mode, false);
}

void tell_untested_mode(const struct claim_facts *facts, enum count_mode mode,
                        struct finding *finding)
{
    const struct reasons why = why_no_instructions_as(facts->file, mode, true);
    finding->partly = true;
    BECAUSE(finding, MODE_UNTESTED, mode == COUNT_BOTH ? "user+kernel" : "user", &why);
}

/* Why a path, or several with this beginning, says nothing, as a clause: "perf-user could not
 * measure: …". */
static struct reasons why_no_path(const struct error_case *file, const char *beginning)
{
    struct reasons why = {0};
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (!why.count && begins(cell->path, beginning) && cell->runs == 0 && cell->reason)
            SAY(&why, CLAUSE, FOUND_PATH_FAILED, cell->path, cell->event, cell->reason);
    }
    for (size_t i = file->absence_count; i-- > 0 && !why.count;)
        if (begins(file->absences[i].what, beginning))
            SAY(&why, CLAUSE, FOUND_PATH_ABSENT, file->absences[i].what,
                given(file->absences[i].reason));
    if (!why.count)
        SAY(&why, CLAUSE, FOUND_NO_PATH, beginning);
    return why;
}

/* ----------------------------------------------------------------------------------------------
 * The level of the null error of each way to a count of instructions: what findings about paths,
 * patterns and modes compare. */

static bool path_reads_in_user_mode(const char *path)
{
    return begins(path, "perf-user");
}

/* Paths that count by a call of their own to the operating system or the CPU, with nothing between:
 * the paper's perfctr and perfmon. */
static bool path_is_direct(const char *path)
{
    return begins(path, "perf-");
}

/* Null errors of instructions in that mode, steps or measured; sources that count something else,
 * windows of no path and single processes are left out. */
static bool row_speaks(const struct error_row *row, uint32_t machine, bool stepped,
                       enum count_mode mode)
{
    /* Windows that no user of counters has: they belong to sources. */
    static const char *const no_ways[] = {"bare", "trap", "clock"};
    const struct error_cell *cell = row->cell;
    const char *counted = cell->class ? cell->class : cell->base;
    for (size_t i = 0; i < sizeof(no_ways) / sizeof(no_ways[0]); i++)
        if (strcmp(cell->path, no_ways[i]) == 0)
            return false;
    if (cell->machine != machine || !counted || strcmp(counted, "instructions") != 0 ||
        (cell->specimen && !begins(cell->specimen, "null")))
        return false;
    if (stepped)
        return cell->part == PART_STEPPED && mode == COUNT_USER;
    /* One process says nothing of the others. */
    return cell->part == PART_NULL && cell->mode == mode && cell->processes > 1 &&
           !(cell->kind && strcmp(cell->kind, "source") == 0);
}

/* So many processes have a 95 % interval of their median at all: the smallest and the largest of
 * fewer hold it less often. */
#define ENOUGH_PROCESSES 6

/* Later runs of a cell: the median and its interval, from the spread over so many processes: from
 * quartiles, with processes as the independent ones, as the notches of a box plot, 1.57 for 95 %.
 * Few processes: all that was seen. */
static struct level level_of_row(const struct error_row *row)
{
    const struct error_cell *cell = row->cell;
    const struct error_spread *later = &row->later;
    double median = (double)later->median, half = HUGE_VAL;
    if (cell->processes >= ENOUGH_PROCESSES)
        half = 1.57 * ((double)later->q3 - (double)later->q1) / sqrt((double)cell->processes);
    return (struct level){.machine = cell->machine,
                          .stepped = cell->part == PART_STEPPED,
                          .mode = cell->part == PART_STEPPED ? COUNT_USER : cell->mode,
                          .path = cell->path,
                          .pattern = cell->pattern,
                          .median = median,
                          .low = fmax(median - half, (double)later->min),
                          .high = fmin(median + half, (double)later->max),
                          .cells = 1,
                          .runs = cell->runs > cell->processes ? cell->runs - cell->processes
                                                               : cell->runs};
}

static int compare_ways(const void *left, const void *right)
{
    const struct level *one = left, *other = right;
    return FIRST_OF(ORDER(one->machine, other->machine), ORDER(one->stepped, other->stepped),
                    ORDER(one->mode, other->mode), strcmp(one->path, other->path),
                    ORDER(one->pattern, other->pattern));
}

struct weighed {
    double value, weight;
};

static int compare_values(const void *left, const void *right)
{
    return ORDER(((const struct weighed *)left)->value, ((const struct weighed *)right)->value);
}

/* The smallest value that half of the weight does not exceed: a cell's own, and where cells do not
 * vary that of all their runs together. */
static double middle(struct weighed *values, size_t count)
{
    double all = 0, sofar = 0;
    for (size_t i = 0; i < count; i++)
        all += values[i].weight;
    qsort(values, count, sizeof(*values), compare_values);
    for (size_t i = 0; i < count; i++) {
        sofar += values[i].weight;
        if (2 * sofar >= all)
            return values[i].value;
    }
    return values[count - 1].value;
}

/* Cells of one way become one level. room: [count]. */
static struct level merge(const struct level *cells, size_t count, struct weighed *room)
{
    struct level level = cells[0];
    double *const ends[] = {&level.median, &level.low, &level.high};
    level.cells = count;
    for (size_t i = 1; i < count; i++)
        level.runs += cells[i].runs;
    for (size_t end = 0; end < 3; end++) {
        for (size_t i = 0; i < count; i++) {
            const double of_cell[] = {cells[i].median, cells[i].low, cells[i].high};
            room[i] = (struct weighed){of_cell[end], (double)cells[i].runs};
        }
        *ends[end] = middle(room, count);
    }
    return level;
}

/* All levels of the report. */
static void find_levels(struct claim_facts *facts)
{
    const struct error_report *report = facts->report;
    struct level *list = memory_new(report->row_count, sizeof(*list));
    AUTO_MEMORY struct weighed *room = memory_new(report->row_count, sizeof(*room));
    size_t cells = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct error_row *row = &report->rows[i];
        const struct error_cell *cell = row->cell;
        if (cell->counters == 1 && !cell->separate &&
            (row_speaks(row, cell->machine, false, cell->mode) ||
             row_speaks(row, cell->machine, true, COUNT_USER)))
            list[cells++] = level_of_row(row);
    }
    qsort(list, cells, sizeof(*list), compare_ways);
    for (size_t first = 0, end; first < cells; first = end) {
        for (end = first + 1; end < cells && compare_ways(&list[first], &list[end]) == 0;)
            end++;
        list[facts->level_count++] = merge(&list[first], end - first, room);
    }
    facts->levels = list;
}

const struct level *level_find(const struct claim_facts *facts, bool stepped, enum count_mode mode,
                               const char *path, enum pattern pattern)
{
    for (size_t i = 0; i < facts->level_count; i++) {
        const struct level *level = &facts->levels[i];
        if (level->machine == facts->machine && level->stepped == stepped && level->mode == mode &&
            level->pattern == pattern && strcmp(level->path, path) == 0)
            return level;
    }
    return NULL;
}

/* ----------------------------------------------------------------------------------------------
 * Z3: what each further counter adds to read-read, in user+kernel mode and in user mode. */

/* Less than one instruction a counter is no growth. The paper's is 112. */
#define GROWTH 1.0

struct half {
    const struct error_by_counters *by;     /* that decides; NULL: not tested */
    const struct error_by_counters *beside; /* the other path that grows most */
    struct estimate estimate;
    bool stepped;
};

/* A path that reads all counters of a group by one system call decides. One that reads each by
 * itself in user mode, or asks a library to, executes more for more counters by construction: it is
 * told beside. */
static bool decides(const struct error_by_counters *by)
{
    return path_is_direct(by->path) && !path_reads_in_user_mode(by->path) && !by->separate;
}

static struct half look_at(const struct claim_facts *facts, bool stepped, enum count_mode mode)
{
    struct half half = {.stepped = stepped};
    for (size_t i = 0; i < facts->report->by_counters_count; i++) {
        const struct error_by_counters *by = &facts->report->by_counters[i];
        const char *class = event_class(facts->file, by->event);
        if (by->machine != facts->machine || by->pattern != PATTERN_RR || by->points < 2 ||
            by->stepped != stepped || (!stepped && by->mode != mode) || !class ||
            strcmp(class, "instructions") != 0)
            continue;
        if (!decides(by)) {
            if (!by->separate && (!half.beside || by->slope > half.beside->slope))
                half.beside = by;
            continue;
        }
        struct estimate estimate = mode == COUNT_BOTH
                                       ? estimate_at_least(by->slope, by->low, by->high, GROWTH)
                                       : estimate_within(by->slope, by->low, by->high, GROWTH);
        if (!half.by || verdict_graver(estimate.verdict, half.estimate.verdict)) {
            half.by = by;
            half.estimate = estimate;
        }
    }
    return half;
}

static void tell(const struct half *half, const char *mode, struct finding *finding)
{
    const struct error_by_counters *by = half->by;
    const struct error_point *first = &by->list[0], *last = &by->list[by->points - 1];
    BECAUSE(finding, COUNTERS, mode, half->stepped ? "stepped" : "", by->path, first->median,
            first->counters, last->median, last->counters);
    if (half->beside && half->beside->slope >= GROWTH)
        BECAUSE(finding, OWN_CODE, half->beside->path, round(half->beside->slope * 10) / 10);
}

static void rule_more_counters(const struct claim *claim, const void *context,
                               struct finding *finding)
{
    const struct claim_facts *facts = context;
    (void)claim;
    struct half both = look_at(facts, false, COUNT_BOTH);
    struct half user = look_at(facts, false, COUNT_USER);
    if (!user.by)
        user = look_at(facts, true, COUNT_USER);
    if (!both.by && !user.by) {
        BECAUSE(finding, ONE_NUMBER);
        because_all(why_no_instructions(facts->file, COUNT_BOTH), finding);
        return;
    }
    bool user_decides =
        user.by && (!both.by || verdict_graver(user.estimate.verdict, both.estimate.verdict));
    estimate_report(user_decides ? &user.estimate : &both.estimate, finding);
    if (both.by)
        tell(&both, "user+kernel mode", finding);
    if (user.by)
        tell(&user, "user mode", finding);
    if (!both.by || !user.by)
        tell_untested_mode(facts, both.by ? COUNT_USER : COUNT_BOTH, finding);
}

/* ----------------------------------------------------------------------------------------------
 * Z4: direct use of the operating system's counters against PAPI's low and high level, each with
 * its best pattern, in user mode; user+kernel mode is told beside. */

/* A step up adds something when it is an instruction at least. */
#define ADDED 1.0

enum { DIRECT, PAPI_LOW, PAPI_HIGH, INTERFACES };

/* The best path and pattern of each interface; NULL: not measured. */
struct ladder {
    const struct level *best[INTERFACES];
};

static struct ladder climb(const struct claim_facts *facts, bool stepped, enum count_mode mode)
{
    struct ladder ladder = {0};
    for (size_t i = 0; i < facts->level_count; i++) {
        const struct level *level = &facts->levels[i];
        int interface = path_is_direct(level->path)             ? DIRECT
                        : strcmp(level->path, "papi-low") == 0  ? PAPI_LOW
                        : strcmp(level->path, "papi-high") == 0 ? PAPI_HIGH
                                                                : -1;
        if (interface >= 0 && level->machine == facts->machine && level->stepped == stepped &&
            level->mode == mode &&
            (!ladder.best[interface] || level->median < ladder.best[interface]->median))
            ladder.best[interface] = level;
    }
    return ladder;
}

static bool can_tell(const struct ladder *ladder)
{
    return ladder->best[DIRECT] && (ladder->best[PAPI_LOW] || ladder->best[PAPI_HIGH]);
}

/* The step that decides: what is refuted first, and of equals the smaller. */
static struct estimate least_step(const struct ladder *ladder)
{
    struct estimate least = {.verdict = FINDING_UNTESTABLE};
    const struct level *below = ladder->best[DIRECT];
    for (int i = PAPI_LOW; i < INTERFACES; i++) {
        const struct level *level = ladder->best[i];
        if (!level)
            continue;
        struct estimate step =
            estimate_at_least(level->median - below->median, level->low - below->high,
                              level->high - below->low, ADDED);
        if (verdict_graver(step.verdict, least.verdict) ||
            (step.verdict == least.verdict && step.value < least.value))
            least = step;
        below = level;
    }
    return least;
}

static void interfaces_tell(const struct ladder *ladder, const char *mode, bool stepped,
                            struct finding *finding)
{
    struct reasons words = {0};
    for (int i = 0; i < INTERFACES; i++)
        if (ladder->best[i])
            SAY(&words, NONE, words.count ? FOUND_NEXT_INTERFACE : FOUND_INTERFACE,
                ladder->best[i]->path, pattern_descriptions[ladder->best[i]->pattern],
                ladder->best[i]->median);
    BECAUSE(finding, INTERFACES, mode, stepped ? "stepped on an event of the operating system" : "",
            &words);
}

static void rule_interfaces(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct claim_facts *facts = context;
    (void)claim;
    struct ladder user = climb(facts, false, COUNT_USER), steps = climb(facts, true, COUNT_USER);
    bool stepped = !can_tell(&user) && can_tell(&steps);
    if (!can_tell(&user) && !stepped) {
        because_all(user.best[DIRECT] || steps.best[DIRECT]
                        ? why_no_path(facts->file, "papi-")
                        : why_no_instructions(facts->file, COUNT_USER),
                    finding);
        return;
    }
    user = stepped ? steps : user;
    struct estimate step = least_step(&user);
    estimate_report(&step, finding);
    interfaces_tell(&user, "user mode", stepped, finding);
    for (int i = PAPI_LOW; i < INTERFACES; i++)
        if (!user.best[i]) {
            const struct reasons why =
                why_no_path(facts->file, i == PAPI_LOW ? "papi-low" : "papi-high");
            finding->partly = true;
            BECAUSE(finding, NOT_TESTED, &why);
        }
    struct ladder both = climb(facts, false, COUNT_BOTH);
    if (can_tell(&both))
        interfaces_tell(&both, "user+kernel mode", false, finding);
}

/* ----------------------------------------------------------------------------------------------
 * Z1: how far the null errors of all ways to measure lie apart, the largest cell against the
 * smallest, in user mode and in user+kernel mode. */

/* "Widely": by an order of magnitude. The paper's figures lie seventyfold apart and more. */
#define WIDE 10.0

/* One half of the claim: a mode. */
struct spread_half {
    bool tested, stepped;
    const struct error_row *least, *most;
    const char *path; /* of the first cell */
    size_t cells;
    unsigned patterns; /* bits */
    bool paths_differ;
    struct estimate estimate;
};

static struct spread_half spread_look_at(const struct claim_facts *facts, bool stepped,
                                         enum count_mode mode)
{
    struct spread_half half = {.stepped = stepped};
    for (size_t i = 0; i < facts->report->row_count; i++) {
        const struct error_row *row = &facts->report->rows[i];
        if (!row_speaks(row, facts->machine, stepped, mode))
            continue;
        if (!half.cells++) {
            half.least = half.most = row;
            half.path = row->cell->path;
        }
        half.patterns |= 1u << row->cell->pattern;
        half.paths_differ = half.paths_differ || strcmp(half.path, row->cell->path) != 0;
        if (row->later.median < half.least->later.median)
            half.least = row;
        if (row->later.median > half.most->later.median)
            half.most = row;
    }
    half.tested = half.paths_differ && (half.patterns & (half.patterns - 1)) != 0;
    if (!half.tested)
        return half;
    struct level least = level_of_row(half.least), most = level_of_row(half.most);
    /* No error at all counts as one instruction: a factor over 0 has no size. */
    half.estimate =
        estimate_at_least(most.median / fmax(least.median, 1), most.low / fmax(least.high, 1),
                          most.high / fmax(least.low, 1), WIDE);
    return half;
}

static struct reasons cell_told(const struct error_row *row)
{
    const struct error_cell *cell = row->cell;
    struct reasons told = {0};
    SAY(&told, CLAUSE, FOUND_CELL, row->later.median, cell->path,
        pattern_descriptions[cell->pattern], cell->opt, cell->link,
        cell->counters == 1 ? NAN : (double)cell->counters);
    return told;
}

static void spread_tell(const struct spread_half *half, const char *mode, struct finding *finding)
{
    const struct reasons least = cell_told(half->least), most = cell_told(half->most);
    BECAUSE(finding, SPREAD, mode, half->stepped ? "stepped" : "", &least, &most,
            round(half->estimate.value * 10) / 10, half->cells);
}

static void rule_spread(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct claim_facts *facts = context;
    (void)claim;
    struct spread_half user = spread_look_at(facts, false, COUNT_USER);
    if (!user.tested) {
        struct spread_half steps = spread_look_at(facts, true, COUNT_USER);
        user = steps.cells > 0 ? steps : user;
    }
    struct spread_half both = spread_look_at(facts, false, COUNT_BOTH);
    const struct spread_half *decides = user.tested ? &user : &both;
    if (user.tested && both.tested &&
        (verdict_graver(both.estimate.verdict, user.estimate.verdict) ||
         (both.estimate.verdict == user.estimate.verdict &&
          both.estimate.value < user.estimate.value)))
        decides = &both;
    if (!decides->tested) {
        const struct reasons why = why_no_instructions(facts->file, COUNT_USER);
        if (user.cells + both.cells > 0)
            BECAUSE(finding, FEW_WAYS);
        else
            BECAUSE(finding, NO_INSTRUCTIONS, &why);
        return;
    }
    estimate_report(&decides->estimate, finding);
    if (user.tested)
        spread_tell(&user, "user mode", finding);
    else
        tell_untested_mode(facts, COUNT_USER, finding);
    if (both.tested)
        spread_tell(&both, "user+kernel mode", finding);
    else
        tell_untested_mode(facts, COUNT_BOTH, finding);
}

/* ----------------------------------------------------------------------------------------------
 * Z2: a counter read in user mode against one read by a system call, in user+kernel mode, which is
 * where a system call costs; and the same path in both modes. */

/* "Cuts": by half at least. The paper's factor is 15.5. */
#define CUT 2.0
/* "Equally": within this share, or one instruction. */
#define EQUAL 0.05

/* The path with the smallest level of a pattern, among those that read in user mode or by a system
 * call. The others (PAPI) do either, as they like. */
static const struct level *least_level(const struct claim_facts *facts, enum count_mode mode,
                                       enum pattern pattern, bool in_user_mode)
{
    const struct level *least = NULL;
    for (size_t i = 0; i < facts->level_count; i++) {
        const struct level *level = &facts->levels[i];
        if (level->machine == facts->machine && !level->stepped && level->mode == mode &&
            level->pattern == pattern && path_is_direct(level->path) &&
            path_reads_in_user_mode(level->path) == in_user_mode &&
            (!least || level->median < least->median))
            least = level;
    }
    return least;
}

/* Does the path err equally in both modes? Untestable where it has one only. */
static struct estimate compare_modes(const struct claim_facts *facts, const struct level *both,
                                     struct finding *finding)
{
    const struct level *user = level_find(facts, false, COUNT_USER, both->path, both->pattern);
    if (!user) {
        BECAUSE(finding, NO_USER_MODE);
        return (struct estimate){.verdict = FINDING_UNTESTABLE};
    }
    double most = fmax(1, EQUAL * user->median);
    struct estimate equal = estimate_within(both->median - user->median, both->low - user->high,
                                            both->high - user->low, most);
    BECAUSE(finding, USER_MODE, user->median,
            equal.verdict == FINDING_HOLDS   ? "the same"
            : equal.verdict == FINDING_FAILS ? "not the same"
                                             : "not surely the same");
    return equal;
}

static void tell_why_not(const struct claim_facts *facts, bool has_user, struct finding *finding)
{
    bool any = false;
    for (size_t i = 0; i < facts->level_count; i++)
        any = any || (facts->levels[i].machine == facts->machine && !facts->levels[i].stepped &&
                      facts->levels[i].mode == COUNT_BOTH);
    if (any && has_user)
        BECAUSE(finding, NO_CALL);
    else
        because_all(any ? why_no_path(facts->file, "perf-user")
                        : why_no_instructions(facts->file, COUNT_BOTH),
                    finding);
    if (!any)
        BECAUSE(finding, CALLS_SHOW);
}

static void rule_user_reads(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct claim_facts *facts = context;
    (void)claim;
    static const enum pattern reading[] = {PATTERN_RR, PATTERN_RO, PATTERN_AR};
    bool decided = false, has_user = false;
    for (size_t i = 0; i < sizeof(reading) / sizeof(reading[0]); i++) {
        const struct level *user = least_level(facts, COUNT_BOTH, reading[i], true);
        const struct level *call = least_level(facts, COUNT_BOTH, reading[i], false);
        has_user = has_user || user;
        if (!user || !call)
            continue;
        BECAUSE(finding, READS, pattern_descriptions[user->pattern], call->median, call->path,
                user->median, user->path);
        if (decided)
            continue;
        decided = true;
        struct estimate less =
            estimate_at_least(call->median / fmax(user->median, 1), call->low / fmax(user->high, 1),
                              call->high / fmax(user->low, 1), CUT);
        struct estimate equal = compare_modes(facts, user, finding);
        estimate_report(&less, finding);
        if (verdict_graver(equal.verdict, less.verdict))
            finding->verdict = equal.verdict;
    }
    if (!decided)
        tell_why_not(facts, has_user, finding);
}

/* --- the whole --- */

static const struct claim claims[ERROR_FINDINGS] = {
    {"Z1", "the error of an empty window spreads widely over the ways to measure it",
     "near 0 to over 2,500 instructions in user mode, to over 10,000 in user+kernel mode", "times",
     rule_spread, false, NULL},
    {"Z2",
     "reading in user mode cuts the error of patterns that read, and errs equally in user and "
     "user+kernel mode",
     "read-read from 1,698 to 109.5 instructions, a factor of 15.5", "times", rule_user_reads,
     false, NULL},
    {"Z3",
     "more counters bring more error for read-read in user+kernel mode, and none in user mode",
     "573 instructions with one counter, 909 with four: 112 for each further one",
     "instructions a counter", rule_more_counters, false, NULL},
    {"Z4", "an interface of a higher level adds error",
     "user mode: direct 37 or 67, PAPI low level 134 or 152, high level 236 instructions",
     "instructions", rule_interfaces, false, NULL},
    {"Z5", "the best pattern depends on path and mode",
     "user mode: read-read directly through perfmon, start-read through the five other ways",
     "instructions", rule_patterns, false, NULL},
    {"Z6",
     "path, pattern, number of counters and processor matter; the optimisation level does not",
     "all but the optimisation level significant, p < 2e-16", "% of the variance", rule_factors,
     true, NULL},
    {"Z7", "the error in user+kernel mode grows with the duration, whatever the path",
     "0.001 to 0.002 instructions an iteration", "instructions an iteration", rule_both_duration,
     false, NULL},
    {"Z8", "the error in user mode does not grow with the duration",
     "0.0000004 instructions an iteration", "instructions an iteration", rule_user_duration, false,
     NULL},
    {"Z9",
     "kernel-only counts of a loop in user code grow with the loop, as the error in user+kernel "
     "mode does",
     "0.00204 instructions an iteration in both", "instructions an iteration", rule_kernel_duration,
     false, NULL},
    {"Z10",
     "cycles of one and the same loop differ by a factor with the place of its code; neither "
     "pattern nor optimisation level alone explains it",
     "2 or 3 cycles an iteration on Athlon 64, 1.5 to 4 on Pentium D", "times", rule_placement,
     false, NULL},
};

static void turn(void *facts, size_t machine)
{
    ((struct claim_facts *)facts)->machine = (uint32_t)machine;
}

static void tell_machines(const void *context, const enum finding_verdict *verdicts,
                          struct finding *finding)
{
    const struct claim_facts *facts = context;
    const struct error_case *file = facts->file;
    size_t decided = 0;
    for (size_t i = 0; i < file->machine_count; i++)
        decided += verdicts[i] != FINDING_UNTESTABLE;
    if (file->machine_count > 1 && decided > 0)
        BECAUSE(finding, MACHINES, file->machine_count, decided,
                file->machines[facts->machine].name ? file->machines[facts->machine].name : "one");
}

void error_judge_findings(const struct error_case *file, struct error_report *report)
{
    struct claim_facts facts = {.file = file, .report = report};
    const struct claiming claiming = {.paper = "zaparanuks-accuracy",
                                      .claims = claims,
                                      .count = ERROR_FINDINGS,
                                      .facts = &facts,
                                      .machines = file->machine_count,
                                      .turn = turn,
                                      .after = tell_machines};
    find_levels(&facts);
    findings_judge(&claiming, report->findings);
}
