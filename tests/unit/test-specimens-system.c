/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The specimens of system calls, context switches, migrations and watched code, against accounts
 * that are not the counters they test: getrusage(), ptrace, /proc, single steps. Each account is
 * also shown a run with one turn fewer, which it must notice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/resource.h>

#include "called.h"
#include "case.h"
#include "specimens/affinity.h"
#include "specimens/specimen.h"
#include "traced-calls.h"

#define ATTEMPTS 20
static const uint64_t counts[] = {1, 10, 300};
#define COUNTS (sizeof(counts) / sizeof(counts[0]))

static void prepare(const struct specimen *specimen, struct specimen_state *state)
{
    struct failure failure = {0};
    int result = specimen_prepare(specimen, state, &failure);
    if (result < 0)
        print_error("%s: %s\n", specimen->name, failure.text);
    assert_int_equal(result, 0);
}

static void finish(const struct specimen *specimen, struct specimen_state *state)
{
    if (specimen->restore)
        specimen->restore(state);
}

/* --- system calls --- */

static const struct {
    const char *specimen, *class;
    long number;
} callers[] = {{"getppid", "getppid-calls", SYS_getppid},
               {"getuid", "getuid-calls", SYS_getuid},
               {"migrations", "sched_setaffinity-calls", SYS_sched_setaffinity},
               {"yields", "sched_yield-calls", SYS_sched_yield},
               {"ping-pong", "write-calls", SYS_write},
               {"ping-pong", "read-calls", SYS_read},
               {"pages", "getppid-calls", SYS_getppid}};

static struct traced_calls trace(const struct specimen *specimen, uint64_t n, uint64_t missing,
                                 long number)
{
    struct specimen_state state = {.n = n};
    struct traced_code traced = {specimen->code, &state};
    struct traced_calls calls;
    prepare(specimen, &state);
    state.n = n - missing;
    traced_count(&traced, number, &calls);
    finish(specimen, &state);
    return calls;
}

TEST(system_calls_are_as_predicted)
{
    for (size_t i = 0; i < sizeof(callers) / sizeof(callers[0]); i++) {
        const struct specimen *specimen = specimen_find(callers[i].specimen);
        for (size_t index = 0; called_can_run(specimen) && index < COUNTS; index++) {
            uint64_t n = counts[index];
            struct traced_calls calls = trace(specimen, n, 0, callers[i].number);
            assert_int_equal(calls.wanted, called_truth(specimen, callers[i].class, n));
            assert_int_equal(calls.wanted + calls.others, called_truth(specimen, "syscalls", n));
        }
    }
}

TEST(a_system_call_too_few_is_noticed)
{
    for (size_t i = 0; i < sizeof(callers) / sizeof(callers[0]) - 1; i++) {
        const struct specimen *specimen = specimen_find(callers[i].specimen);
        if (!called_can_run(specimen))
            continue;
        struct traced_calls calls = trace(specimen, 10, 1, callers[i].number);
        assert_int_not_equal(calls.wanted, called_truth(specimen, callers[i].class, 10));
        assert_int_not_equal(calls.wanted + calls.others, called_truth(specimen, "syscalls", 10));
    }
}

/* --- migrations --- */

TEST(every_migration_ends_on_another_cpu)
{
    const struct specimen *migrations = specimen_find("migrations");
    if (!called_can_run(migrations))
        skip_because("there is one CPU only");
    for (size_t index = 0; index < COUNTS; index++) {
        struct traced_calls calls = trace(migrations, counts[index], 0, SYS_sched_setaffinity);
        assert_int_equal(calls.moves, called_truth(migrations, "cpu-migrations", counts[index]));
    }
    assert_int_equal(trace(migrations, 10, 1, SYS_sched_setaffinity).moves, 9);
}

