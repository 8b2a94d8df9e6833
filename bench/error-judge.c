/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long ten million stored samples take to be loaded and judged, and how much memory. The store
 * is synthetic, written first (which takes longer than judging it), with effects of known size
 * planted; what the judge makes of them is printed beside them.
 *
 *     error-judge [SAMPLES [FOLDER [SEED]]]     default: 10000000, $TMPDIR or /tmp, 1 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "../tests/planted-errors.h"
#include "studies/error/plan.h"
#include "studies/error/study.h"

#define LIMIT_SECONDS 10.0
#define LIMIT_MIB     1024.0

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* --- planted against recovered --- */

/* What a factor was given to change the null error by, between its extreme levels. */
static double planted_range(const char *event, const char *factor)
{
    if (strcmp(factor, "path") == 0)
        return PLANTED_PATH_MOST;
    if (strcmp(factor, "pattern") == 0)
        return PLANTED_PATTERN_MOST;
    if (strcmp(factor, "counters") == 0 && strstr(event, ":uk"))
        return PLANTED_EACH_COUNTER * 3;
    return 0;
}

static void print_effects(const struct error_report *report)
{
    for (size_t i = 0; i < report->effect_count; i++) {
        const struct error_effect *effect = &report->effects[i];
        bool main_effect = (effect->factors & (effect->factors - 1)) == 0;
        if (effect->stepped)
            continue;
        if (main_effect)
            printf("  %-16s %-16s planted %5.0f, found %8.2f; eta squared %.4f, p %.2g: %s\n",
                   effect->event, effect->name, planted_range(effect->event, effect->name),
                   effect->range, effect->effect_size, effect->p,
                   effect->matters ? "matters" : "does not matter");
        else
            printf("  %-16s %-16s planted     0;                 eta squared %.4f, p %.2g: %s\n",
                   effect->event, effect->name, effect->effect_size, effect->p,
                   effect->matters ? "matters" : "does not matter");
    }
}

static void print_shapes(const struct error_report *report)
{
    for (size_t i = 0; i < report->slope_count; i++) {
        const struct error_slope *slope = &report->slopes[i];
        printf("  %-16s slope            planted %7.4f, found %.6f (%.6f to %.6f)\n", slope->event,
               slope->mode == COUNT_USER ? 0.0 : PLANTED_SLOPE, slope->slope, slope->low,
               slope->high);
    }
    if (report->ticks.known)
        printf("  instructions a tick               planted %d, found %.0f (%.0f to %.0f)\n",
               PLANTED_TICK, report->ticks.each, report->ticks.each_low, report->ticks.each_high);
    for (size_t i = 0; i < report->placement_count; i++)
        printf("  %-16s placement factor planted %.2f, found %.2f (%.2f to %.2f)\n",
               report->placements[i].event, PLANTED_PLACE_FACTOR, report->placements[i].factor,
               report->placements[i].factor_low, report->placements[i].factor_high);
}

/* --- the measurement --- */

/* In a process of its own, so that its memory is that of judging alone. */
static int judge(const char *path, uint64_t samples)
{
    struct failure failure = {0};
    struct store *store = NULL;
    struct error_case file = {0};
    struct error_report report = {0};
    double start = seconds();
    int error = store_open(&store, path, false, &failure);
    if (!error)
        error = error_load(store, &file, &failure);
    store_close(store);
    double loaded = seconds();
    double peak_loading = peak_mib();
    if (!error)
        report = error_judge(&file, 1);
    double judged = seconds();
    if (error)
        fprintf(stderr, "error-judge: %s\n", failure.text);
    else {
        printf(
            "error: %" PRIu64 " samples in %zu cells loaded in %.1f s (%.0f/s, %.0f MiB) and "
            "judged in %.1f s: %.1f s (limit %.0f), of which the CPU worked %.1f; peak memory %.0f "
            "MiB (limit %.0f)\n",
            samples, file.cell_count, loaded - start, (double)samples / (loaded - start),
            peak_loading, judged - loaded, judged - start, LIMIT_SECONDS, processor_seconds(),
            peak_mib(), LIMIT_MIB);
        print_effects(&report);
        print_shapes(&report);
    }
    return error ? 1 : 0;
}

static int judge_apart(const char *path, uint64_t samples)
{
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        status = judge(path, samples);
        fflush(stdout);
        _exit(status);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        perror("error-judge: cannot start the judge");
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argument_count, char **arguments)
{
    struct planted_size size = {10000000, 1};
    const char *folder = argument_count > 2 ? arguments[2] : getenv("TMPDIR");
    if (argument_count > 1)
        size.samples = strtoull(arguments[1], NULL, 10);
    if (argument_count > 3)
        size.seed = strtoull(arguments[3], NULL, 10);
    char path[4096];
    snprintf(path, sizeof(path), "%s/assay-error-judge-%d.sqlite", folder ? folder : "/tmp",
             (int)getpid());
    struct failure failure = {0};
    struct planted_written written;
    double start = seconds();
    int error = planted_write(path, &size, &written, &failure);
    if (error)
        fprintf(stderr, "error-judge: %s\n", failure.text);
    else
        printf("error: wrote %" PRIu64 " samples of %zu processes in %.1f s\n", written.samples,
               written.visits, seconds() - start);
    int status = error ? 1 : judge_apart(path, written.samples);
    unlink(path);
    return status;
}
