/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All parts in order. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "stats/interval.h"
#include "stats/least-squares.h"
#include "stats/moments.h"
#include "stats/random.h"
#include "studies/repeat/judge.h"
#include "studies/repeat/study.h"

/* ----------------------------------------------------------------------------------------------
 * Making, asking and releasing cases. */

/* Grows a list of one kind of things by one, zeroed. */
static void *grow(void **list, size_t *count, size_t size)
{
    void *larger = realloc(*list, (*count + 1) * size);
    if (!larger)
        return NULL;
    *list = larger;
    return memset((char *)larger + (*count)++ * size, 0, size);
}

#define GROW(file, list, count) grow((void **)&(file)->list, &(file)->count, sizeof(*(file)->list))

struct repeat_machine *repeat_case_add_machine(struct repeat_case *file)
{
    return GROW(file, machines, machine_count);
}

struct repeat_program *repeat_case_add_program(struct repeat_case *file)
{
    return GROW(file, programs, program_count);
}

struct repeat_cell *repeat_case_add_cell(struct repeat_case *file)
{
    return GROW(file, cells, cell_count);
}

struct repeat_absence *repeat_case_add_absence(struct repeat_case *file)
{
    return GROW(file, absences, absence_count);
}

static void release_cell(struct repeat_cell *cell)
{
    for (uint32_t event = 0; event < cell->events; event++) {
        if (cell->event)
            free(cell->event[event]);
        if (cell->class)
            free(cell->class[event]);
    }
    for (size_t index = 0; index < cell->function_count; index++) {
        free(cell->functions[index].object);
        free(cell->functions[index].name);
    }
    const size_t calls = cell->call_begins ? cell->call_begins[cell->runs] : 0;
    for (size_t index = 0; index < calls; index++) {
        free(cell->calls[index].name);
        free(cell->calls[index].what);
    }
    free(cell->source);
    free(cell->event);
    free(cell->class);
    free(cell->list);
    free(cell->counts);
    free(cell->scheduled);
    free(cell->functions);
    free(cell->calls);
    free(cell->call_begins);
    free(cell->reason);
}

void repeat_case_release(struct repeat_case *file)
{
    for (size_t index = 0; index < file->machine_count; index++) {
        free(file->machines[index].name);
        free(file->machines[index].fingerprint);
    }
    for (size_t index = 0; index < file->program_count; index++) {
        struct repeat_program *program = &file->programs[index];
        free(program->name);
        free(program->words);
        free(program->subject_name);
        free(program->shows);
    }
    for (size_t index = 0; index < file->cell_count; index++)
        release_cell(&file->cells[index]);
    for (size_t index = 0; index < file->absence_count; index++) {
        free(file->absences[index].what);
        free(file->absences[index].reason);
    }
    free(file->machines);
    free(file->programs);
    free(file->cells);
    free(file->absences);
    memset(file, 0, sizeof(*file));
}

bool repeat_program_shows(const struct repeat_program *program, const char *finding)
{
    const size_t length = strlen(finding);
    for (const char *at = program->shows; at && *at; at += strspn(at, " ")) {
        const size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, finding, length) == 0)
            return true;
        at += word;
    }
    return false;
}

static int find(char *const *names, uint32_t count, const char *name)
{
    for (uint32_t index = 0; index < count; index++)
        if (strcmp(names[index], name) == 0)
            return (int)index;
    return -1;
}

int repeat_event(const struct repeat_cell *cell, const char *event)
{
    return find(cell->event, cell->events, event);
}

int repeat_class(const struct repeat_cell *cell, const char *class)
{
    return find(cell->class, cell->events, class);
}

