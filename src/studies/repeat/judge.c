/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All parts in order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "stats/random.h"
#include "studies/repeat/study.h"

/* ----------------------------------------------------------------------------------------------
 * Asking cases. */

bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; at && *at; at += strspn(at, " ")) {
        const size_t here = strcspn(at, " ");
        if (here == length && memcmp(at, word, length) == 0)
            return true;
        at += here;
    }
    return false;
}

bool repeat_program_shows(const struct repeat_program *program, const char *finding)
{
    return has_word(program->shows, finding);
}

int repeat_event(const struct repeat_cell *cell, const char *event)
{
    for (uint32_t index = 0; index < cell->events; index++)
        if (strcmp(cell->event[index], event) == 0)
            return (int)index;
    return -1;
}

bool is_same_count(const struct repeat_row *one, const struct repeat_row *other)
{
    return is_same_place(&one->cell->at, &other->cell->at) &&
           strcmp(one->cell->source, other->cell->source) == 0 &&
           strcmp(repeat_event_of(one), repeat_event_of(other)) == 0;
}

/* ----------------------------------------------------------------------------------------------
 * What reports and programs call the causes for which two runs of a program part. */

const char *const repeat_parting_names[PARTING_COUNT] = {
    [PARTING_TIME] = "time",       [PARTING_IDENTITY] = "identity",
    [PARTING_RANDOM] = "random",   [PARTING_PARTIAL] = "partial-io",
    [PARTING_THREADS] = "threads", [PARTING_ADDRESSES] = "addresses",
    [PARTING_MACHINE] = "machine", [PARTING_FILES] = "files",
    [PARTING_OUTPUT] = "output",
};

/* ----------------------------------------------------------------------------------------------
 * Sets runs apart that ended otherwise than most, were counted in part, or wrote something else. */

uint64_t kept_status(const struct repeat_cell *cell)
{
    uint64_t usual = 0;
    size_t most = 0;
    for (size_t i = 0; i < cell->runs; i++) {
        const uint64_t status = cell->list[i].status;
        size_t times = 0;
        for (size_t j = 0; j < cell->runs; j++)
            times += cell->list[j].status == status;
        if (times > most || (times == most && status < usual)) {
            most = times;
            usual = status;
        }
    }
    return usual;
}

bool cell_has_tasks(const struct repeat_cell *cell)
{
    for (size_t i = 0; i < cell->runs; i++)
        if (cell->list[i].tasks > 1)
            return true;
    return false;
}

bool wrote_alike(const struct repeat_run *one, const struct repeat_run *other)
{
    return one->output_bytes == other->output_bytes && one->output_sum == other->output_sum;
}

const struct repeat_run *kept_output(const struct repeat_cell *cell, uint64_t status)
{
    size_t of = 0;
    for (size_t i = 0; i < cell->runs; i++)
        of += cell->list[i].status == status;
    for (size_t i = 0; i < cell->runs; i++) {
        size_t times = 0;
        for (size_t j = 0; j < cell->runs; j++)
            times += cell->list[j].status == status && wrote_alike(&cell->list[i], &cell->list[j]);
        if (cell->list[i].status == status && (double)times >= REPEAT_USUAL_OUTPUT * (double)of)
            return &cell->list[i];
    }
    return NULL;
}

