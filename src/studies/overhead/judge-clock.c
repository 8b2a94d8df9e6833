/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many instructions a tick of an emulated clock is. The gauge is a fixed block of code: its
 * instructions in user mode over its ticks. Counters that meter halt while the operating system
 * switches others; the clock goes on. */
#include "judge/overhead/clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "stats/spread.h"
#include "judge/overhead/passes.h"

/* So far from a whole number a rate may be: ticks on either side of the median average out. */
static const double NEARLY_WHOLE = 0.1;

bool overhead_is_clock(const struct overhead_meter *meter)
{
    return meter->unit == METER_INSTRUCTIONS && strcmp(meter->event, OVERHEAD_CLOCK) == 0;
}

bool overhead_has_clock(const struct overhead_report *report, uint32_t machine)
{
    for (size_t i = 0; i < report->timer_count; i++)
        if (report->timers[i].machine == machine && overhead_is_clock(report->timers[i].meter))
            return true;
    return false;
}

/* Names of events that a counter of the CPU counts begin so. */
static const char *const of_the_cpu[] = {
    "instructions", "cycles", "branch", "cache", "L1-",  "LLC-", "ref-cycles",
    "bus-cycles",   "dTLB-",  "iTLB-",  "cpu/",  "cpu_", "arm"};

static bool is_of_the_cpu(const char *event)
{
    for (size_t i = 0; event && i < sizeof(of_the_cpu) / sizeof(*of_the_cpu); i++)
        if (strncmp(event, of_the_cpu[i], strlen(of_the_cpu[i])) == 0)
            return true;
    return false;
}

bool overhead_misses_switches(const struct overhead_report *report, const struct overhead_row *row)
{
    return is_of_the_cpu(row->meter->event) && is_of_the_cpu(row->counted) &&
           !overhead_has_clock(report, row->machine);
}

double overhead_middle_by(const struct overhead_meter *meter, const int64_t *sorted, size_t count)
{
    double median = overhead_middle(sorted, count), sum = 0;
    size_t near = 0;
    for (size_t i = 0; i < count && meter->step > 0; i++)
        if (fabs((double)sorted[i] - median) <= meter->step) {
            sum += (double)sorted[i];
            near++;
        }
    return near ? sum / (double)near : median;
}

/* --- the gauge, by one meter --- */

struct spans {
    int64_t *values;
    size_t count;
};

/* Of one operation in all warm tours of the machine. values NULL: only counts. */
static void take_spans(const struct overhead_case *file, uint32_t machine, const char *event,
                       const char *operation, struct spans *spans)
{
    for (size_t i = 0; i < file->tour_count; i++) {
        const struct overhead_tour *tour = &file->tours[i];
        uint32_t meter = 0;
        while (meter < tour->meter_count && strcmp(tour->meters[meter].event, event) != 0)
            meter++;
        if (tour->machine != machine || tour->cold || meter == tour->meter_count)
            continue;
        size_t calls = tour->processes ? tour->begins[tour->processes] : 0;
        for (size_t at = 0; at < calls; at++) {
            if (strcmp(file->operations[tour->calls[at % tour->length]].name, operation) != 0)
                continue;
            if (spans->values)
                spans->values[spans->count] = tour->values[at * tour->meter_count + meter];
            spans->count++;
        }
    }
}

/* In *middle; NaN: it was not metered. -ENOMEM. */
static int take_middle(const struct overhead_case *file, uint32_t machine, const char *event,
                       const char *operation, double *middle)
{
    /* Ticks come in ones, and those on either side of the median tell what lies between. */
    const struct overhead_meter meter = {.step = strcmp(event, OVERHEAD_CLOCK) == 0 ? 1 : 0};
    struct spans spans = {0};
    *middle = NAN;
    take_spans(file, machine, event, operation, &spans);
    if (!spans.count)
        return 0;
    AUTO_FREE int64_t *values = calloc(2 * spans.count, sizeof(*values));
    if (!values)
        return -ENOMEM;
    spans = (struct spans){.values = values};
    take_spans(file, machine, event, operation, &spans);
    error_sort(values, spans.count, values + spans.count);
    *middle = overhead_middle_by(&meter, values, spans.count);
    return 0;
}

