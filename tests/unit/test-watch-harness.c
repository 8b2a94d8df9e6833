/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The watching harnesses of the kit with clocks of this machine: every workload, threads, moves,
 * hand-overs and trips, and a process that may not read the CPU's counter of time. */
#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "case.h"
#include "specimens/affinity.h"
#include "watch-job.h"

#ifndef PR_SET_TSC
#define PR_SET_TSC 26
#endif
#define FORBIDDEN 2 /* PR_TSC_SIGSEGV */

struct asked {
    struct job *job;
    int fd;
};

static struct asked ask(enum watch_kind kind, const char *const *clocks, uint32_t count,
                        uint32_t runs, uint64_t length)
{
    struct asked asked = {.fd = -1};
    asked.job = watch_job(kind, clocks, count, runs, length, &asked.fd);
    return asked;
}

/* Its wait status. */
static int run(const struct asked *asked, const char *name, bool forbidden,
               const struct affinity *cpus)
{
    char file[4096];
    const char *build = getenv("ASSAY_BUILD");
    int status = 0;
    snprintf(file, sizeof(file), "%s/src/probe/watch/%s", build ? build : "build", name);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        char *words[] = {file, NULL}, *nothing[] = {NULL};
        if ((!cpus || affinity_set(cpus) == 0) && dup2(asked->fd, JOB_FD) == JOB_FD &&
            (!forbidden || prctl(PR_SET_TSC, FORBIDDEN) == 0))
            execve(file, words, nothing);
        _exit(127);
    }
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return status;
}

static void assert_done_by(const struct asked *asked, const char *name)
{
    int status = run(asked, name, false, NULL);
    if (asked->job->state != JOB_DONE)
        print_message("# %s: status %d, %s\n", name, status, asked->job->reason);
    assert_int_equal(asked->job->state, JOB_DONE);
    assert_int_equal(status, 0);
    assert_int_equal(asked->job->runs_done, asked->job->runs);
}

static void assert_done(const struct asked *asked)
{
    assert_done_by(asked, "harness-watch-static");
}

static void end(struct asked *asked)
{
    watch_job_free(asked->job);
    close(asked->fd);
}

/* From the last look of the first side to the first of the last side. */
static uint64_t passed(struct job *job, uint32_t interval, uint32_t column)
{
    uint32_t run_ = interval * WATCH_INTERVAL_LOOKS;
    return watch_value(job, run_ + WATCH_SIDE_LOOKS, column) -
           watch_value(job, run_ + WATCH_SIDE_LOOKS - 1, column);
}

static void skip_on_one_cpu(void)
{
    struct affinity allowed;
    assert_int_equal(affinity_get(&allowed), 0);
    if (affinity_count(&allowed) < 2) {
        print_message("# only one CPU is allowed here\n");
        skip();
    }
}

TEST(sleep_passes_by_the_wall_and_not_in_the_thread)
{
    const char *const harnesses[] = {"harness-watch-static", "harness-watch-lazy"};
    for (size_t harness = 0; harness < 2; harness++) {
        struct asked asked =
            ask(WATCH_INTERVAL, WATCH_CLOCKS("thread-cputime", "monotonic-raw", "monotonic"), 18,
                20000);
        assert_done_by(&asked, harnesses[harness]);
        for (uint32_t interval = 0; interval < 3; interval++) {
            assert_true(passed(asked.job, interval, 2) >= 20000000);
            assert_true(passed(asked.job, interval, 1) >= 19000000); /* it is not steered */
            assert_true(passed(asked.job, interval, 0) < passed(asked.job, interval, 2) / 2);
            /* To sleep is to leave the CPU of one's own will. */
            const struct account *accounts = &job_accounts(asked.job)[(size_t)interval * 6];
            assert_true(accounts[WATCH_SIDE_LOOKS].voluntary >= 1);
            assert_int_equal(accounts[0].voluntary, 0);
        }
        end(&asked);
    }
}

/* Of either kind: who is switched away of others' will need not wait for the answer any more. */
static uint64_t switches(struct job *job)
{
    uint64_t count = 0;
    for (uint32_t look = 0; look < job->runs; look++)
        count += job_accounts(job)[look].voluntary + job_accounts(job)[look].involuntary;
    return count;
}

TEST(every_workload_ends)
{
    const char *const timed[] = {"spin", "yield", "faults", "pipe"};
    for (size_t index = 0; index < sizeof(timed) / sizeof(*timed); index++) {
        struct asked asked = ask(WATCH_INTERVAL, WATCH_CLOCKS("monotonic"), 24, 2000);
        snprintf(asked.job->watch.workload, sizeof(asked.job->watch.workload), "%s", timed[index]);
        asked.job->watch.threads = 2;
        assert_done(&asked);
        for (uint32_t part = 0; part < 4; part++)
            assert_true(passed(asked.job, part, 0) >= 2000000);
        if (strcmp(timed[index], "faults") == 0)
            assert_true(job_accounts(asked.job)[3].minor_faults >= 4); /* of 64 KiB at most */
        if (strcmp(timed[index], "pipe") == 0)
            assert_true(switches(asked.job) >= 1);
        end(&asked);
    }
}

