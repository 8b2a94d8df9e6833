/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The claims of the paper on the overhead of self-monitoring as data, and their way through the
 * rules: what the other parts of the judge found in, findings out (docs/findings.md). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "studies/overhead/study.h"

/* ----------------------------------------------------------------------------------------------
 * Why a claim about overhead cannot be tested here, in words for people: the machine's own reason
 * for the operation that is missing. */

/* An absence may name the operation ("perf-user.read"), its path, or the path with more behind it.
 * The closest name wins. */
static size_t closeness(const char *what, const char *operation)
{
    size_t path = strcspn(operation, ".");
    if (strcmp(what, operation) == 0)
        return 3;
    if (strncmp(what, operation, path) != 0)
        return 0;
    return what[path] == '\0' ? 2 : what[path] == '.' || what[path] == ' ';
}

static const char *absence_of(const struct overhead_facts *facts, const char *operation)
{
    const struct overhead_absence *closest = NULL;
    size_t most = 0;
    for (size_t i = 0; i < facts->file->absence_count; i++) {
        const struct overhead_absence *absence = &facts->file->absences[i];
        size_t close = absence->what ? closeness(absence->what, operation) : 0;
        if (close > most) {
            most = close;
            closest = absence;
        }
    }
    return closest ? closest->reason : NULL;
}

static bool calls(const struct overhead_facts *facts, const struct overhead_tour *tour,
                  const char *operation)
{
    int index = overhead_operation_index(facts->file, operation);
    for (size_t i = 0; index >= 0 && i < tour->length; i++)
        if (tour->calls[i] == (uint32_t)index)
            return true;
    return false;
}

/* Why processes that should have called it failed. */
static const char *failure_of(const struct overhead_facts *facts, const char *operation)
{
    for (size_t i = 0; i < facts->file->tour_count; i++) {
        const struct overhead_tour *tour = &facts->file->tours[i];
        if (tour->machine == facts->machine && tour->failed && tour->reason &&
            calls(facts, tour, operation))
            return tour->reason;
    }
    return NULL;
}

/* "perf-user.read cannot be called here: this CPU has no counters" */
static void say_why_not_called(const struct overhead_facts *facts, const char *operation,
                               struct reasons *why)
{
    const char *absent = absence_of(facts, operation);
    const char *reason = absent ? absent : failure_of(facts, operation);
    if (!reason)
        TELL(why, SAYS_CALL_UNMEASURED, operation);
    else
        TELL(why, absent ? SAYS_CALL_ABSENT : SAYS_CALL_FAILED, operation,
             *reason ? reason : "no reason was given");
}

void say_absent(const struct overhead_facts *facts, const char *operation, struct reasons *why)
{
    if (!facts->file->machine_count)
        TELL(why, SAYS_NOTHING_MEASURED);
    else if (!facts->has_unit)
        TELL(why, SAYS_UNIT_UNMETERED, meter_unit_names[facts->unit]);
    else
        say_why_not_called(facts, operation, why);
}

/* ----------------------------------------------------------------------------------------------
 * What an operation costs on one machine, so that it can be held against another one: user and
 * kernel code together, after the same predecessors, in processes of the same kind. */

bool unit_is_time(enum meter_unit unit)
{
    return unit == METER_TICKS || unit == METER_NS || unit == METER_CYCLES;
}

bool cost_is_known(const struct cost *cost)
{
    return cost->processes > 0;
}

struct cost cost_plus(struct cost one, struct cost other)
{
    if (!cost_is_known(&one) || !cost_is_known(&other))
        return (struct cost){0};
    size_t fewest = one.processes < other.processes ? one.processes : other.processes;
    return (struct cost){.value = one.value + other.value,
                         .low = one.low + other.low,
                         .high = one.high + other.high,
                         .least = one.least + other.least,
                         .most = one.most + other.most,
                         .faults = one.faults + other.faults,
                         .processes = fewest};
}

struct cost cost_times(struct cost cost, double factor)
{
    cost.value *= factor, cost.low *= factor, cost.high *= factor;
    cost.least *= factor, cost.most *= factor;
    cost.faults *= factor;
    return cost;
}