/* Calls that ask for the CPU the thread is on already move nothing. */
TEST(a_move_to_where_it_is_is_noticed)
{
    const struct specimen *migrations = specimen_find("migrations");
    if (!called_can_run(migrations))
        skip_because("there is one CPU only");
    struct specimen_state state = {.n = 10};
    struct traced_code traced = {migrations->code, &state};
    struct traced_calls calls;
    prepare(migrations, &state);
    state.operands[1] = 0; /* the same mask every time */
    traced_count(&traced, SYS_sched_setaffinity, &calls);
    finish(migrations, &state);
    assert_int_equal(calls.wanted, 10);
    assert_int_equal(calls.moves, 0);
}

TEST(cpus_and_policy_are_given_back)
{
    static const char *const names[] = {"migrations", "yields", "fifo-yields", "ping-pong"};
    struct affinity before, after;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct specimen *specimen = specimen_find(names[i]);
        struct specimen_state state = {.n = 3};
        if (!called_can_run(specimen))
            continue;
        assert_int_equal(affinity_get(&before), 0);
        prepare(specimen, &state);
        specimen->code(&state);
        finish(specimen, &state);
        assert_int_equal(affinity_get(&after), 0);
        assert_memory_equal(&before, &after, sizeof(before));
        assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* and nobody is left */
    }
}

/* --- context switches --- */

static int64_t switches(const struct specimen *specimen, uint64_t n, uint64_t missing)
{
    struct specimen_state state = {.n = n};
    struct rusage before, after;
    prepare(specimen, &state);
    state.n = n - missing;
    memset(&after, 0, sizeof(after));
    getrusage(RUSAGE_THREAD, &before);
    specimen->code(&state);
    getrusage(RUSAGE_THREAD, &after);
    finish(specimen, &state);
    return after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw;
}

/* Others may add a switch; nobody can take one away. */
TEST(switches_are_as_predicted_unless_others_add)
{
    static const char *const names[] = {"ping-pong", "fifo-yields"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct specimen *specimen = specimen_find(names[i]);
        for (size_t index = 0; called_can_run(specimen) && index < COUNTS; index++) {
            int64_t truth = called_truth(specimen, "context-switches", counts[index]);
            bool right = false;
            for (unsigned attempt = 0; attempt < ATTEMPTS && !right; attempt++) {
                int64_t seen = switches(specimen, counts[index], 0);
                assert_true(seen >= truth);
                right = seen == truth;
            }
            assert_true(right);
        }
    }
}

TEST(a_turn_too_few_is_noticed)
{
    static const char *const names[] = {"ping-pong", "fifo-yields"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct specimen *specimen = specimen_find(names[i]);
        bool noticed = !called_can_run(specimen);
        for (unsigned attempt = 0; attempt < ATTEMPTS && !noticed; attempt++)
            noticed = switches(specimen, 10, 1) < called_truth(specimen, "context-switches", 10);
        assert_true(noticed);
    }
}

TEST(yields_stay_within_their_bounds)
{
    const struct specimen *yields = specimen_find("yields");
    if (!called_can_run(yields))
        skip_because("no second task can be had here");
    int64_t seen = switches(yields, 100, 0);
    assert_in_range(seen, 0, 116);
}

/* --- watched code --- */

struct watched {
    uint64_t arrivals, writes;
};

/* Steps through a call of the specimen: how often it comes by an address, and how often the word
 * that it is given changes; after each change the word is made different again. */
static struct watched watch(const struct specimen *specimen, uint64_t n, uintptr_t place)
{
    struct specimen_state state = {.n = n};
    prepare(specimen, &state);
    struct called called = {&state, specimen->code};
    struct watched watched = {0};
    const long other = 0x5a5a5a5a5a5a5a5a;
    int status;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        called_run(&called);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (state.memory)
        ptrace(PTRACE_POKEDATA, child, state.memory, (void *)other);
    while (WIFSTOPPED(status) && step_address(child) != (uintptr_t)called_closed) {
        watched.arrivals += step_address(child) == place;
        if (state.memory && ptrace(PTRACE_PEEKDATA, child, state.memory, NULL) != other) {
            watched.writes++;
            ptrace(PTRACE_POKEDATA, child, state.memory, (void *)other);
        }
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) < 0)
            break;
        waitpid(child, &status, 0);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    finish(specimen, &state);
    return watched;
}

