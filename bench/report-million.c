/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long the page of a million stored samples takes `assay report`, and how large it is. The
 * store is synthetic, written first, which does not count.
 *
 *     report-million ASSAY [SAMPLES [FOLDER]]     default: 1000000, $TMPDIR or /tmp */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../tests/planted-errors.h"

#define LIMIT_SECONDS 5.0
#define LIMIT_MIB     5.0

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int report(const char *assay, const char *store, const char *page)
{
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        execl(assay, assay, "report", store, "-o", page, (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int measure(const char *assay, const char *store, const char *page, uint64_t samples)
{
    double start = seconds();
    int status = report(assay, store, page);
    double took = seconds() - start;
    struct rusage usage = {0};
    struct stat written = {0};
    if (status != 0 || stat(page, &written) < 0) {
        fprintf(stderr, "report-million: assay report ended with %d\n", status);
        return 1;
    }
    getrusage(RUSAGE_CHILDREN, &usage);
    printf("report: %" PRIu64 " samples in %.1f s (limit %.0f), of which the CPU worked %.1f; page "
           "%.1f MiB (limit %.0f), peak memory %.0f MiB\n",
           samples, took, LIMIT_SECONDS,
           (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6 +
               (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * 1e-6,
           (double)written.st_size / 1048576, LIMIT_MIB, (double)usage.ru_maxrss / 1024);
    return 0;
}

int main(int argument_count, char **arguments)
{
    struct planted_size size = {1000000, 1};
    const char *folder = argument_count > 3 ? arguments[3] : getenv("TMPDIR");
    char store[4096], page[4096];
    struct failure failure = {0};
    struct planted_written written;
    if (argument_count < 2) {
        fputs("usage: report-million ASSAY [SAMPLES [FOLDER]]\n", stderr);
        return 2;
    }
    if (argument_count > 2)
        size.samples = strtoull(arguments[2], NULL, 10);
    folder = folder ? folder : "/tmp";
    snprintf(store, sizeof(store), "%s/assay-report-%d.sqlite", folder, (int)getpid());
    snprintf(page, sizeof(page), "%s/assay-report-%d.html", folder, (int)getpid());
    int status = 1;
    if (planted_write(store, &size, &written, &failure) < 0)
        fprintf(stderr, "report-million: %s\n", failure.text);
    else
        status = measure(arguments[1], store, page, written.samples);
    unlink(store);
    unlink(page);
    return status;
}