static struct cost cost_of_row(const struct overhead_facts *facts, const struct overhead_row *row)
{
    struct cost cost = {.value = row->median,
                        .low = row->low,
                        .high = row->high,
                        .least = row->median,
                        .most = row->median,
                        .faults = row->runs ? (double)row->faults / (double)row->runs : 0,
                        .processes = row->processes};
    bool by_steps = unit_is_time(facts->unit) || row->meter->step > 1;
    const struct overhead_timer *timer = overhead_timer_of(facts->report, row->machine, row->meter);
    /* No interval is narrower than the step in which the meter counts. */
    double half = by_steps && timer && timer->known ? timer->resolution / 2 : 0;
    /* One process limits nothing; fmin and fmax take the other of a number and NaN. */
    cost.low = row->processes > 1 ? fmin(cost.low, cost.value - half) : -HUGE_VAL;
    cost.high = row->processes > 1 ? fmax(cost.high, cost.value + half) : HUGE_VAL;
    for (size_t i = 0; row->level_count > 1 && i < row->level_count; i++) {
        cost.least = fmin(cost.least, row->levels[i].median);
        cost.most = fmax(cost.most, row->levels[i].median);
    }
    return cost;
}

static bool is_operation(const struct overhead_facts *facts, int32_t index, const char *name)
{
    return index >= 0 && (size_t)index < facts->file->operation_count &&
           overhead_same_word(facts->file->operations[index].name, name);
}

/* One call of an operation on one counter, of this machine, in this unit. */
static bool concerns(const struct overhead_facts *facts, const struct overhead_row *row,
                     enum temperature temperature, const char *link, const char *operation)
{
    return row->machine == facts->machine && row->meter->unit == facts->unit &&
           row->temperature == temperature && row->runs > 0 && row->events <= 1 &&
           row->reads <= 1 && !row->all_predecessors &&
           (!link || overhead_same_word(row->link, link)) &&
           is_operation(facts, (int32_t)row->operation, operation);
}

static const struct overhead_row *row_like(const struct overhead_facts *facts,
                                           const struct overhead_row *like, const char *operation,
                                           const char *mode)
{
    for (size_t i = 0; i < facts->report->row_count; i++) {
        const struct overhead_row *row = &facts->report->rows[i];
        if (concerns(facts, row, like->temperature, like->link, operation) &&
            (row->predecessor == like->predecessor &&
             row->predecessor_times == like->predecessor_times && row->position == like->position &&
             row->separate == like->separate && overhead_same_word(row->link, like->link) &&
             overhead_same_word(row->counted, like->counted)) &&
            overhead_same_word(row->meter->mode, mode))
            return row;
    }
    return NULL;
}

/* The operation in the circumstances of `like`, in all modes together: what is metered in user mode
 * alone needs the other half, too. */
static struct cost whole_cost(const struct overhead_facts *facts, const struct overhead_row *like,
                              const char *operation)
{
    const struct overhead_row *row = NULL;
    if (!overhead_has_one_mode(like->meter)) {
        row = row_like(facts, like, operation, like->meter->mode);
        return row ? cost_of_row(facts, row) : (struct cost){0};
    }
    const struct overhead_row *user = row_like(facts, like, operation, "u");
    const struct overhead_row *kernel = row_like(facts, like, operation, "k");
    if (!user || !kernel)
        return (struct cost){0};
    struct cost whole = cost_plus(cost_of_row(facts, user), cost_of_row(facts, kernel));
    whole.faults = cost_of_row(facts, user).faults; /* the same faults, seen by both */
    return whole;
}

/* Kernel rows are found beside those of user mode. */
static bool leads(const struct overhead_row *row)
{
    return !overhead_same_word(row->meter->mode, "k");
}

/* Is the operation known in all modes together as well, as the clock of an emulated machine counts
 * it? Then halves do not lead: they may miss what the clock does not. */
static bool has_whole(const struct overhead_facts *facts, enum temperature temperature,
                      const char *link, const char *operation)
{
    for (size_t i = 0; i < facts->report->row_count; i++) {
        const struct overhead_row *row = &facts->report->rows[i];
        if (concerns(facts, row, temperature, link, operation) &&
            overhead_same_word(row->meter->mode, "uk"))
            return true;
    }
    return false;
}

/* Costs of one operation after several predecessors. */
#define PREDECESSORS_MOST 64
struct costs_after {
    struct cost sum;
    double down[PREDECESSORS_MOST], up[PREDECESSORS_MOST]; /* from the median to its limits */
};

/* An interrupt in one of few processes makes the interval after one predecessor absurdly wide: what
 * counts is how wide they usually are. Not narrower for being several, as all are of one process.
 */