struct kept kept_counts(const struct repeat_cell *cell, uint32_t event)
{
    struct kept kept = {0};
    if (!cell || event >= cell->events || !cell->runs)
        return kept;
    kept.values = memory_new(cell->runs, sizeof(*kept.values));
    kept.runs = memory_new(cell->runs, sizeof(*kept.runs));
    const uint64_t status = kept_status(cell), *counts = cell->counts + event;
    const struct repeat_run *usual = kept_output(cell, status);
    /* Only perf_event shares its counters between events; what a source counts it counts whole. */
    const double *scheduled = strcmp(cell->source, "perf_event") == 0 ? cell->scheduled : NULL;
    for (size_t run = 0; run < cell->runs; run++)
        if (cell->list[run].status == status && status < STATUS_TIMEOUT &&
            (!scheduled || scheduled[run * cell->events + event] >= REPEAT_SCHEDULED) &&
            (!usual || wrote_alike(usual, &cell->list[run])))
            kept.runs[kept.count++] = run;
    kept.apart = cell->runs - kept.count;
    kept.base = kept.count ? UINT64_MAX : 0;
    for (size_t i = 0; i < kept.count; i++) {
        const uint64_t count = counts[kept.runs[i] * cell->events];
        kept.base = count < kept.base ? count : kept.base;
        kept.top = count > kept.top ? count : kept.top;
    }
    for (size_t i = 0; i < kept.count; i++)
        kept.values[i] = (double)(counts[kept.runs[i] * cell->events] - kept.base);
    return kept;
}

bool mean_differs(double mean, double as_is)
{
    return fabs(mean - as_is) > .005 * as_is;
}

double kept_mean(const struct kept *kept)
{
    return (double)kept->base + moments_of(kept->values, kept->count).mean;
}

double kept_variance(const struct kept *kept)
{
    return kept->count < 2 ? (double)NAN : moments_of(kept->values, kept->count).variance;
}

double kept_shift(const struct kept *from, const struct kept *to)
{
    const double bases =
        to->base >= from->base ? (double)(to->base - from->base) : -(double)(from->base - to->base);
    return bases + moments_of(to->values, to->count).mean -
           moments_of(from->values, from->count).mean;
}

size_t kept_distinct(const struct kept *kept)
{
    size_t distinct = 0;
    for (size_t i = 0; i < kept->count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = !(kept->values[i] < kept->values[j]) && !(kept->values[i] > kept->values[j]);
        distinct += !seen;
    }
    return distinct;
}

/* What each run differs from the usual: less the mean of the half of the values that lie closest
 * together. Unlike the median that does not fall between two levels, where every run would seem to
 * be off. values: [count] */
static void kept_residuals(const struct kept *kept, double *values)
{
    const size_t count = kept->count, half = (count + 1) / 2;
    size_t best = 0;
    double sum = 0;
    if (!count)
        return;
    memcpy(values, kept->values, count * sizeof(*values));
    sort_values(values, count);
    for (size_t begin = 1; begin + half <= count; begin++)
        if (values[begin + half - 1] - values[begin] < values[best + half - 1] - values[best])
            best = begin;
    for (size_t i = best; i < best + half; i++)
        sum += values[i];
    for (size_t i = 0; i < count; i++)
        values[i] = kept->values[i] - sum / (double)half;
}

static int by_size(const void *left, const void *right)
{
    const double one = fabs(*(const double *)left), other = fabs(*(const double *)right);
    return (one > other) - (one < other);
}

double kept_trimmed(const struct kept *kept)
{
    const size_t left_over = kept->count - kept->count / KEPT_TRIMMED;
    if (left_over < 2)
        return (double)NAN;
    double *residuals = memory_new(kept->count, sizeof(*residuals));
    kept_residuals(kept, residuals);
    qsort(residuals, kept->count, sizeof(*residuals), by_size);
    const double variance = moments_of(residuals, left_over).variance;
    memory_give_back(residuals);
    return variance;
}

/* ----------------------------------------------------------------------------------------------
 * Compares the spread of counts: ranks permuted, variances held against the F distribution. */

/* Enough draws were at least as extreme: more of them would not make it rare. */
#define ENOUGH_HITS 40u

static int by_value(const void *left, const void *right)
{
    const double one = ((const struct ranked *)left)->value;
    const double other = ((const struct ranked *)right)->value;
    return (one > other) - (one < other);
}

