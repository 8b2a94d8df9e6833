/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calipers when their process forks, executes another program or jumps out of regions. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "case.h"
#include "counted-faults.h"
#include "lib/calipers.h"

static struct assay_region region = ASSAY_REGION("before fork"), later = ASSAY_REGION("in child");

/* 0, or the line at which it was not so. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return __LINE__ & 0xff;                                                                \
    } while (0)

static int run_child(int (*run)(struct assay_calipers *), struct assay_calipers *calipers)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(run(calipers));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int in_child_within_a_region(struct assay_calipers *calipers)
{
    struct assay_count count;
    struct assay_region_total total;
    uint64_t regions, sum;
    struct fresh fresh = fresh_memory();
    fault(&fresh, 7);
    assay_begin();
    assay_end_in(&later);
    assay_end(); /* the one of before fork */
    assay_end(); /* and one too many */
    CHECK(assay_counts(&count) == 0);
    CHECK(count.state == ASSAY_UNSUPPORTED);
    CHECK(count.noticed & ASSAY_NOT_MEASURED);
    CHECK(assay_calipers_error(calipers, 0) == ESRCH);
    CHECK(strstr(assay_calipers_reason(calipers, 0), "fork"));
    CHECK(assay_total("before fork", 0, &total) == -ENOENT);
    CHECK(assay_total("in child", 0, &total) == -ENOENT);
    row_of("before fork", &regions, &sum);
    CHECK(regions == 0);
    CHECK(assay_calipers_select(NULL) == 0);
    CHECK(assay_calipers_select(calipers) == 0);
    /* New ones count the child. */
    struct assay_calipers *own = fault_calipers();
    CHECK(own);
    assay_begin();
    uint64_t truth = fault(&fresh, 9);
    assay_end_in(&later);
    CHECK(assay_counts(&count) == 0);
    CHECK(count.corrected == (double)truth && truth >= 9);
    assay_calipers_close(own);
    assay_calipers_close(calipers);
    row_of("in child", &regions, &sum);
    CHECK(regions == 1 && sum == truth);
    row_of("before fork", &regions, &sum);
    CHECK(regions == 0);
    return 0;
}

TEST(a_child_of_fork_counts_nothing_and_goes_on)
{
    FAULT_CALIPERS(calipers);
    struct assay_region_total total;
    assay_begin();
    assay_end_in(&region);
    assay_calipers_close(calipers); /* the process keeps it, and the child does not */
    calipers = fault_calipers();
    assay_begin();
    assay_end_in(&region);
    assay_begin();
    assert_int_equal(run_child(in_child_within_a_region, calipers), 0);
    assay_end_in(&region);
    assert_int_equal(assay_total("before fork", 0, &total), 0);
    assert_int_equal(total.regions, 2);
    assert_int_equal(total.state, ASSAY_COUNTED);
    assert_int_equal(assay_total("in child", 0, &total), -ENOENT);
    assay_calipers_close(calipers);
}

static int in_child_that_does_not_end_its_parents_region(struct assay_calipers *calipers)
{
    struct assay_count count;
    struct fresh fresh = fresh_memory();
    struct assay_calipers *own = fault_calipers();
    CHECK(own);
    assay_begin();
    uint64_t truth = fault(&fresh, 9);
    assay_end();
    assay_end(); /* as the code does that forked: no region of these */
    CHECK(assay_counts(&count) == 0);
    CHECK(count.corrected == (double)truth && truth >= 9);
    CHECK(assay_calipers_select(calipers) == 0);
    CHECK(assay_calipers_select(own) == 0);
    assay_begin();
    CHECK(assay_calipers_select(NULL) == -EBUSY);
    return 0;
}

TEST(a_region_of_its_parent_does_not_keep_a_child_from_opening)
{
    FAULT_CALIPERS(calipers);
    assay_begin();
    assert_int_equal(run_child(in_child_that_does_not_end_its_parents_region, calipers), 0);
    assay_end();
    assay_calipers_close(calipers);
}

/* Threads that hand their regions over, or look at those of all, while another one forks. */
static int stop_threads;
static void *ask_for_tables(void *unused)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    while (!__atomic_load_n(&stop_threads, __ATOMIC_RELAXED))
        assay_table(nowhere);
    close(nowhere);
    return unused;
}

static void *open_and_close(void *unused)
{
    while (!__atomic_load_n(&stop_threads, __ATOMIC_RELAXED)) {
        struct assay_calipers *calipers = fault_calipers();
        assay_begin();
        assay_end_in(&region);
        assay_calipers_close(calipers);
    }
    return unused;
}

static int in_child_beside_threads(struct assay_calipers *calipers)
{
    uint64_t regions, sum;
    assay_calipers_close(calipers);
    struct assay_calipers *own = fault_calipers();
    CHECK(own);
    assay_begin();
    assay_end_in(&later);
    assay_calipers_close(own);
    row_of("in child", &regions, &sum);
    CHECK(regions == 1);
    return 0;
}