static struct cost mean_cost(struct costs_after *after, size_t count)
{
    struct cost mean = cost_times(after->sum, 1 / (double)count);
    sort_values(after->down, count);
    sort_values(after->up, count);
    mean.low = mean.value - after->down[count / 2];
    mean.high = mean.value + after->up[count / 2];
    return mean;
}

bool warm_costs(const struct overhead_facts *facts, const char *link, const char *const *operations,
                size_t count, struct cost *costs)
{
    struct costs_after after[WARM_MOST];
    struct cost each[WARM_MOST];
    size_t found = 0;
    bool whole = true;
    for (size_t j = 0; j < count; j++)
        whole &= has_whole(facts, TEMPERATURE_WARM, link, operations[j]);
    for (size_t i = 0; i < facts->report->row_count && found < PREDECESSORS_MOST; i++) {
        const struct overhead_row *row = &facts->report->rows[i];
        /* The very first call of a process follows nothing, and is no warm one. */
        if (!concerns(facts, row, TEMPERATURE_WARM, link, operations[0]) || !leads(row) ||
            row->predecessor < 0 || (whole && overhead_has_one_mode(row->meter)))
            continue;
        bool all = true;
        for (size_t j = 0; all && j < count; j++) {
            each[j] = whole_cost(facts, row, operations[j]);
            all = cost_is_known(&each[j]);
        }
        for (size_t j = 0; all && j < count; j++) {
            after[j].sum = found ? cost_plus(after[j].sum, each[j]) : each[j];
            after[j].down[found] = each[j].value - each[j].low;
            after[j].up[found] = each[j].high - each[j].value;
        }
        found += all;
    }
    for (size_t j = 0; j < count; j++)
        costs[j] = found ? mean_cost(&after[j], found) : (struct cost){0};
    return found > 0;
}

/* How well a cold row answers: the wanted predecessor before any, more runs before fewer. */
static bool better(const struct overhead_facts *facts, const struct overhead_row *row,
                   const struct overhead_row *best, const char *after)
{
    if (!best)
        return true;
    bool wanted[2];
    const struct overhead_row *rows[2] = {row, best};
    for (int i = 0; i < 2; i++) {
        int32_t before = rows[i]->predecessor;
        wanted[i] = after ? is_operation(facts, before, after)
                          : before < 0 || is_operation(facts, before, "timer.nothing");
    }
    return wanted[0] != wanted[1] ? wanted[0] : row->runs > best->runs;
}

struct cost cold_cost(const struct overhead_facts *facts, const char *link, const char *operation,
                      uint32_t position, const char *after)
{
    const struct overhead_row *best = NULL;
    bool whole = has_whole(facts, TEMPERATURE_COLD, link, operation);
    for (size_t i = 0; i < facts->report->row_count; i++) {
        const struct overhead_row *row = &facts->report->rows[i];
        if (!(whole && overhead_has_one_mode(row->meter)) &&
            concerns(facts, row, TEMPERATURE_COLD, link, operation) && leads(row) &&
            row->position == position && better(facts, row, best, after))
            best = row;
    }
    return best ? whole_cost(facts, best, operation) : (struct cost){0};
}

/* ----------------------------------------------------------------------------------------------
 * One cost over another, with its interval, held against the mark that a claim sets; and the words
 * for both. */

/* Times of fewer processes say little of the next one; counts of two that agree do. */
#define FEW_PROCESSES 5
#define FEW_COUNTED   2

/* Less than one unit is no cost to divide by. */
static double at_least_one(double value)
{
    return fmax(value, 1);
}

/* Distances of independent medians on the scale of ratios; those of one process go up and down
 * together, and then this is wider than need be. */
static double far(double one, double other)
{
    return sqrt(one * one + other * other);
}

static double distance(double from, double to)
{
    return to > 0 ? fabs(log(from / to)) : HUGE_VAL;
}

struct span {
    double value, low, high;
};

static struct span divide(const struct cost *one, const struct cost *other)
{
    double above = at_least_one(one->value), below = at_least_one(other->value);
    double down =
        far(distance(above, fmin(one->low, above)), distance(below, fmax(other->high, below)));
    double up = far(distance(above, fmax(one->high, above)),
                    distance(below, fmin(at_least_one(other->low), below)));
    double value = above / below;
    return (struct span){value, value * exp(-down), value * exp(up)};
}