/* Equal sizes share the mean of their ranks. */
void give_ranks(struct ranked *list, size_t count)
{
    qsort(list, count, sizeof(*list), by_value);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && !(list[end].value > list[begin].value);)
            end++;
        for (size_t i = begin; i < end; i++)
            list[i].rank = (double)(begin + end + 1) / 2;
    }
}

/* The runs of these cells behind those of the list; where it ends then. */
static size_t gather(const struct kept *const *cells, size_t count, size_t group,
                     struct ranked **list, size_t used)
{
    for (size_t i = 0; i < count; i++) {
        double *residuals = memory_new(cells[i]->count, sizeof(*residuals));
        kept_residuals(cells[i], residuals);
        for (size_t run = 0; run < cells[i]->count; run++)
            *memory_add(*list, used) =
                (struct ranked){.value = fabs(residuals[run]), .group = group};
        memory_give_back(residuals);
    }
    return used;
}

double spread_p(const struct kept *const *more, size_t more_count, const struct kept *const *less,
                size_t less_count, uint64_t seed)
{
    struct ranked *list = NULL;
    const size_t drawn = gather(more, more_count, 0, &list, 0);
    const size_t count = gather(less, less_count, 1, &list, drawn);
    struct random random;
    double observed = 0;
    uint64_t draws = 0, hits = 0;
    if (!drawn || count == drawn)
        return 1;
    give_ranks(list, count);
    random_seed(&random, seed);
    for (size_t i = 0; i < count; i++)
        observed += list[i].group == 0 ? list[i].rank : 0;
    /* Share of draws of so many ranks whose sum is at least as large as that of the first ones. */
    while (draws < PERMUTATIONS && hits < ENOUGH_HITS) {
        double sum = 0;
        for (size_t i = 0; i < drawn; i++) {
            const size_t other = i + random_below(&random, count - i);
            const struct ranked taken = list[other];
            list[other] = list[i];
            list[i] = taken;
            sum += taken.rank;
        }
        /* Sums of halves are exact. */
        hits += sum >= observed;
        draws++;
    }
    memory_give_back(list);
    return (double)(hits + 1) / (double)(draws + 1);
}

/* --- how much --- */

/* The value that F of these degrees of freedom exceeds with probability tail. */
static double p_of(double value, double df_1, double df_2)
{
    return df_2 > 0 ? f_p(value, df_1, df_2) : chi_squared_p(value, df_1);
}

