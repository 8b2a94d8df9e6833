/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Trying LIKWID, with libraries of our own in its place: one that counts, and ones that refuse,
 * print, hang, die or take the process along. */
#include <errno.h>
#include <signal.h>

#include <likwid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case.h"
#include "probe/tour/instruments.h"

/* --- the library --- */

enum conduct { COUNTS, COUNTS_BY_DAEMON, COUNTS_ZERO, REFUSES, ENDS, DIES, HANGS, SAYS_NOTHING };
static enum conduct conduct;
static const char *known = ""; /* the one event that it has */
static int access_mode;

int topology_init(void)
{
    return 0;
}

void HPMmode(int mode)
{
    access_mode = mode;
}

static int refuse(void)
{
    fputs("ERROR - [./src/place.c:function:127] No such file or directory.\n"
          "Cannot access MSR device file /dev/cpu/0/msr: No such file or directory.\n"
          "ERROR - [./src/place.c:function:128] Please check\x1b[2J\n",
          stderr);
    return -1;
}

int perfmon_init(int nrThreads, const int *threadsToCpu)
{
    assert_int_equal(nrThreads, 1);
    (void)threadsToCpu;
    switch (conduct) {
    case REFUSES:
        return refuse();
    case ENDS:
        puts("ERROR - [./src/place.c:function:1] Locked by somebody\a.");
        exit(EXIT_SUCCESS);
    case DIES:
        raise(SIGKILL);
        return -1;
    case HANGS:
        pause();
        return -1;
    case SAYS_NOTHING:
        return -1;
    case COUNTS_BY_DAEMON:
        return access_mode == ACCESSMODE_DAEMON ? 0 : refuse();
    default:
        return 0;
    }
}

int perfmon_addEventSet(const char *event)
{
    return strcmp(event, known) == 0 ? 3 : -EINVAL;
}

int perfmon_setupCounters(int group)
{
    return group == 3 ? 0 : -1;
}

int perfmon_startCounters(void)
{
    return 0;
}

int perfmon_stopCounters(void)
{
    return 0;
}

double perfmon_getResult(int group, int event, int thread)
{
    return group == 3 && event == 0 && thread == 0 && conduct != COUNTS_ZERO ? 4711.0 : 0.0;
}

int init_configuration(void)
{
    return -1;
}

Configuration_t get_configuration(void)
{
    return NULL;
}

/* --- the cases --- */

static struct job_event hardware(uint64_t config)
{
    struct job_event event = {.attr = {.type = PERF_TYPE_HARDWARE, .config = config}};
    snprintf(event.name, sizeof(event.name), "event %d", (int)config);
    return event;
}

static int attempt(enum conduct as, const char *event, struct likwid_way *way, char reason[512])
{
    struct job_event asked = hardware(PERF_COUNT_HW_INSTRUCTIONS);
    conduct = as;
    known = event;
    reason[0] = '\0';
    return likwid_trial(&asked, 0, way, reason, 512);
}

TEST(names_are_tried_until_one_counts)
{
    static const char *const names[] = {"INSTR_RETIRED_ANY:FIXC0", "RETIRED_INSTRUCTIONS:PMC0",
                                        "INST_RETIRED:PMC0"};
    for (size_t index = 0; index < 3; index++) {
        struct likwid_way way = {0};
        char reason[512];
        assert_int_equal(attempt(COUNTS, names[index], &way, reason), 0);
        assert_string_equal(way.event, names[index]);
        assert_string_equal(way.mode, "0");
    }
}

TEST(the_daemon_is_the_second_way)
{
    struct likwid_way way = {0};
    char reason[512];
    assert_int_equal(attempt(COUNTS_BY_DAEMON, "INST_RETIRED:PMC0", &way, reason), 0);
    assert_string_equal(way.mode, "1");
}

TEST(its_own_sentence_is_the_reason)
{
    struct likwid_way way;
    char reason[512];
    assert_int_equal(attempt(REFUSES, "", &way, reason), -ENODEV);
    assert_string_equal(reason, "LIKWID cannot count here: Cannot access MSR device file "
                                "/dev/cpu/0/msr: No such file or directory");
    fputs("# said before by this process, and not yet written\n", stdout);
    assert_int_equal(attempt(ENDS, "", &way, reason), -ENODEV);
    assert_string_equal(reason, "LIKWID cannot count here: Locked by somebody?");
}

TEST(one_that_says_nothing_or_counts_nothing_has_a_reason_too)
{
    static const enum conduct conducts[] = {SAYS_NOTHING, DIES, COUNTS_ZERO};
    for (size_t index = 0; index < 3; index++) {
        struct likwid_way way;
        char reason[512];
        assert_int_equal(attempt(conducts[index], "INST_RETIRED:PMC0", &way, reason), -ENODEV);
        assert_non_null(strstr(reason, "does not say why"));
    }
}

TEST(one_that_hangs_is_given_up)
{
    struct likwid_way way;
    char reason[512];
    assert_int_equal(attempt(HANGS, "", &way, reason), -ENODEV);
    assert_non_null(strstr(reason, "did not say within"));
}

TEST(an_event_without_a_name_is_refused)
{
    struct likwid_way way;
    char reason[512];
    struct job_event asked = hardware(PERF_COUNT_HW_BUS_CYCLES);
    assert_int_equal(likwid_try(&asked, 0, &way, reason, sizeof(reason)), -ENOTSUP);
    assert_non_null(strstr(reason, asked.name));
}