/* With any one of its levels in the place of the median: on the other side of the mark? */
static bool crosses(double one, double other, double mark, bool is_above)
{
    return (at_least_one(one) / at_least_one(other) >= mark) != is_above;
}

/* The cost whose levels disagree; NULL: none. */
static const struct cost *objector(const struct cost *one, const struct cost *other, double mark,
                                   bool is_above)
{
    if (crosses(one->least, other->value, mark, is_above) ||
        crosses(one->most, other->value, mark, is_above))
        return one;
    if (crosses(one->value, other->least, mark, is_above) ||
        crosses(one->value, other->most, mark, is_above))
        return other;
    return NULL;
}

static struct ratio settle(const struct overhead_facts *facts, const struct cost *one,
                           const struct cost *other, double mark, struct estimate estimate)
{
    struct ratio ratio = {.estimate = estimate};
    size_t fewest = one->processes < other->processes ? one->processes : other->processes;
    ratio.few = fewest < (unit_is_time(facts->unit) ? FEW_PROCESSES : FEW_COUNTED);
    if (!ratio.few && estimate.verdict != FINDING_INCONCLUSIVE) {
        const struct cost *disagrees = objector(one, other, mark, estimate.low >= mark);
        ratio.by_levels = disagrees != NULL;
        ratio.least = disagrees ? disagrees->least : 0;
        ratio.most = disagrees ? disagrees->most : 0;
    }
    if (ratio.few || ratio.by_levels)
        ratio.estimate.verdict = FINDING_INCONCLUSIVE;
    return ratio;
}

struct ratio ratio_at_least(const struct overhead_facts *facts, const struct cost *one,
                            const struct cost *other, double mark)
{
    struct span span = divide(one, other);
    return settle(facts, one, other, mark,
                  estimate_at_least(span.value, span.low, span.high, mark));
}

struct ratio ratio_below(const struct overhead_facts *facts, const struct cost *one,
                         const struct cost *other, double mark)
{
    struct span span = divide(one, other);
    return settle(facts, one, other, mark, estimate_below(span.value, span.low, span.high, mark));
}

void say_open(const struct overhead_facts *facts, const struct ratio *ratio, struct reasons *why)
{
    if (ratio->few)
        TELL(why, SAYS_FEW_PROCESSES);
    if (ratio->by_levels)
        TELL(why, SAYS_MODES_DISAGREE, rounded_cost(ratio->least), rounded_cost(ratio->most),
             meter_unit_names[facts->unit]);
}

double rounded_cost(double value)
{
    return fabs(value) < 100 ? round(value * 10) / 10 : round(value);
}

/* ----------------------------------------------------------------------------------------------
 * Finds the processes that did nothing but read, again and again, and sums what they paid up in
 * blocks of positions that double: what rises or falls over them is no chance of one position. */

#define READ_BLOCKS 6 /* positions 1, 2, 3-4, 5-8, 9-16, 17-32 */

/* One process. */
struct reads_in_a_row {
    uint32_t machine, operation;
    const char *link;
    enum meter_unit unit;
    double blocks[READ_BLOCKS]; /* the mean of their positions */
    size_t count;               /* of whole blocks, from the first on */
};

struct all_reads_in_a_row {
    struct reads_in_a_row *list;
    size_t count;
    double *scratch; /* [count] */
};

/* The first follows nothing of its kind, every other one the one before it. */
static bool is_in_a_row(const struct overhead_case *file, const struct overhead_figure *figure,
                        uint32_t position)
{
    const struct overhead_tour *tour = &file->tours[figure->tour];
    return tour->cold && tour->open <= 1 && figure->times == 1 && figure->position == position &&
           (position == 1 || figure->predecessor == (int32_t)figure->operation) &&
           strcmp(file->operations[figure->operation].kind, "read") == 0 &&
           !overhead_has_one_mode(figure->meter);
}

/* How many figures from `begin` on are one process's reads in a row. */
static size_t length_of(const struct overhead_case *file, const struct overhead_report *report,
                        size_t begin)
{
    const struct overhead_figure *first = &report->figures[begin];
    size_t length = 0;
    while (begin + length < report->figure_count &&
           (first->tour == first[length].tour && first->process == first[length].process &&
            first->operation == first[length].operation && first->meter == first[length].meter) &&
           is_in_a_row(file, first + length, (uint32_t)length + 1))
        length++;
    return length;
}

