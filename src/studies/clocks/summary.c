/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of clocks. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/told.h"
#include "output/field.h"
#include "studies/clocks/parts.h"

static void lead(const void *kept, struct lead *sentences)
{
    const struct clocks_report *report = &((const struct clocks_run *)kept)->report;
    for (size_t i = 0; i < report->advice_count; i++)
        told_say_reasons(sentences, &report->advice[i].text);
}

/* Those that are not dependable. */
static struct string_list to_avoid(const struct clocks_run *run)
{
    struct string_list avoid = {0};
    for (size_t i = 0; i < run->file.clock_count; i++) {
        const struct clock_verdict *verdict = clocks_seen(run, i).verdict;
        if (clocks_is_judged(run, i) && verdict && verdict->trust == TRUST_NOT_DEPENDABLE)
            told_add(&avoid, run->file.clocks[i].name);
    }
    return avoid;
}

static void put_line(const void *kept, const struct style *style, struct text *out)
{
    static const char *const purposes[] = {[PURPOSE_SHORT] = "short",
                                           [PURPOSE_LONG] = "long",
                                           [PURPOSE_ACROSS] = "across CPUs",
                                           [PURPOSE_CPU_TIME] = "CPU time",
                                           [PURPOSE_ELSE] = ""};
    const struct clocks_run *run = kept;
    const struct string_list avoid = to_avoid(run);
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < run->report.advice_count; i++) {
        const struct clocks_advice *advice = &run->report.advice[i];
        if (advice->clock >= 0)
            text_printf(&words, "%s%s: %s", words.length ? "; " : "", purposes[advice->purpose],
                        run->file.clocks[advice->clock].name);
    }
    if (avoid.count) {
        text_puts(&words, words.length ? "; not: " : "not: ");
        told_put_names(&avoid, style->width / 2, &words);
    }
    told_put_line("clocks", text_string(&words), 2, style, out);
}

static const void *advice_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct clocks_report *report = &((const struct clocks_run *)item)->report;
    for (size_t i = 0; i < report->advice_count; i++)
        if (report->advice[i].clock >= 0 && !index--)
            return &report->advice[i];
    return NULL;
}

static struct value get_clock(const void *item, const void *context)
{
    const struct clocks_run *run = context;
    return value_text(run->file.clocks[((const struct clocks_advice *)item)->clock].name);
}

static struct value avoid_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct string_list avoid = to_avoid(item);
    return value_text(index < avoid.count ? avoid.items[index] : NULL);
}

static const char *const purpose_names[] = {[PURPOSE_SHORT] = "Short regions",
                                            [PURPOSE_LONG] = "Long intervals",
                                            [PURPOSE_ACROSS] = "Across CPUs and threads",
                                            [PURPOSE_CPU_TIME] = "CPU time"};
static const struct field use_fields[] = {
    {"for", AT(struct clocks_advice, purpose), "what is timed", NAMED(purpose_names)},
    {"clock", GET(FIELD_TEXT, get_clock), "by which clock"},
};
static const struct fields use_table = FIELDS("run.use", "what a clock is for", use_fields);
static const struct field line_fields[] = {
    {"use", LIST_BY(advice_at, &use_table), "which clock for what"},
    {"avoid", VALUES(FIELD_TEXT, avoid_at), "those that are not dependable"},
};
static const struct fields line_table = FIELDS("run.clocks", "which clocks to use", line_fields);
static const struct field line = {
    "clocks", {.kind = FIELD_OBJECT, .of = &line_table}, "of `assay clocks`", .nullable = true};

/* Also how long the ticks of the machine's counter are. */
static void compare(const struct compared *compared, const void *kept)
{
    const struct clocks_run *run = kept;
    for (size_t i = 0; i < run->file.clock_count; i++) {
        const struct clock_seen seen = clocks_seen(run, i);
        const char *name = seen.clock->name;
        if (!clocks_is_judged(run, i))
            continue;
        if (seen.scale.known && isfinite(seen.scale.ns_per_tick) &&
            (strcmp(name, "tsc") == 0 || strcmp(name, "cntvct") == 0 ||
             strcmp(name, "rdtime") == 0))
            compared->file->sides[compared->side].tick_ns = seen.scale.ns_per_tick;
        const struct clock_verdict *verdict = seen.verdict;
        if (verdict)
            told_word(compared, name,
                      &(struct compare_word){
                          .word = clock_trust_names[verdict->trust],
                          .detail = verdict->fault ? clock_fault_names[verdict->fault] : NULL,
                          .unsure = verdict->trust == TRUST_NOT_FALSIFIABLE});
    }
}

/* ----------------------------------------------------------------------------------------------
 * Clocks as quantities: what reading one costs, and how it runs against the operating system's. */

/* Runs of one machine differ in the rate of clocks by so much without any difference of machines.
 */
#define COMPARE_RATE_MARGIN .001

struct watching {
    const struct compared *compared;
    const struct clocks_case *file;
    const struct clock_watch *watch;
    int reference; /* column of the clock that others are held against; -1: none */
};

/* The mean of two looks in opposite orders is a reading at one moment (wire/watch.h). */
static double reading_at(const struct watching *watching, size_t look, size_t column)
{
    const struct clock_watch *watch = watching->watch;
    const uint64_t first = watch->values[look * watch->columns + column],
                   second = watch->values[(look + 1) * watch->columns + column];
    return (double)first + (double)(int64_t)(second - first) / 2;
}