double value_exceeded(double tail, double df_1, double df_2)
{
    double low = 0, high = 1;
    while (p_of(high, df_1, df_2) > tail && high < 1e12)
        high *= 2;
    for (int i = 0; i < 80; i++) {
        const double middle = (low + high) / 2;
        if (p_of(middle, df_1, df_2) > tail)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double drawn_variance(struct random *random, const struct kept *kept, double *values)
{
    for (size_t i = 0; i < kept->count; i++)
        values[i] = kept->values[random_below(random, kept->count)];
    return moments_of(values, kept->count).variance;
}

/* Percentiles of resampled ratios, each of the two resampled by itself. */
static struct interval resample(const struct kept *over, const struct kept *under, uint64_t seed)
{
    const size_t longest = over->count > under->count ? over->count : under->count;
    double *values = memory_new(longest, sizeof(*values));
    double *ratios = memory_new(RATIO_DRAWS, sizeof(*ratios));
    struct random random;
    random_seed(&random, seed);
    for (size_t draw = 0; draw < RATIO_DRAWS; draw++) {
        const double above = drawn_variance(&random, over, values);
        const double below = drawn_variance(&random, under, values);
        /* Not NaN, which cannot be sorted. */
        ratios[draw] = below > 0 ? above / below : above > 0 ? INFINITY : 1;
    }
    sort_values(ratios, RATIO_DRAWS);
    const struct interval interval = {ratios[(size_t)(.025 * RATIO_DRAWS)],
                                      ratios[(size_t)(.975 * RATIO_DRAWS)]};
    memory_give_back(values);
    memory_give_back(ratios);
    return interval;
}

struct interval spread_ratio(const struct kept *over, const struct kept *under, uint64_t seed)
{
    const double above = kept_variance(over), below = kept_variance(under);
    if (over->count < 2 || under->count < 2 || (!(above > 0) && !(below > 0)))
        return (struct interval){0, INFINITY};
    if (!(above > 0))
        return (struct interval){0, share_interval(0, over->count, .95).high};
    if (!(below > 0))
        return (struct interval){1 / share_interval(0, under->count, .95).high, INFINITY};
    const double df_over = (double)over->count - 1, df_under = (double)under->count - 1;
    struct interval resampled = {INFINITY, 0};
    if (over->count >= RATIO_RESAMPLED && under->count >= RATIO_RESAMPLED)
        resampled = resample(over, under, seed);
    return (struct interval){
        fmin(above / below / value_exceeded(.025, df_over, df_under), resampled.low),
        fmax(above / below * value_exceeded(.025, df_under, df_over), resampled.high)};
}

/* ----------------------------------------------------------------------------------------------
 * How much counts of one program vary under each setting: a row for every event of every cell. */

/* Where a row stands among the others. */
struct place {
    struct repeat_row row;
    const struct repeat_cell *cell;
    size_t source, event; /* first row that has the same */
    uint32_t setting;
    size_t index;
};

/* As-is, controlled, then one control at a time. */
static uint32_t setting_order(uint32_t controls)
{
    const int on = __builtin_popcount(controls);
    if (controls == 0)
        return 0;
    if (controls == CONTROLS_ALL)
        return 1;
    return (on == 1 ? 2u << CONTROL_COUNT : 4u << CONTROL_COUNT) |
           (on == 1 ? controls : CONTROLS_ALL & ~controls);
}

static int by_number(size_t one, size_t other)
{
    return (one > other) - (one < other);
}

static int by_place(const void *left, const void *right)
{
    const struct place *one = left;
    const struct place *other = right;
    const int orders[] = {by_number(one->cell->at.machine, other->cell->at.machine),
                          by_number(one->cell->at.program, other->cell->at.program),
                          by_number(one->source, other->source),
                          by_number(one->event, other->event),
                          by_number(one->cell->sweep, other->cell->sweep),
                          by_number(one->setting, other->setting),
                          by_number(one->cell->swept, other->cell->swept),
                          by_number(one->index, other->index)};
    for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
        if (orders[i])
            return orders[i];
    return 0;
}

static void fill(const struct repeat_cell *cell, uint32_t event, struct repeat_row *row)
{
    const struct kept kept = kept_counts(cell, event);
    row->runs = kept.count;
    row->apart = kept.apart;
    row->mean = kept_mean(&kept);
    row->stdev = sqrt(kept_variance(&kept));
    row->cv_percent = row->mean > 0 ? 100 * row->stdev / row->mean : (double)NAN;
    row->distinct = kept_distinct(&kept);
    row->usual = (double)NAN;
    row->adjusted_mean = row->adjusted_stdev = row->adjusted_cv_percent = (double)NAN;
    row->residual = row->residual_low = row->residual_high = (double)NAN;
    row->min = kept.base;
    row->max = kept.top;
    if (!kept.count)
        return;
    sort_values(kept.values, kept.count);
    row->usual = (double)kept.base + quantile(kept.values, kept.count, .5);
}

/* The first part: rows, and what of them needs no other part. */
static void repeat_judge_variation(const struct repeat_case *file, struct repeat_report *report)
{
    struct place *places = NULL;
    size_t count = 0;
    for (size_t index = 0; index < file->cell_count; index++) {
        const struct repeat_cell *cell = &file->cells[index];
        report->executions += cell->runs;
        for (uint32_t event = 0; cell->detail == DETAIL_NONE && event < cell->events; event++) {
            const size_t own = count;
            struct place *place = memory_add(places, count);
            *place = (struct place){.cell = cell,
                                    .source = own,
                                    .event = own,
                                    .setting = setting_order(cell->controls),
                                    .index = own,
                                    .row = {.cell = cell, .event = event}};
            fill(cell, event, &place->row);
            /* The first place whose source and event are named the same, so that rows keep the
             * order in which a plan asked for them. */
            for (size_t i = own; i-- > 0;) {
                if (strcmp(places[i].cell->source, cell->source) == 0)
                    place->source = i;
                if (strcmp(places[i].cell->event[places[i].row.event], cell->event[event]) == 0)
                    place->event = i;
            }
        }
    }
    if (count)
        qsort(places, count, sizeof(*places), by_place);
    report->rows = memory_new(count + 1, sizeof(*report->rows));
    for (size_t i = 0; i < count; i++)
        report->rows[i] = places[i].row;
    report->row_count = count;
}

/* ----------------------------------------------------------------------------------------------
 * Knows events of instructions by source, class and mode. */

static bool is_hardware(const struct repeat_cell *cell)
{
    return strcmp(cell->source, "perf_event") == 0;
}

/* By the letters after the last colon, or after the slash that ends a PMU's event. */
static bool is_user_mode(const char *event)
{
    const char *colon = strrchr(event, ':'), *slash = strrchr(event, '/');
    const char *mode = colon ? colon + 1 : slash ? slash + 1 : "";
    return strchr(mode, 'u') && !strpbrk(mode, "kh");
}

bool counts_instructions(const struct repeat_cell *cell, uint32_t event)
{
    const char *name = cell->event[event];
    if (!is_hardware(cell))
        return strstr(name, "/instructions/") != NULL;
    return strcmp(cell->class[event], "instructions") == 0 && is_user_mode(name);
}

bool names_instructions(const char *source, const char *event)
{
    if (strcmp(source, "perf_event") != 0)
        return strstr(event, "/instructions/") != NULL;
    return strstr(event, "instructions") && is_user_mode(event);
}

/* How much a count says of the program on this machine; 0: nothing. */
static int rank_of(const struct repeat_cell *cell, uint32_t event)
{
    if (!counts_instructions(cell, event))
        return 0;
    return is_hardware(cell) ? 3 : strcmp(cell->source, "step") == 0 ? 2 : 1;
}

bool counts_here(const struct repeat_cell *cell, uint32_t event)
{
    return rank_of(cell, event) > 1;
}

bool counts_best(const struct repeat_report *report, const struct repeat_row *row)
{
    const struct repeat_cell *cell = row->cell;
    const struct repeat_cell *best = NULL;
    uint32_t event = 0;
    for (size_t i = 0; i < report->effect_count; i++) {
        const struct repeat_effect *effect = &report->effects[i];
        const struct repeat_row *other = effect->as_is;
        const struct repeat_cell *rival = other->cell;
        if (!is_same_place(&rival->at, &cell->at) || other->runs < 2 ||
            effect->controlled->runs < 2)
            continue;
        /* Of several events of the hardware the first that was asked for. */
        if (rank_of(rival, other->event) > (best ? rank_of(best, event) : 0)) {
            best = rival;
            event = other->event;
        }
    }
    return best && strcmp(best->source, cell->source) == 0 &&
           strcmp(best->event[event], cell->event[row->event]) == 0;
}

/* --- all parts in order --- */

void repeat_judge(const struct repeat_case *file, uint64_t seed, struct repeat_report *report)
{
    memset(report, 0, sizeof(*report));
    repeat_judge_variation(file, report);
    repeat_judge_contributions(file, report);
    repeat_adjust(file, report);
    repeat_judge_controls(seed, report);
    repeat_judge_sensitivity(file, report);
    repeat_find_causes(file, report);
    repeat_align(file, report);
    repeat_rank_events(file, report);
    repeat_judge_findings(file, report);
}