/* Whole costs only: what was metered in one mode is none. */
static struct all_reads_in_a_row collect_reads_in_a_row(const struct overhead_case *file,
                                                        const struct overhead_report *report)
{
    struct all_reads_in_a_row all = {0};
    for (size_t i = 0; i < report->figure_count; i++) {
        size_t length = length_of(file, report, i);
        if (length < 2)
            continue;
        struct reads_in_a_row reads = {.machine = report->figures[i].machine,
                                       .operation = report->figures[i].operation,
                                       .link = file->tours[report->figures[i].tour].link,
                                       .unit = report->figures[i].meter->unit};
        for (size_t begin = 0, end = 1; reads.count < READ_BLOCKS && end <= length;
             begin = end, end *= 2) {
            double sum = 0;
            for (size_t j = begin; j < end; j++)
                sum += report->figures[i + j].value;
            reads.blocks[reads.count++] = sum / (double)(end - begin);
        }
        *memory_add(all.list, all.count) = reads;
        i += length - 1;
    }
    all.scratch = memory_new(all.count + 1, sizeof(*all.scratch));
    return all;
}

/* ----------------------------------------------------------------------------------------------
 * W5: reads in a row from the first of a process on. Every ratio is taken within a process, so that
 * it does not matter which level the process is on. */

/* "Cheaper": by a tenth at least. */
#define CHEAPER 0.9
/* "Not simply": a later block is dearer than one before it, by this at least. */
#define DEARER 1.05

/* The processes that made these reads, linked alike. */
struct readers {
    const struct overhead_facts *facts;
    uint32_t operation;
    const char *link;
    size_t processes;
    size_t count; /* of blocks that all have */
};

static bool belongs(const struct readers *readers, const struct reads_in_a_row *reads)
{
    return reads->machine == readers->facts->machine && reads->unit == readers->facts->unit &&
           reads->operation == readers->operation && strcmp(reads->link, readers->link) == 0;
}

/* What binds nothing at its first call, first; fewer than three blocks say nothing of repeating. */
static struct readers readers_of(const struct overhead_facts *facts, const char *operation)
{
    static const char *const links[] = {"static", "bind-now", "lazy"};
    int index = overhead_operation_index(facts->file, operation);
    for (size_t i = 0; index >= 0 && i < sizeof(links) / sizeof(links[0]); i++) {
        struct readers readers = {
            .facts = facts, .operation = (uint32_t)index, .link = links[i], .count = READ_BLOCKS};
        for (size_t j = 0; j < facts->reads->count; j++) {
            const struct reads_in_a_row *reads = &facts->reads->list[j];
            if (!belongs(&readers, reads))
                continue;
            readers.processes++;
            readers.count = reads->count < readers.count ? reads->count : readers.count;
        }
        if (readers.processes && readers.count >= 3)
            return readers;
    }
    return (struct readers){0};
}

/* Of a block, or of its ratio to another one; over processes. */
static struct overhead_median median_of(const struct readers *readers, size_t block,
                                        const size_t *over)
{
    const struct all_reads_in_a_row *all = readers->facts->reads;
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        if (belongs(readers, &all->list[i])) {
            const double *blocks = all->list[i].blocks;
            all->scratch[count++] = over ? blocks[block] / fmax(blocks[*over], 1) : blocks[block];
        }
    return overhead_median_of(all->scratch, count);
}

static struct estimate judge_ratio(const struct readers *readers, size_t late, size_t early,
                                   double mark, bool below)
{
    struct overhead_median ratio = median_of(readers, late, &early);
    struct estimate estimate = below ? estimate_below(ratio.median, ratio.low, ratio.high, mark)
                                     : estimate_at_least(ratio.median, ratio.low, ratio.high, mark);
    if (readers->processes < FEW_PROCESSES)
        estimate.verdict = FINDING_INCONCLUSIVE;
    return estimate;
}

static void say_reads(const struct readers *readers, const char *name, struct reasons *why)
{
    size_t end = readers->count - 1;
    TELL(why, SAYS_IN_A_ROW, name, rounded_cost(median_of(readers, 0, NULL).median),
         meter_unit_names[readers->facts->unit], rounded_cost(median_of(readers, 1, NULL).median),
         (1u << (end - 1)) + 1, 1u << end, rounded_cost(median_of(readers, end, NULL).median));
    if (readers->processes < FEW_PROCESSES)
        TELL(why, SAYS_FEW_PROCESSES);
}