const struct repeat_cell *repeat_find(const struct repeat_case *file, size_t machine,
                                      size_t program, const char *source, uint32_t controls,
                                      const char *event)
{
    for (size_t index = 0; index < file->cell_count; index++) {
        const struct repeat_cell *cell = &file->cells[index];
        if (cell->machine == machine && cell->program == program && cell->controls == controls &&
            cell->sweep == SWEEP_NONE && cell->detail == DETAIL_NONE &&
            strcmp(cell->source, source) == 0 && repeat_event(cell, event) >= 0)
            return cell;
    }
    return NULL;
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

static bool wrote_alike(const struct repeat_run *one, const struct repeat_run *other)
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

/* Only perf_event shares its counters between events; what a source counts it counts whole. */
static bool was_scheduled(const struct repeat_cell *cell, size_t run, uint32_t event)
{
    return !cell->scheduled || strcmp(cell->source, "perf_event") != 0 ||
           cell->scheduled[run * cell->events + event] >= REPEAT_SCHEDULED;
}

static void subtract_base(const struct repeat_cell *cell, uint32_t event, struct kept *kept)
{
    kept->base = UINT64_MAX;
    for (size_t i = 0; i < kept->count; i++) {
        const uint64_t count = cell->counts[kept->runs[i] * cell->events + event];
        kept->base = count < kept->base ? count : kept->base;
        kept->top = count > kept->top ? count : kept->top;
    }
    for (size_t i = 0; i < kept->count; i++)
        kept->values[i] = (double)(cell->counts[kept->runs[i] * cell->events + event] - kept->base);
    if (!kept->count)
        kept->base = 0;
}

int kept_counts(const struct repeat_cell *cell, uint32_t event, struct kept *kept)
{
    *kept = (struct kept){0};
    if (!cell || event >= cell->events || !cell->runs)
        return 0;
    kept->values = calloc(cell->runs, sizeof(*kept->values));
    kept->runs = calloc(cell->runs, sizeof(*kept->runs));
    if (!kept->values || !kept->runs)
        return -ENOMEM;
    const uint64_t status = kept_status(cell);
    const struct repeat_run *usual = kept_output(cell, status);
    for (size_t run = 0; run < cell->runs; run++)
        if (cell->list[run].status == status && status < STATUS_TIMEOUT &&
            was_scheduled(cell, run, event) && (!usual || wrote_alike(usual, &cell->list[run])))
            kept->runs[kept->count++] = run;
    kept->apart = cell->runs - kept->count;
    subtract_base(cell, event, kept);
    return 0;
}

void kept_release(struct kept *kept)
{
    free(kept->values);
    free(kept->runs);
    *kept = (struct kept){0};
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

/* Mean of the half of the values that lie closest together. Unlike the median it does not fall
 * between two levels, where every run would seem to be off. */
static double centre_of(double *values, size_t count)
{
    const size_t half = (count + 1) / 2;
    size_t best = 0;
    double sum = 0;
    sort_values(values, count);
    for (size_t begin = 1; begin + half <= count; begin++)
        if (values[begin + half - 1] - values[begin] < values[best + half - 1] - values[best])
            best = begin;
    for (size_t i = best; i < best + half; i++)
        sum += values[i];
    return sum / (double)half;
}

/* What each run differs from the usual: less the centre of the half that lies closest together.
 * values: [count] */
static void kept_residuals(const struct kept *kept, double *values)
{
    if (!kept->count)
        return;
    memcpy(values, kept->values, kept->count * sizeof(*values));
    const double centre = centre_of(values, kept->count);
    for (size_t i = 0; i < kept->count; i++)
        values[i] = kept->values[i] - centre;
}

static int by_size(const void *left, const void *right)
{
    const double one = fabs(*(const double *)left), other = fabs(*(const double *)right);
    return (one > other) - (one < other);
}

int kept_trimmed(const struct kept *kept, double *variance)
{
    const size_t left_over = kept->count - kept->count / KEPT_TRIMMED;
    *variance = (double)NAN;
    if (left_over < 2)
        return 0;
    AUTO_FREE double *residuals = malloc(kept->count * sizeof(*residuals));
    if (!residuals)
        return -ENOMEM;
    kept_residuals(kept, residuals);
    qsort(residuals, kept->count, sizeof(*residuals), by_size);
    *variance = moments_of(residuals, left_over).variance;
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Gathers the settings of one program, source and event from rows and cells. */

static const struct repeat_cell *cell_of(const struct settings *settings,
                                         const struct repeat_report *report, size_t row)
{
    return &settings->file->cells[report->rows[row].cell];
}

static bool is_sibling(const struct settings *settings, const struct repeat_report *report,
                       size_t row)
{
    const struct repeat_cell *one = settings->as_is_cell;
    const struct repeat_cell *other = cell_of(settings, report, row);
    return other->machine == one->machine && other->program == one->program &&
           other->sweep == SWEEP_NONE && strcmp(other->source, one->source) == 0 &&
           strcmp(other->event[report->rows[row].event], settings->event) == 0;
}

static int gather_row(struct settings *settings, const struct repeat_report *report, size_t row,
                      struct kept *kept)
{
    if (kept->values)
        return 0; /* the first of several alike */
    return kept_counts(cell_of(settings, report, row), report->rows[row].event, kept);
}

static int gather_single(struct settings *settings, const struct repeat_report *report, size_t row)
{
    const uint32_t controls = cell_of(settings, report, row)->controls;
    for (uint32_t control = 0; control < CONTROL_COUNT; control++) {
        const uint32_t bit = CONTROL_BIT(control);
        if (!(settings->controls & bit))
            continue;
        if (controls == bit && gather_row(settings, report, row, &settings->only[control]) < 0)
            return -ENOMEM;
        if (controls == (settings->controls & ~bit) &&
            gather_row(settings, report, row, &settings->without[control]) < 0)
            return -ENOMEM;
    }
    return 0;
}

/* Controlled is the setting that has most controls on. */
static void find_controlled(struct settings *settings, const struct repeat_report *report)
{
    for (size_t row = 0; row < report->row_count; row++) {
        if (!is_sibling(settings, report, row))
            continue;
        const uint32_t controls = cell_of(settings, report, row)->controls;
        if (__builtin_popcount(controls) > __builtin_popcount(settings->controls)) {
            settings->controls = controls;
            settings->controlled_row = row;
        }
    }
}

int settings_gather(const struct repeat_case *file, const struct repeat_report *report,
                    size_t as_is_row, struct settings *settings)
{
    *settings = (struct settings){.file = file, .as_is_row = as_is_row, .controlled_row = SIZE_MAX};
    settings->as_is_cell = cell_of(settings, report, as_is_row);
    settings->event = settings->as_is_cell->event[report->rows[as_is_row].event];
    find_controlled(settings, report);
    if (settings->controlled_row == SIZE_MAX)
        return 0;
    settings->controlled_cell = cell_of(settings, report, settings->controlled_row);
    if (gather_row(settings, report, as_is_row, &settings->as_is) < 0 ||
        gather_row(settings, report, settings->controlled_row, &settings->controlled) < 0)
        return -ENOMEM;
    for (size_t row = 0; row < report->row_count; row++)
        if (is_sibling(settings, report, row) && gather_single(settings, report, row) < 0)
            return -ENOMEM;
    for (size_t i = 0; i < CONTROL_COUNT; i++)
        settings->singles +=
            settings_enough(&settings->only[i]) + (size_t)settings_enough(&settings->without[i]);
    return 0;
}

void settings_release(struct settings *settings)
{
    kept_release(&settings->as_is);
    kept_release(&settings->controlled);
    for (size_t i = 0; i < CONTROL_COUNT; i++) {
        kept_release(&settings->only[i]);
        kept_release(&settings->without[i]);
    }
}

bool settings_enough(const struct kept *kept)
{
    return kept->count >= CONTROLS_RUNS;
}

/* --- what the rest follows --- */

static double account_of(const struct repeat_run *run, enum follows what)
{
    switch (what) {
    case FOLLOWS_INTERRUPTS:
        return run->has_interrupts ? (double)run->interrupts : (double)NAN;
    case FOLLOWS_FAULTS:
        return (double)run->account.minor_faults + (double)run->account.major_faults;
    case FOLLOWS_SWITCHES:
        return (double)run->account.voluntary + (double)run->account.involuntary;
    default:
        return (double)NAN;
    }
}

/* Counts and what went with them, each less the mean of its own setting. */
static size_t add_pairs(const struct repeat_cell *cell, const struct kept *kept, enum follows what,
                        double *x, double *y)
{
    const double mean = moments_of(kept->values, kept->count).mean;
    double sum = 0;
    for (size_t i = 0; i < kept->count; i++) {
        y[i] = kept->values[i] - mean;
        x[i] = account_of(&cell->list[kept->runs[i]], what);
        sum += x[i];
    }
    for (size_t i = 0; i < kept->count; i++)
        x[i] -= sum / (double)kept->count;
    return kept->count;
}

static int follow_one(const struct settings *settings, bool also, enum follows what,
                      struct followed *followed)
{
    const size_t most = settings->controlled.count + settings->as_is.count;
    AUTO_FREE double *x = calloc(most + 1, sizeof(*x));
    AUTO_FREE double *y = calloc(most + 1, sizeof(*y));
    struct least_squares fit;
    struct coefficient intercept, slope;
    if (!x || !y)
        return -ENOMEM;
    size_t count = add_pairs(settings->controlled_cell, &settings->controlled, what, x, y);
    if (also)
        count += add_pairs(settings->as_is_cell, &settings->as_is, what, x + count, y + count);
    const int error = straight_line(x, y, count, &fit, &intercept, &slope);
    if (error == -ENOMEM)
        return error;
    /* Not finite, or too few of them: then nothing follows. */
    if (error < 0 || slope.aliased || fit.df < 3 || !(slope.error >= 0) ||
        fit.r_squared < FOLLOWS_SHARE || fit.r_squared <= followed->share ||
        (slope.error > 0 &&
         t_two_sided_p(slope.value / slope.error, (double)fit.df) > FOLLOWS_LEVEL))
        return 0;
    *followed = (struct followed){what, slope.value, fit.r_squared};
    return 0;
}

int settings_follow(const struct settings *settings, bool also, struct followed *followed)
{
    static const enum follows candidates[] = {FOLLOWS_INTERRUPTS, FOLLOWS_FAULTS, FOLLOWS_SWITCHES};
    *followed = (struct followed){FOLLOWS_NOTHING, (double)NAN, 0};
    for (size_t i = 0; i < sizeof(candidates) / sizeof(*candidates); i++)
        if (follow_one(settings, also, candidates[i], followed) < 0)
            return -ENOMEM;
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Compares the spread of counts: ranks permuted, variances held against the F distribution. */

/* Enough draws were at least as extreme: more of them would not make it rare. */
#define ENOUGH_HITS 40u

struct ranked {
    double size, rank;
    bool first; /* of the cells that are claimed to spread more */
};

static int spread_by_size(const void *left, const void *right)
{
    const double one = ((const struct ranked *)left)->size;
    const double other = ((const struct ranked *)right)->size;
    return (one > other) - (one < other);
}

/* Equal sizes share the mean of their ranks. */
static void give_ranks(struct ranked *list, size_t count)
{
    qsort(list, count, sizeof(*list), spread_by_size);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && !(list[end].size > list[begin].size);)
            end++;
        for (size_t i = begin; i < end; i++)
            list[i].rank = (double)(begin + end + 1) / 2;
    }
}

static size_t all_runs(const struct kept *const *cells, size_t count)
{
    size_t runs = 0;
    for (size_t i = 0; i < count; i++)
        runs += cells[i]->count;
    return runs;
}

static int gather(const struct kept *const *cells, size_t count, bool first, struct ranked *list)
{
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE double *residuals = calloc(cells[i]->count + 1, sizeof(*residuals));
        if (!residuals)
            return -ENOMEM;
        kept_residuals(cells[i], residuals);
        for (size_t run = 0; run < cells[i]->count; run++)
            *list++ = (struct ranked){.size = fabs(residuals[run]), .first = first};
    }
    return 0;
}

/* Share of draws of so many ranks whose sum is at least as large as that of the first ones. */
static double permute(struct ranked *list, size_t count, size_t drawn, uint64_t seed)
{
    struct random random;
    double observed = 0;
    uint64_t draws = 0, hits = 0;
    random_seed(&random, seed);
    for (size_t i = 0; i < count; i++)
        observed += list[i].first ? list[i].rank : 0;
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
    return (double)(hits + 1) / (double)(draws + 1);
}

int spread_p(const struct kept *const *more, size_t more_count, const struct kept *const *less,
             size_t less_count, uint64_t seed, double *p)
{
    const size_t drawn = all_runs(more, more_count);
    const size_t rest = all_runs(less, less_count);
    *p = 1;
    if (!drawn || !rest)
        return 0;
    AUTO_FREE struct ranked *list = calloc(drawn + rest, sizeof(*list));
    if (!list || gather(more, more_count, true, list) < 0 ||
        gather(less, less_count, false, list + drawn) < 0)
        return -ENOMEM;
    give_ranks(list, drawn + rest);
    *p = permute(list, drawn + rest, drawn, seed);
    return 0;
}

/* --- how much --- */

/* The value that F of these degrees of freedom exceeds with probability tail. */
static double f_upper(double tail, double df_1, double df_2)
{
    double low = 0, high = 1;
    while (f_p(high, df_1, df_2) > tail && high < 1e12)
        high *= 2;
    for (int i = 0; i < 80; i++) {
        const double middle = (low + high) / 2;
        if (f_p(middle, df_1, df_2) > tail)
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
static int resample(const struct kept *over, const struct kept *under, uint64_t seed,
                    struct interval *interval)
{
    const size_t longest = over->count > under->count ? over->count : under->count;
    AUTO_FREE double *values = malloc(longest * sizeof(*values));
    AUTO_FREE double *ratios = malloc(RATIO_DRAWS * sizeof(*ratios));
    struct random random;
    if (!values || !ratios)
        return -ENOMEM;
    random_seed(&random, seed);
    for (size_t draw = 0; draw < RATIO_DRAWS; draw++) {
        const double above = drawn_variance(&random, over, values);
        const double below = drawn_variance(&random, under, values);
        /* Not NaN, which cannot be sorted. */
        ratios[draw] = below > 0 ? above / below : above > 0 ? INFINITY : 1;
    }
    sort_values(ratios, RATIO_DRAWS);
    interval->low = ratios[(size_t)(.025 * RATIO_DRAWS)];
    interval->high = ratios[(size_t)(.975 * RATIO_DRAWS)];
    return 0;
}

int spread_ratio(const struct kept *over, const struct kept *under, uint64_t seed,
                 struct interval *interval)
{
    *interval = (struct interval){0, INFINITY};
    if (over->count < 2 || under->count < 2)
        return 0;
    const double above = kept_variance(over), below = kept_variance(under);
    if (!(above > 0) && !(below > 0))
        return 0;
    if (!(above > 0)) {
        interval->high = share_interval(0, over->count, .95).high;
        return 0;
    }
    if (!(below > 0)) {
        interval->low = 1 / share_interval(0, under->count, .95).high;
        return 0;
    }
    const double df_over = (double)over->count - 1, df_under = (double)under->count - 1;
    struct interval resampled = {INFINITY, 0};
    if (over->count >= RATIO_RESAMPLED && under->count >= RATIO_RESAMPLED &&
        resample(over, under, seed, &resampled) < 0)
        return -ENOMEM;
    interval->low = fmin(above / below / f_upper(.025, df_over, df_under), resampled.low);
    interval->high = fmax(above / below * f_upper(.025, df_under, df_over), resampled.high);
    return 0;
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
    const int orders[] = {by_number(one->cell->machine, other->cell->machine),
                          by_number(one->cell->program, other->cell->program),
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

static void describe(const struct kept *kept, struct repeat_row *row)
{
    row->runs = kept->count;
    row->apart = kept->apart;
    row->mean = kept_mean(kept);
    row->stdev = sqrt(kept_variance(kept));
    row->cv_percent = row->mean > 0 ? 100 * row->stdev / row->mean : (double)NAN;
    row->distinct = kept_distinct(kept);
    row->usual = (double)NAN;
    row->adjusted_mean = row->adjusted_stdev = row->adjusted_cv_percent = (double)NAN;
    row->residual = row->residual_low = row->residual_high = (double)NAN;
    row->min = kept->base;
    row->max = kept->top;
}

static int find_median(const struct kept *kept, struct repeat_row *row)
{
    if (!kept->count)
        return 0;
    double *sorted = malloc(kept->count * sizeof(*sorted));
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, kept->values, kept->count * sizeof(*sorted));
    sort_values(sorted, kept->count);
    row->usual = (double)kept->base + quantile(sorted, kept->count, .5);
    free(sorted);
    return 0;
}

static int fill(const struct repeat_cell *cell, uint32_t event, struct repeat_row *row)
{
    AUTO_KEPT struct kept kept;
    if (kept_counts(cell, event, &kept) < 0)
        return -ENOMEM;
    describe(&kept, row);
    return find_median(&kept, row);
}

/* The first place whose source and event are named the same, so that rows keep the order in which
 * a plan asked for them. */
static void find_first(struct place *places, size_t index)
{
    struct place *place = &places[index];
    const char *event = place->cell->event[place->row.event];
    place->source = place->event = index;
    for (size_t i = index; i-- > 0;) {
        if (strcmp(places[i].cell->source, place->cell->source) == 0)
            place->source = i;
        if (strcmp(places[i].cell->event[places[i].row.event], event) == 0)
            place->event = i;
    }
}

static int place_cell(const struct repeat_case *file, size_t index, struct place *places,
                      size_t *count)
{
    const struct repeat_cell *cell = &file->cells[index];
    for (uint32_t event = 0; cell->detail == DETAIL_NONE && event < cell->events; event++) {
        struct place *place = &places[*count];
        *place = (struct place){.cell = cell,
                                .setting = setting_order(cell->controls),
                                .index = *count,
                                .row = {.cell = index, .event = event}};
        if (fill(cell, event, &place->row) < 0)
            return -ENOMEM;
        find_first(places, (*count)++);
    }
    return 0;
}

/* The first part: rows, and what of them needs no other part. -ENOMEM. */
static int repeat_judge_variation(const struct repeat_case *file, struct repeat_report *report)
{
    size_t most = 0, count = 0;
    int error = 0;
    for (size_t i = 0; i < file->cell_count; i++) {
        most += file->cells[i].events;
        report->executions += file->cells[i].runs;
    }
    struct place *places = calloc(most + 1, sizeof(*places));
    report->rows = calloc(most + 1, sizeof(*report->rows));
    if (!places || !report->rows)
        error = -ENOMEM;
    for (size_t i = 0; !error && i < file->cell_count; i++)
        error = place_cell(file, i, places, &count);
    if (!error) {
        qsort(places, count, sizeof(*places), by_place);
        for (size_t i = 0; i < count; i++)
            report->rows[i] = places[i].row;
        report->row_count = count;
    }
    free(places);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * Knows events of instructions by source, class and mode. */

static bool is_hardware(const struct repeat_cell *cell)
{
    return strcmp(cell->source, "perf_event") == 0;
}

/* The letters after the last colon, or after the slash that ends a PMU's event. */
static const char *mode_of(const char *event)
{
    const char *colon = strrchr(event, ':'), *slash = strrchr(event, '/');
    if (colon)
        return colon + 1;
    return slash ? slash + 1 : "";
}

static bool is_user_mode(const char *event)
{
    const char *mode = mode_of(event);
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

bool counts_best(const struct repeat_case *file, const struct repeat_report *report,
                 const struct repeat_row *row)
{
    const struct repeat_cell *cell = &file->cells[row->cell];
    const struct repeat_cell *best = NULL;
    uint32_t event = 0;
    for (size_t i = 0; i < report->effect_count; i++) {
        const struct repeat_effect *effect = &report->effects[i];
        const struct repeat_row *other = &report->rows[effect->as_is];
        const struct repeat_cell *rival = &file->cells[other->cell];
        if (rival->machine != cell->machine || rival->program != cell->program || other->runs < 2 ||
            report->rows[effect->controlled].runs < 2)
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

/* ----------------------------------------------------------------------------------------------
 * All parts in order. */

int repeat_judge(const struct repeat_case *file, uint64_t seed, struct repeat_report *report)
{
    memset(report, 0, sizeof(*report));
    int error = repeat_judge_variation(file, report);
    if (!error)
        error = repeat_judge_contributions(file, report);
    if (!error)
        error = repeat_adjust(file, report);
    if (!error)
        error = repeat_judge_controls(file, seed, report);
    if (!error)
        error = repeat_judge_sensitivity(file, report);
    if (!error)
        error = repeat_find_causes(file, report);
    if (!error)
        error = repeat_align(file, report);
    if (!error)
        error = repeat_rank_events(file, report);
    if (!error)
        error = repeat_judge_findings(file, seed, report);
    return error;
}

void repeat_report_release(struct repeat_report *report)
{
    free(report->rows);
    free(report->effects);
    free(report->sweeps);
    free(report->seen);
    free(report->alignments);
    free(report->contributions);
    free(report->ranks);
    memset(report, 0, sizeof(*report));
}
