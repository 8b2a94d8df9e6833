/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every clock that can be opened here goes on and keeps its unit; one that may not be read is
 * refused in words, and nobody dies of it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "case.h"
#include "probe/clocks/clock.h"
#include "probe/driver/catalogue.h"
#include "wire/frame.h"

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

/* --- what the driver makes of the lines in which harnesses describe their clocks --- */

static int add(struct offers *offers, const char *line)
{
    char *copy = strdup(line);
    assert_non_null(copy);
    int result = clocks_add(offers, copy);
    free(copy);
    return result;
}

/* Each clock of the registry is told once, as one that can be read or as one that cannot. */
TEST(what_a_harness_says_is_understood)
{
    char *said = NULL, *line;
    size_t length = 0, missing = 0, all = 0;
    struct offers offers = {0};
    FILE *out = open_memstream(&said, &length);
    assert_non_null(out);
    clocks_describe(out);
    fclose(out);
    char *rest = said;
    while ((line = strsep(&rest, "\n")))
        if (strncmp(line, "clock ", 6) == 0)
            assert_int_equal(clocks_add(&offers, line + 6), 0);
        else
            missing += strncmp(line, "unreadable ", 11) == 0;
    for (; clock_registry[all]; all++) {
        const struct offered_clock *clock = clocks_find(&offers, clock_registry[all]->name);
        if (clock)
            assert_string_equal(clock->kind, clock_kind_names[clock_registry[all]->kind]);
    }
    assert_int_equal(offers.clock_count + missing, all);
    assert_non_null(clocks_find(&offers, "monotonic-syscall"));
    clocks_free(&offers);
    free(said);
}

TEST(lines_that_are_none_are_refused)
{
    static const char *const lines[] = {
        "",
        "tsc",
        "tsc wall instruction tsc 0 0 - -",
        "tsc wall instruction tsc 0 0 - - no tabulator",
        "tsc wall instruction tsc many 0 - - claim\tnote",
        "tsc wall instruction tsc -1 0 - - claim\tnote",
        "tsc wall instruction tsc 1 1e3 - - claim\tnote",
        "tsc wall instruction tsc 18446744073709551616 0 - - claim\tnote",
    };
    struct offers offers = {0};
    for (size_t index = 0; index < sizeof(lines) / sizeof(*lines); index++)
        assert_int_equal(add(&offers, lines[index]), -EBADMSG);
    assert_int_equal(offers.clock_count, 0);
    clocks_free(&offers);
}

TEST(a_frame_says_what_the_operating_systems_clocks_are_made_of)
{
    char source[64] = "", lines[2048];
    int ends[2];
    struct offers offers = {0};
    struct wire_frame frame;
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (file) {
        assert_int_equal(fscanf(file, "%63s", source), 1);
        fclose(file);
    }
    assert_int_equal(pipe(ends), 0);
    struct wire_writer writer = {.fd = ends[1]};
    assert_int_equal(add(&offers, "monotonic wall vdso - 1000000000 1000 - steered ns\tnone"), 0);
    clocks_send(&writer, &offers);
    assert_int_equal(wire_flush(&writer), 0);
    ssize_t length = read(ends[0], lines, sizeof(lines));
    assert_true(length > 1);
    assert_int_equal(wire_parse(lines, (size_t)length - 1, &frame, NULL), 0);
    assert_string_equal(frame.type, "clock");
    assert_string_equal(wire_get(&frame, "name"), "monotonic");
    assert_string_equal(wire_get(&frame, "hardware"), source);
    assert_string_equal(wire_get(&frame, "steered"), "1");
    assert_string_equal(wire_get(&frame, "slow"), "0");
    wire_writer_free(&writer);
    clocks_free(&offers);
    close(ends[0]);
    close(ends[1]);
}