/* What the gauge costs without its metering. */
static int take_gauge(const struct overhead_case *file, uint32_t machine, const char *event,
                      double *cost)
{
    double gauge, nothing;
    int error = take_middle(file, machine, event, "timer.gauge", &gauge);
    if (!error)
        error = take_middle(file, machine, event, "timer.nothing", &nothing);
    if (!error)
        *cost = gauge - nothing;
    return error;
}

/* --- one machine --- */

static bool has_ticks(const struct overhead_case *file, uint32_t machine)
{
    for (size_t i = 0; i < file->tour_count; i++)
        for (uint32_t meter = 0; meter < file->tours[i].meter_count; meter++)
            if (file->tours[i].machine == machine && file->tours[i].processes &&
                file->tours[i].meters[meter].unit == METER_TICKS)
                return true;
    return false;
}

/* Spans of a damaged store may be anything: what cannot be multiplied is none. */
static bool fits(const struct overhead_case *file, uint32_t machine, int64_t rate)
{
    for (size_t i = 0; i < file->tour_count; i++) {
        const struct overhead_tour *tour = &file->tours[i];
        size_t values = tour->processes ? tour->begins[tour->processes] * tour->meter_count : 0;
        for (size_t at = 0; tour->machine == machine && at < values; at++) {
            int64_t product;
            if (tour->meters[at % tour->meter_count].unit == METER_TICKS &&
                __builtin_mul_overflow(tour->values[at], rate, &product))
                return false;
        }
    }
    return true;
}

static int convert(struct overhead_tour *tour, uint32_t index, int64_t rate)
{
    struct overhead_meter *meter = &tour->meters[index];
    char *mode = strdup("uk");
    if (!mode)
        return -ENOMEM;
    free(meter->mode);
    meter->mode = mode;
    meter->unit = METER_INSTRUCTIONS;
    meter->step = (double)rate;
    size_t calls = tour->processes ? tour->begins[tour->processes] : 0;
    for (size_t at = 0; at < calls; at++)
        tour->values[at * tour->meter_count + index] *= rate;
    return 0;
}

static int convert_all(struct overhead_case *file, uint32_t machine, int64_t rate)
{
    int error = 0;
    for (size_t i = 0; i < file->tour_count; i++)
        for (uint32_t meter = 0; meter < file->tours[i].meter_count && !error; meter++)
            if (file->tours[i].machine == machine &&
                file->tours[i].meters[meter].unit == METER_TICKS)
                error = convert(&file->tours[i], meter, rate);
    return error;
}

static int read_clock(struct overhead_case *file, uint32_t index)
{
    struct overhead_machine *machine = &file->machines[index];
    double ticks, instructions;
    if (!machine->emulated || machine->tick > 0 || !has_ticks(file, index))
        return 0;
    int error = take_gauge(file, index, OVERHEAD_CLOCK, &ticks);
    if (!error)
        error = take_gauge(file, index, "instructions:u", &instructions);
    if (error)
        return error;
    double rate = instructions / ticks, whole = round(rate);
    if (!isfinite(rate) || !(ticks > 0))
        snprintf(machine->tick_why, sizeof(machine->tick_why),
                 "the gauge was not metered in ticks and in instructions in user mode");
    else if (!(whole >= 1) || whole > 1e6 || fabs(rate - whole) > NEARLY_WHOLE)
        snprintf(machine->tick_why, sizeof(machine->tick_why),
                 "the gauge executes %.4g instructions a tick, which is no whole number: the clock "
                 "does not count them",
                 rate);
    else if (!fits(file, index, (int64_t)whole))
        snprintf(machine->tick_why, sizeof(machine->tick_why), "spans in ticks are absurd");
    else {
        machine->tick = whole;
        return convert_all(file, index, (int64_t)whole);
    }
    return 0;
}

int overhead_read_clocks(struct overhead_case *file)
{
    int error = 0;
    for (uint32_t i = 0; i < file->machine_count && !error; i++)
        error = read_clock(file, i);
    return error;
}