/* Surely dearer, perhaps, or not. */
static int weight_of(const struct estimate *rise)
{
    return rise->verdict == FINDING_HOLDS ? 2 : rise->verdict == FINDING_INCONCLUSIVE;
}

/* "Not simply cheaper": not cheaper at all, or dearer again. */
static struct estimate judge_calls(const struct readers *readers, struct reasons *why)
{
    struct estimate fall = judge_ratio(readers, readers->count - 1, 0, CHEAPER, true);
    /* From an earlier block after the first to a later one: the surest, and of these the largest.
     */
    struct estimate rise = {.verdict = FINDING_FAILS};
    for (size_t early = 1; early < readers->count; early++)
        for (size_t late = early + 1; late < readers->count; late++) {
            struct estimate candidate = judge_ratio(readers, late, early, DEARER, false);
            int heavier = weight_of(&candidate) - weight_of(&rise);
            if (heavier > 0 || (heavier == 0 && candidate.value > rise.value))
                rise = candidate;
        }
    if (rise.verdict == FINDING_HOLDS) {
        TELL(why, SAYS_RISES, rise.value);
        return rise;
    }
    struct estimate whole = fall;
    if (fall.verdict == FINDING_FAILS) {
        whole.verdict = FINDING_HOLDS;
        TELL(why, SAYS_SAVES_NOTHING);
    } else if (fall.verdict == FINDING_HOLDS && rise.verdict == FINDING_FAILS) {
        whole.verdict = FINDING_FAILS;
        TELL(why, SAYS_FALLS);
    } else {
        whole.verdict = FINDING_INCONCLUSIVE;
        TELL(why, SAYS_MAY_RISE);
    }
    return whole;
}

static void rule_repeated_reads(const struct claim *claim, const void *context,
                                struct finding *finding)
{
    const struct overhead_facts *facts = context;
    struct reasons *why = &finding->why;
    (void)claim;
    if (!facts->has_unit || !unit_is_time(facts->unit)) {
        if (!facts->file->machine_count)
            say_absent(facts, "perf-user.read", why);
        else
            TELL(why,
                 facts->file->machines[facts->machine].emulated ? SAYS_NO_CACHES : SAYS_NO_TIMES);
        return;
    }
    struct readers user = readers_of(facts, "perf-user.read");
    struct readers call = readers_of(facts, "perf-read.read");
    struct estimate by_user = {.verdict = FINDING_UNTESTABLE}, by_call = by_user;
    if (user.processes) {
        by_user = judge_ratio(&user, user.count - 1, 0, CHEAPER, true);
        say_reads(&user, "reads in user code", why);
    }
    if (call.processes) {
        say_reads(&call, "read()", why);
        by_call = judge_calls(&call, why);
    }
    bool calls_decide = verdict_graver(by_call.verdict, by_user.verdict);
    if (user.processes || call.processes)
        estimate_report(calls_decide ? &by_call : &by_user, finding);
    if (!call.processes)
        say_absent(facts, "perf-read.read", why);
    if (!user.processes) {
        struct reasons absent = {0};
        say_why_not_called(facts, "perf-user.read", &absent);
        finding->partly = call.processes > 0;
        if (finding->partly)
            TELL(why, SAYS_USER_UNTESTED, &absent);
        else
            reasons_append(why, JOINT_CLAUSE, &absent);
    }
}

/* --- the claims --- */

static const struct claim claims[OVERHEAD_FINDINGS] = {
    {"W1",
     "a program that measures itself through plain code pays several times what reading its "
     "counters in user code costs",
     "perf_event up to an order of magnitude above perfctr, which reads in user code (core2)",
     "times", rule_plain_code, false, NULL},
    {"W2",
     "in a lazily linked program the first call costs a large extra; static linking or inline "
     "system calls remove it",
     "reads of static and inline variants approach perfmon2's, those of dynamic ones do not",
     "times", rule_lazy_linking, false, NULL},
    {"W3",
     "a counter read in user code is no cheaper than read() while its page was not touched, "
     "because of the page fault",
     "no better than read() and in some cases worse; a fault takes thousands of cycles", "times",
     rule_cold_page, false, NULL},
    {"W4",
     "with its page populated or touched before, a read in user code costs far less than read()",
     "on par with perfctr, the cheapest of all interfaces", "times", rule_mapped_page, false, NULL},
    {"W5", "reads in user code get cheaper when they are repeated; read() does not simply do so",
     "reads in user code do, read() behaves in a more complex way: misses of the L1 data cache",
     "times", rule_repeated_reads, false, NULL},
    {"W6", "of start, stop and read, start costs most, and stop depends least on how it is called",
     "stop is not affected much by the method; start is, and perfmon2 starts far cheaper", "times",
     rule_kinds_of_calls, false, NULL},
    {"W7",
     "the cost grows linearly with the number of events, and slower where all share a page or a "
     "call",
     "linear on most implementations; perfctr, with one page for all events, grows slower", "times",
     rule_more_events, false, NULL},
};