static double interval_of(const struct watching *watching, size_t look, size_t column)
{
    const struct clock_watch *watch = watching->watch;
    const uint64_t begin = watch->values[look * watch->columns + column],
                   end = watch->values[(look + WATCH_SIDE_LOOKS) * watch->columns + column];
    /* Absolute readings have more digits than a double: their offsets do not. */
    const double before = reading_at(watching, look, column) - (double)begin,
                 after = reading_at(watching, look + WATCH_SIDE_LOOKS, column) - (double)end;
    return (double)(int64_t)(end - begin) + after - before;
}

/* How the clock ran against the reference in the interval that begins with this look; or what a
 * reading cost in this block. NaN: nothing that can be told. */
static double value_of(const struct watching *watching, size_t look, size_t column)
{
    const struct clock_watch *watch = watching->watch;
    const uint64_t *row = watch->values + look * watch->columns;
    if (watch->kind == WATCH_ROW)
        return watch->length
                   ? (double)(int64_t)(row[ROW_AFTER] - row[ROW_BEFORE]) / (double)watch->length
                   : (double)NAN;
    const double reference = interval_of(watching, look, (size_t)watching->reference);
    return reference > 0 ? interval_of(watching, look, column) / reference : (double)NAN;
}

static void add_processes(const struct watching *watching, size_t column,
                          const struct compare_quantity *like, double factor)
{
    const struct clock_watch *watch = watching->watch;
    const size_t step = watch->kind == WATCH_INTERVAL ? WATCH_INTERVAL_LOOKS : 1;
    struct compare_quantity *quantity = compared_quantity(watching->compared, like);
    for (size_t process = 0; process < watch->processes; process++) {
        const size_t begin = watch->begins[process], end = watch->begins[process + 1];
        AUTO_MEMORY double *values = memory_new((end - begin) / step, sizeof(*values));
        size_t count = 0;
        for (size_t look = begin; look + step <= end; look += step) {
            const double value = value_of(watching, look, column) * factor;
            if (!isnan(value))
                values[count++] = value;
        }
        compared_median(watching->compared, quantity, values, count);
    }
}

/* The operating system's clocks count ns. */
static int reference_of(const struct clocks_case *file, const struct clock_watch *watch)
{
    static const char *const names[] = {"monotonic-raw", "monotonic"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        int clock = clocks_index(file, names[i]);
        int column = clock < 0 ? -1 : watch_column(watch, (uint32_t)clock);
        if (column >= 0)
            return column;
    }
    return -1;
}

static void add_watch(struct watching *watching)
{
    const struct clock_watch *watch = watching->watch;
    watching->reference = reference_of(watching->file, watch);
    if (watch->kind == WATCH_ROW && watch->columns == ROW_COLUMNS) {
        const struct clock_known *clock = &watching->file->clocks[watch->clocks[ROW_FIRST]],
                                 *meter = &watching->file->clocks[watch->clocks[ROW_BEFORE]];
        struct compare_quantity like = {.event = "cost of a reading",
                                        .subject = clock->name,
                                        .factors = "",
                                        .unit = meter->hz ? "ns" : "ticks",
                                        .timed = true,
                                        .margin = COMPARE_TIME_MARGIN};
        add_processes(watching, ROW_FIRST, &like, meter->hz ? 1e9 / (double)meter->hz : 1);
    }

    if (watch->kind != WATCH_INTERVAL || watching->reference < 0)
        return;
    for (size_t column = 0; column < watch->columns; column++)
        if (column != (size_t)watching->reference) {
            /* Clocks that claim no rate are in ticks a nanosecond. Those of CPU time run as others
             * let them. */
            const struct clock_known *clock = &watching->file->clocks[watch->clocks[column]];
            AUTO_TEXT struct text factors = {0};
            if (clock->role != ROLE_WALL)
                continue;
            text_printf(&factors, "%s, %llu us, %u thread%s%s%s%s", watch->workload,
                        (unsigned long long)watch->length, watch->threads,
                        watch->threads == 1 ? "" : "s", watch->moves ? ", moved" : "",
                        watch->handover ? ", handed over" : "", watch->awake ? ", kept awake" : "");
            struct compare_quantity like = {.event = "rate",
                                            .subject = clock->name,
                                            .factors = factors.bytes,
                                            .unit = clock->hz ? "ratio" : "ticks/ns",
                                            .timed = true,
                                            .margin = COMPARE_RATE_MARGIN};
            add_processes(watching, column, &like, clock->hz ? 1e9 / (double)clock->hz : 1);
        }
}

static int load(struct store *store, const struct compared *compared, struct failure *failure)
{
    struct clocks_case file = {0};
    int error = clocks_load(store, &file, failure);
    for (size_t i = 0; i < file.watch_count && error == 0; i++)
        add_watch(
            &(struct watching){.compared = compared, .file = &file, .watch = &file.watches[i]});
    return error;
}

const struct study_told clocks_told = {
    .title = "How far clocks can be trusted",
    .lead = lead,
    .line = {&line, 4, put_line},
    .part = {.turn = 5, 15, 115, 130, 3, 20, .rank = 3, .quick_flag = 60},
    .compared = {.say = compare, .load = load, .ticks = true},
};
