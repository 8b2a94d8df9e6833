/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Idle states as a cause: the sentence on sleeps with CPUs held awake. */
#include "judge/clocks/idle.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "judge/clocks/marks.h"

/* Less than this between two ratios is no change, whatever the bounds of readings are. */
#define RATIO_CHANGE 1e-4
/* A clock that leaves this open says nothing of how well the others agree. */
#define COARSE_DOUBT 1e-3

/* Every sleep is a value of its own: what is compared are sleeps, not processes. */
int idle_add_sleep(struct idle_sleeps *sleeps, bool awake, double late_ns)
{
    struct replicate_list *list = awake ? &sleeps->awake : &sleeps->plain;
    return replicate_add(list, list->count, late_ns);
}

void idle_release(struct idle_sleeps *sleeps)
{
    replicate_release(&sleeps->plain);
    replicate_release(&sleeps->awake);
}

static bool is_sleep(const struct clock_row *row, bool awake)
{
    return strcmp(row->workload, "sleep") == 0 && row->threads == 1 && !row->moves &&
           !row->handover && row->awake == awake;
}

/* What the two ratios can differ by although nothing changed. */
static double doubt(const struct clocks_report *report, const struct clock_row *row)
{
    double ns = row->bound_ns + clock_step_ns(report, row->clock);
    return row->median_ns > 0 ? ns / row->median_ns : INFINITY;
}

struct change {
    const struct clock_row *plain, *awake; /* NULL: nothing was compared */
    double size;                           /* of the ratio, beyond doubt; 0: none */
    double largest;                        /* any, of a clock that did not change beyond doubt */
};

/* The plain sleep of the same clock that is nearest in length; NULL: none. */
static const struct clock_row *plain_like(const struct clocks_report *report,
                                          const struct clock_row *awake)
{
    const struct clock_row *nearest = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct clock_row *row = &report->rows[i];
        double apart = fabs((double)row->requested_us - (double)awake->requested_us);
        if (row->clock == awake->clock && is_sleep(row, false) && apart < least) {
            nearest = row;
            least = apart;
        }
    }
    return nearest;
}

/* The clock whose ratio over sleep changes most, of those that claim to go on. */
static struct change largest_change(const struct clocks_case *file,
                                    const struct clocks_report *report)
{
    struct change found = {0};
    for (size_t i = 0; i < report->row_count; i++) {
        const struct clock_row *awake = &report->rows[i];
        const struct clock_row *plain = is_sleep(awake, true) ? plain_like(report, awake) : NULL;
        if (!plain || file->clocks[awake->clock].role != ROLE_WALL)
            continue;
        double size = fabs(plain->ratio_median - awake->ratio_median);
        double beyond = size - doubt(report, plain) - doubt(report, awake) - RATIO_CHANGE;
        if (beyond <= 0 && doubt(report, plain) < COARSE_DOUBT)
            found.largest = fmax(found.largest, size);
        if (!found.plain || (beyond > 0 && size > found.size)) {
            found.plain = plain;
            found.awake = awake;
            found.size = beyond > 0 ? size : 0;
        }
    }
    return found;
}

/* Why no CPU was held awake, or NULL. */
static const char *why_not_held(const struct clocks_case *file)
{
    for (size_t i = 0; i < file->watch_count; i++)
        if (file->watches[i].awake && file->watches[i].failed && file->watches[i].reason)
            return file->watches[i].reason;
    for (size_t i = 0; i < file->absence_count; i++)
        if (file->absences[i].what && strstr(file->absences[i].what, "awake"))
            return file->absences[i].reason;
    return NULL;
}

static void tell_clocks(const struct clocks_case *file, const struct change *change,
                        struct clocks_disturbances *seen)
{
    if (!change->plain)
        return;
    if (change->size > 0)
        snprintf(seen->idle, sizeof(seen->idle),
                 "Idle states matter to %s: over sleep it shows %.4f of the reference, %.4f while "
                 "CPUs are held awake. ",
                 file->clocks[change->plain->clock].name, change->plain->ratio_median,
                 change->awake->ratio_median);
    else
        snprintf(seen->idle, sizeof(seen->idle), "Idle states change no clock (to %.2g ppm). ",
                 fmax(.1, 1e6 * change->largest));
}

/* How late they end stands beside it. */
static void tell_sleeps(struct overhead_median plain, struct overhead_median awake,
                        struct clocks_disturbances *seen)
{
    size_t used = strlen(seen->idle);
    const char *words = plain.low > awake.high   ? "Idle states make sleeps end later."
                        : plain.high < awake.low ? "Sleeps end later while CPUs are held awake."
                                                 : "Sleeps end no earlier without them.";
    snprintf(seen->idle + used, sizeof(seen->idle) - used, "%s", words);
}

void idle_compare(const struct clocks_case *file, const struct clocks_report *report,
                  struct idle_sleeps *sleeps, struct clocks_disturbances *seen)
{
    struct overhead_median plain = replicate_median(&sleeps->plain);
    struct overhead_median awake = replicate_median(&sleeps->awake);
    seen->overslept_median_ns = plain.median;
    seen->awake_median_ns = awake.median;
    seen->overslept_max_ns =
        sleeps->plain.count ? sleeps->plain.values[sleeps->plain.count - 1] : NAN;
    seen->awake_max_ns = sleeps->awake.count ? sleeps->awake.values[sleeps->awake.count - 1] : NAN;
    if (!sleeps->plain.count)
        return;
    if (!sleeps->awake.count) {
        const char *why = why_not_held(file);
        snprintf(seen->idle, sizeof(seen->idle),
                 "What idle states do was not told apart: no sleep was watched with CPUs held "
                 "awake%s%.150s.",
                 why ? ": " : "", why ? why : "");
        return;
    }
    struct change change = largest_change(file, report);
    tell_clocks(file, &change, seen);
    tell_sleeps(plain, awake, seen);
}