static uintptr_t target_function(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT, .bp_type = HW_BREAKPOINT_X};
    const char *file = NULL;
    assert_int_equal(target_settle(&attr, &file), 0);
    return (uintptr_t)attr.bp_addr;
}

TEST(the_target_is_called_and_written_n_times)
{
    if (!step_possible())
        skip_because("this machine cannot single-step");
    const struct specimen *calls = specimen_find("target-calls");
    const struct specimen *writes = specimen_find("target-writes");
    for (size_t index = 0; index < COUNTS; index++) {
        uint64_t n = counts[index];
        struct watched seen = watch(calls, n, target_function());
        assert_int_equal(seen.arrivals, called_truth(calls, "breakpoint-exec", n));
        assert_int_equal(seen.arrivals, called_truth(calls, "uprobe-hits", n));
        assert_int_equal(seen.arrivals, called_truth(calls, "uprobe-returns", n));
        seen = watch(writes, n, target_function());
        assert_int_equal(seen.writes, called_truth(writes, "breakpoint-write", n));
        assert_int_equal(seen.arrivals, called_truth(writes, "breakpoint-exec", n));
    }
    assert_int_not_equal(watch(calls, 9, target_function()).arrivals,
                         called_truth(calls, "breakpoint-exec", 10));
    assert_int_not_equal(watch(writes, 9, target_function()).writes,
                         called_truth(writes, "breakpoint-write", 10));
}

/* What a uprobe is given is where in the program's file the function's bytes are. */
TEST(a_uprobe_stands_on_the_function_in_the_file)
{
    struct perf_event_attr attr = {.type = 99};
    const char *path = NULL;
    unsigned char bytes[4] = {0};
    assert_int_equal(target_settle(&attr, &path), 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)attr.probe_offset, SEEK_SET), 0);
    assert_int_equal(fread(bytes, 1, sizeof(bytes), file), sizeof(bytes));
    fclose(file);
    assert_memory_equal(bytes, (const void *)target_function(), sizeof(bytes));
}

/* --- all of them --- */

TEST(instructions_are_as_stepped)
{
    static const char *const names[] = {"getppid",      "getuid",        "migrations",
                                        "yields",       "fifo-yields",   "ping-pong",
                                        "target-calls", "target-writes", "misaligned"};
    if (!step_possible())
        skip_because("this machine cannot single-step");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct specimen *specimen = specimen_find(names[i]);
        for (uint64_t n = 1; called_can_run(specimen) && n <= 6; n += 5) {
            struct specimen_state state = {.n = n};
            prepare(specimen, &state);
            assert_int_equal(called_instructions(&state, specimen->code),
                             called_truth(specimen, "instructions", n));
            finish(specimen, &state);
        }
    }
}

TEST(misaligned_loads_cross_the_line_they_are_told_of)
{
    const struct specimen *specimen = specimen_find("misaligned");
    static const uint64_t lines[] = {16, 64, 128};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct specimen_state state = {.n = 1, .parameters = {.line = lines[i]}};
        prepare(specimen, &state);
        uintptr_t first = (uintptr_t)state.memory, last = first + 7;
        assert_int_not_equal(first / lines[i], last / lines[i]);
        finish(specimen, &state);
    }
    struct specimen_state wrong = {.n = 1, .parameters = {.line = 48}};
    struct failure failure = {0};
    assert_int_equal(specimen_prepare(specimen, &wrong, &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "power of two"));
}

TEST(a_busy_second_task_leaves_no_turns_on_one_cpu)
{
    static const struct {
        const char *name;
        bool takes_cpu;
    } cases[] = {{"yields", true}, {"fifo-yields", true}, {"ping-pong", false}, {"loop", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct specimen *specimen = specimen_find(cases[i].name);
        assert_non_null(specimen);
        assert_int_equal(specimen_leaves_turns(specimen, 1), !cases[i].takes_cpu);
        assert_true(specimen_leaves_turns(specimen, 2));
    }
}