TEST(moves_end_on_another_cpu)
{
    skip_on_one_cpu();
    struct asked asked = ask(WATCH_INTERVAL, WATCH_CLOCKS("cpu", "monotonic"), 24, 3000);
    snprintf(asked.job->watch.workload, sizeof(asked.job->watch.workload), "spin");
    asked.job->watch.moves = 1;
    asked.job->watch.threads = 2;
    assert_done(&asked);
    for (uint32_t first = 0; first < 24; first += 6) {
        for (uint32_t look = 1; look < 3; look++) {
            assert_int_equal(watch_value(asked.job, first + look, 0),
                             watch_value(asked.job, first, 0));
            assert_int_equal(watch_value(asked.job, first + 3 + look, 0),
                             watch_value(asked.job, first + 3, 0));
        }
        assert_int_not_equal(watch_value(asked.job, first, 0),
                             watch_value(asked.job, first + 3, 0));
        assert_true(passed(asked.job, first / 6, 1) >= 3000000);
    }
    end(&asked);
}

TEST(a_handover_ends_on_another_cpu_where_there_is_one)
{
    struct affinity cpus;
    assert_int_equal(affinity_get(&cpus), 0);
    struct asked asked = ask(WATCH_INTERVAL, WATCH_CLOCKS("cpu", "monotonic"), 12, 1000);
    asked.job->watch.handover = 1;
    assert_done(&asked);
    for (uint32_t first = 0; first < 12; first += 6) {
        assert_int_equal(watch_value(asked.job, first, 0) != watch_value(asked.job, first + 3, 0),
                         affinity_count(&cpus) > 1);
        assert_true(passed(asked.job, first / 6, 1) >= 1000000);
    }
    end(&asked);
    asked = ask(WATCH_INTERVAL, WATCH_CLOCKS("cpu"), 6, 1000);
    asked.job->watch.handover = 1;
    affinity_single(&cpus, affinity_nth(&cpus, 0));
    assert_int_equal(run(&asked, "harness-watch-static", false, &cpus), 0);
    assert_int_equal(asked.job->state, JOB_DONE);
    end(&asked);
}

TEST(trips_are_in_the_order_of_causes)
{
    skip_on_one_cpu();
    struct affinity cpus;
    assert_int_equal(affinity_get(&cpus), 0);
    struct asked asked = ask(WATCH_TRIPS, WATCH_CLOCKS("cpu", "monotonic"), 600, 0);
    asked.job->cpu = (int32_t)affinity_nth(&cpus, 1);
    asked.job->watch.partner = (int32_t)affinity_nth(&cpus, 0);
    assert_done(&asked);
    for (uint32_t look = 0; look < 600; look++) {
        assert_int_equal(watch_value(asked.job, look, 0),
                         look % 3 == 1 ? asked.job->watch.partner : asked.job->cpu);
        if (look)
            assert_true(watch_value(asked.job, look, 1) >= watch_value(asked.job, look - 1, 1));
    }
    end(&asked);
}

/* All that a harness does but reading the clocks that are forbidden. */
TEST(the_static_harness_lives_where_ticks_are_forbidden)
{
    int mode = 0;
    if (prctl(PR_GET_TSC, &mode) < 0) {
        print_message("# nothing forbids user code the counter of time here\n");
        skip();
    }
    const char *const workloads[] = {"sleep", "compute", "spin", "yield", "faults", "pipe"};
    for (size_t index = 0; index < sizeof(workloads) / sizeof(*workloads); index++) {
        struct asked asked = ask(
            WATCH_INTERVAL, WATCH_CLOCKS("cpu", "thread-cputime", "monotonic-syscall"), 12, 1000);
        snprintf(asked.job->watch.workload, sizeof(asked.job->watch.workload), "%s",
                 workloads[index]);
        asked.job->watch.threads = 2;
        assert_int_equal(run(&asked, "harness-watch-static", true, NULL), 0);
        assert_int_equal(asked.job->state, JOB_DONE);
        asked.job->watch.threads = 1;
        asked.job->watch.handover = 1;
        assert_int_equal(run(&asked, "harness-watch-static", true, NULL), 0);
        end(&asked);
    }
    struct asked asked = ask(WATCH_STEPS, WATCH_CLOCKS("monotonic-syscall", "cpu"), 6, 1000);
    assert_int_equal(run(&asked, "harness-watch-static", true, NULL), 0);
    end(&asked);
    asked = ask(WATCH_INTERVAL, WATCH_CLOCKS("monotonic"), 6, 1000);
    int status = run(&asked, "harness-watch-static", true, NULL);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_non_null(strstr(asked.job->reason, "the clock monotonic cannot be read here"));
    end(&asked);
}
