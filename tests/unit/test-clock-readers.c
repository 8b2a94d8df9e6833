/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every clock that can be opened here goes on and keeps its unit; one that may not be read is
 * refused in words, and nobody dies of it. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "case.h"
#include "probe/clocks/clock.h"

#define MOST 64

struct opened {
    struct clock_reader readers[MOST];
    uint64_t before[MOST], after[MOST];
    size_t count;
};

/* Those of a kind, of all that can be opened here. */
static void open_all(struct opened *opened, enum clock_kind kind)
{
    char claim[CLOCK_CLAIM], reason[CLOCK_REASON];
    opened->count = 0;
    for (size_t index = 0; clock_registry[index]; index++) {
        const struct clock *clock = clock_registry[index];
        struct clock_reader *reader = &opened->readers[opened->count];
        assert_true(opened->count < MOST);
        if (clock->kind != kind)
            continue;
        if (clock_open(reader, clock->name, false, claim, reason, sizeof(reason)) == 0) {
            assert_int_equal(strcmp(claim, "") != 0, reader->hz != 0);
            opened->count++;
        } else {
            print_message("# %s: %s\n", clock->name, reason);
            assert_string_not_equal(reason, "");
        }
    }
}

static void read_all(struct opened *opened, uint64_t *readings)
{
    for (size_t index = 0; index < opened->count; index++) {
        struct clock_reader *reader = &opened->readers[index];
        readings[index] = reader->clock->read(reader);
        if (reader->error)
            print_error("%s: %s\n", reader->clock->name, reader->why);
        assert_int_equal(reader->error, 0);
    }
}

/* The work was between 1 ms and 10 s by any clock that is fine enough to tell. */
static void assert_sane(struct opened *opened)
{
    for (size_t index = 0; index < opened->count; index++) {
        struct clock_reader *reader = &opened->readers[index];
        double elapsed = (double)(opened->after[index] - opened->before[index]);
        print_message("# %s: %.0f at %llu a second\n", reader->clock->name, elapsed,
                      (unsigned long long)reader->hz);
        assert_true(opened->after[index] >= opened->before[index]);
        if (reader->hz >= 1000) {
            assert_true(elapsed / (double)reader->hz >= 1e-3);
            assert_true(elapsed / (double)reader->hz <= 10);
        } else if (reader->hz == 0)
            assert_true(elapsed > 0);
    }
}

static void close_all(struct opened *opened)
{
    for (size_t index = 0; index < opened->count; index++)
        clock_close(&opened->readers[index]);
}

TEST(wall_clocks_go_on_while_the_process_sleeps)
{
    static struct opened opened;
    open_all(&opened, CLOCK_WALL);
    assert_true(opened.count >= 4);
    read_all(&opened, opened.before);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    read_all(&opened, opened.after);
    assert_sane(&opened);
    close_all(&opened);
}

static void compute_20_ms(void)
{
    struct timespec start, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < 20000000);
}

TEST(clocks_of_cpu_time_go_on_while_the_process_computes)
{
    static struct opened opened;
    open_all(&opened, CLOCK_CPU_TIME);
    assert_true(opened.count >= 2);
    read_all(&opened, opened.before);
    compute_20_ms();
    read_all(&opened, opened.after);
    assert_sane(&opened);
    close_all(&opened);
}

TEST(the_cpu_is_one_of_the_machines)
{
    static struct opened opened;
    open_all(&opened, CLOCK_PLACE);
    assert_int_equal(opened.count, 1);
    read_all(&opened, opened.before);
    assert_true(opened.before[0] < (uint64_t)sysconf(_SC_NPROCESSORS_CONF));
    close_all(&opened);
}

/* ns, of all CPUs together, as proc(5) has it. */
static uint64_t stolen_until_now(void)
{
    unsigned long long steal = 0;
    FILE *file = fopen("/proc/stat", "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal), 1);
    fclose(file);
    return steal * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

TEST(stolen_time_is_that_of_the_operating_system)
{
    static struct opened opened;
    open_all(&opened, CLOCK_STOLEN);
    assert_int_equal(opened.count, 1);
    uint64_t before = stolen_until_now();
    read_all(&opened, opened.before);
    uint64_t after = stolen_until_now();
    print_message("# %llu\n", (unsigned long long)opened.before[0]);
    assert_true(before <= opened.before[0] && opened.before[0] <= after);
    close_all(&opened);
}

TEST(a_filled_row_rises_as_single_readings_do)
{
    static struct opened opened;
    uint64_t row[64];
    open_all(&opened, CLOCK_WALL);
    for (size_t index = 0; index < opened.count; index++) {
        struct clock_reader *reader = &opened.readers[index];
        uint64_t before = reader->clock->read(reader);
        reader->clock->fill(reader, row, 64);
        uint64_t after = reader->clock->read(reader);
        assert_true(row[0] >= before && row[63] >= row[0] && after >= row[63]);
    }
    close_all(&opened);
}

TEST(names_that_are_no_clock_are_refused)
{
    struct clock_reader reader;
    char reason[CLOCK_REASON];
    assert_int_equal(clock_open(&reader, "sundial", true, NULL, reason, sizeof(reason)), -ENOENT);
    assert_non_null(strstr(reason, "sundial"));
    clock_close(&reader);
    assert_null(clock_find("sundial"));
    assert_ptr_equal(clock_find("monotonic"), clock_find("monotonic"));
}

TEST(dates_of_an_rtc_are_the_seconds_of_libc)
{
    for (time_t at = 0; at < 4102444800; at += 86400 * 13 + 12345) { /* until 2100 */
        struct tm date;
        assert_non_null(gmtime_r(&at, &date));
        struct calendar_time time = {date.tm_year + 1900LL, date.tm_mon + 1, date.tm_mday,
                                     date.tm_hour,          date.tm_min,     date.tm_sec};
        assert_int_equal(seconds_since_1970(&time), at);
    }
}

/* --- where the CPU's counter of time is forbidden --- */

enum verdict { FINE, TICKS_STILL_ALLOWED, OPENED_ALL_THE_SAME, NO_ADVICE, NO_WAY_LEFT };

static enum verdict without_ticks(void)
{
    char reason[CLOCK_REASON];
    struct clock_reader reader;
    if (clock_ticks_allowed())
        return TICKS_STILL_ALLOWED;
    for (size_t index = 0; clock_registry[index]; index++) {
        const struct clock *clock = clock_registry[index];
        int result = clock_open(&reader, clock->name, false, NULL, reason, sizeof(reason));
        if (result == 0) {
            clock->read(&reader); /* what can be opened can be read */
            clock_close(&reader);
        }
        if (strcmp(clock->way, "instruction") == 0 && result != -EPERM)
            return OPENED_ALL_THE_SAME;
        if (result == -EPERM && strcmp(clock->way, "device") != 0 &&
            strcmp(clock->way, "read") != 0 && !strstr(reason, "monotonic-syscall"))
            return NO_ADVICE;
        if (strcmp(clock->name, "monotonic-syscall") == 0 && result != 0)
            return NO_WAY_LEFT;
    }
    return FINE;
}

TEST(forbidden_ticks_are_absences_and_no_death)
{
    int status = 0;
    if (prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0) < 0)
        skip_because("this operating system cannot forbid user code the counter of time");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) < 0 ? 99 : (int)without_ticks());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), FINE);
}