TEST(children_do_not_wait_for_threads_they_do_not_have)
{
#ifdef SANITIZED_ADDRESSES
    skip_because("the sanitizer's own allocator waits for threads that a child does not have");
#endif
    pthread_t threads[2];
    FAULT_CALIPERS(calipers);
    assert_int_equal(pthread_create(&threads[0], NULL, open_and_close, NULL), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, ask_for_tables, NULL), 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(run_child(in_child_beside_threads, calipers), 0);
    __atomic_store_n(&stop_threads, 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assay_calipers_close(calipers);
}

/* Descriptors of perf_event in a process. */
static size_t counters_of(pid_t process)
{
    char path[64], target[64];
    size_t found = 0;
    snprintf(path, sizeof(path), "/proc/%d/fd", (int)process);
    DIR *folder = opendir(path);
    if (!folder)
        return 0;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);
        target[length > 0 ? length : 0] = '\0';
        found += strstr(target, "[perf_event]") != NULL;
    }
    closedir(folder);
    return found;
}

static pid_t execute(bool by_fork, int input, int output)
{
    static char shell[] = "sh", option[] = "-c", line[] = "echo; exec cat";
    char *const words[] = {shell, option, line, NULL};
    pid_t child = -1;
    if (!by_fork) { /* as vfork does it */
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, input, 0);
        posix_spawn_file_actions_adddup2(&actions, output, 1);
        assert_int_equal(posix_spawnp(&child, "sh", &actions, NULL, words, environ), 0);
        posix_spawn_file_actions_destroy(&actions);
        return child;
    }
    child = fork();
    if (child == 0) {
        dup2(input, 0);
        dup2(output, 1);
        execvp("sh", words);
        _exit(127);
    }
    return child;
}

/* The program `cat` waits for its input to end, so there is time to look at it. */
TEST(programs_that_are_executed_inherit_no_counter)
{
    int input[2], ready[2], status;
    char byte;
    FAULT_CALIPERS(calipers);
    assert_true(counters_of(getpid()) > 0);
    for (int by_fork = 0; by_fork < 2; by_fork++) {
        assert_int_equal(pipe2(input, O_CLOEXEC), 0);
        assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
        assay_begin();
        pid_t child = execute(by_fork, input[0], ready[1]);
        assay_end_in(&region);
        assert_int_equal(read(ready[0], &byte, 1), 1); /* it was executed */
        assert_int_equal(counters_of(child), 0);
        for (int i = 0; i < 2; i++) {
            close(input[i]);
            close(ready[i]);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    struct assay_region_total total;
    assert_int_equal(assay_total("before fork", 0, &total), 0);
    assert_int_equal(total.regions, 2);
    assay_calipers_close(calipers);
    assert_int_equal(counters_of(getpid()), 0);
}

static jmp_buf out;

static __attribute__((noinline)) void leave_three_regions(void)
{
    assay_begin();
    assay_begin();
    assay_begin();
    longjmp(out, 1);
}

static __attribute__((noinline)) void jump_out_of_three_regions(void)
{
    if (setjmp(out) == 0)
        leave_three_regions();
}

TEST(regions_left_by_longjmp_stay_open_until_they_are_ended)
{
    FAULT_CALIPERS(calipers);
    struct assay_count count;
    struct fresh fresh = fresh_memory();
    assay_begin();
    jump_out_of_three_regions();
    assert_int_equal(assay_calipers_select(NULL), -EBUSY);
    for (int i = 0; i < 4; i++)
        assay_end();
    assert_int_equal(assay_calipers_select(calipers), 0);
    assay_begin();
    uint64_t truth = fault(&fresh, 3);
    assay_end();
    assert_int_equal(assay_counts(&count), 0);
    assert_true(count.corrected == (double)truth && truth >= 3);
    release(&fresh);
    assay_calipers_close(calipers);
}

/* Also where a handler comes between the two things by which a region begins: being counted, and
 * getting a frame. */
TEST(regions_that_are_too_deep_are_left_again)
{
    struct assay_calipers *calipers;
    struct assay_count count;
    assert_int_equal(assay_calipers_open(&calipers, NULL, 0, 0), 0);
    const struct assay_here *here = &calipers->here;
    for (uint32_t depth = 1; depth <= 2 * ASSAY_DEPTH_MOST; depth++) {
        calipers->here.depth++;
        assay_begin(); /* the handler's */
        assay_end();
        calipers->here.depth--;
        assay_begin();
        assert_int_equal(here->depth, depth);
        assert_ptr_equal(here->frame, depth <= ASSAY_DEPTH_MOST ? &calipers->frames[depth]
                                                                : &calipers->frames[FRAMES - 1]);
    }
    for (uint32_t depth = 2 * ASSAY_DEPTH_MOST; depth > 0; depth--) {
        assay_end();
        struct assay_frame *result = depth > ASSAY_DEPTH_MOST ? NULL : &calipers->frames[depth];
        assert_int_equal(here->depth, depth - 1);
        assert_ptr_equal(calipers->result, result);
        assert_true(!result || result->noticed & ASSAY_SAW_TOO_DEEP);
        assert_int_equal(assay_counts(&count), 0);
    }
    assert_ptr_equal(here->frame, &calipers->frames[0]);
    assay_calipers_close(calipers);
}

TEST(closing_within_regions_abandons_them)
{
    FAULT_CALIPERS(calipers);
    assay_begin();
    assay_begin();
    assay_calipers_close(calipers);
    assay_end_in(&later); /* nobody's */
    assay_end();
    struct assay_count count;
    assert_int_equal(assay_counts(&count), -ENODEV);
}