static bool is_metered(const struct overhead_report *report, uint32_t machine, enum meter_unit unit)
{
    for (size_t i = 0; i < report->row_count; i++)
        if (report->rows[i].machine == machine && report->rows[i].meter->unit == unit)
            return true;
    return false;
}

/* Time where it is real, the finest first; else instructions. */
struct overhead_facts overhead_facts_of(const struct overhead_case *file,
                                        const struct overhead_report *report, uint32_t machine)
{
    static const enum meter_unit units[] = {METER_TICKS, METER_CYCLES, METER_NS,
                                            METER_INSTRUCTIONS};
    bool emulated = machine < file->machine_count && file->machines[machine].emulated;
    struct overhead_facts facts = {.file = file,
                                   .report = report,
                                   .machine = machine,
                                   .unit = emulated ? METER_INSTRUCTIONS : METER_TICKS};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && !facts.has_unit; i++)
        if ((!emulated || units[i] == METER_INSTRUCTIONS) &&
            is_metered(report, machine, units[i])) {
            facts.unit = units[i];
            facts.has_unit = true;
        }
    for (size_t i = 0; i < report->row_count && !facts.hides; i++)
        facts.hides = report->rows[i].machine == machine &&
                      report->rows[i].meter->unit == facts.unit &&
                      overhead_misses_switches(report, &report->rows[i]);
    return facts;
}

static void turn(void *context, size_t machine)
{
    struct overhead_facts *facts = context;
    const struct all_reads_in_a_row *reads = facts->reads;
    *facts = overhead_facts_of(facts->file, facts->report, (uint32_t)machine);
    facts->reads = reads;
}

/* What is to be known before the figures. */
static void introduce(const void *context, const enum finding_verdict *verdicts,
                      struct finding *finding)
{
    const struct overhead_facts *facts = context;
    const struct overhead_case *file = facts->file;
    if (!file->machine_count)
        return;
    const struct overhead_machine *machine = &file->machines[facts->machine];
    if (file->machine_count > 1) {
        /* Which machine decided, with its kernel, as the same one may have been measured with
         * several; and what every one says. */
        size_t of[4] = {0};
        AUTO_TEXT struct text words = {0};
        for (size_t i = 0; i < file->machine_count; i++)
            of[verdicts[i]]++;
        for (int j = 0; j < 4; j++)
            if (of[j])
                text_printf(&words, "%s%s on %zu", words.length ? ", " : "",
                            finding_verdict_names[j], of[j]);
        TELL(&finding->why, SAYS_WHICH_MACHINE, machine->name ? machine->name : "a machine",
             machine->os, file->machine_count, text_string(&words));
    }
    if (facts->unit != METER_INSTRUCTIONS || verdicts[facts->machine] == FINDING_UNTESTABLE)
        return;
    TELL(&finding->why, machine->emulated ? SAYS_EMULATED : SAYS_UNTIMED);
    if (machine->tick > 0)
        TELL(&finding->why, SAYS_BY_CLOCK, machine->tick);
    finding->aside = file->machine_count > 1 ? 0 : finding->why.count;
}

void overhead_judge_findings(const struct overhead_case *file, struct overhead_report *report)
{
    struct all_reads_in_a_row reads = collect_reads_in_a_row(file, report);
    struct overhead_facts facts = {.file = file, .report = report, .reads = &reads};
    const struct claiming claiming = {.paper = "weaver-overhead",
                                      .claims = claims,
                                      .count = OVERHEAD_FINDINGS,
                                      .facts = &facts,
                                      .machines = file->machine_count,
                                      .turn = turn,
                                      .before = introduce};
    findings_judge(&claiming, report->findings);
}
