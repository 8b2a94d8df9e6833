/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Regions that trap, and everything in a process that could make their signal deadly: other
 * handlers of it, blocking it, new threads and processes, debuggers, jumps. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"
#include "trapping.h"

#define NOPS(n) __asm__ volatile(".rept " #n "\n\tnop\n\t.endr")

static __attribute__((noinline)) void hundred(void)
{
    assay_begin();
    NOPS(100);
    assay_end();
}

/* Whatever happened, the next region is right; and with the last calipers the handler is gone. */
static void assert_all_is_well(struct assay_calipers *calipers)
{
    struct sigaction action;
    hundred();
    assert_exact("afterwards", 100);
    assay_calipers_close(calipers);
    assert_int_equal(sigaction(SIGTRAP, NULL, &action), 0);
    assert_true(action.sa_handler == SIG_DFL);
}

static int status_of(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

TEST(a_fork_inside_goes_on_without_traps)
{
    OPEN_OR_SKIP(calibrated);
    for (int run = 0; run < 20; run++) {
        assay_begin();
        pid_t child = fork();
        if (child == 0) {
            assay_begin();
            assay_end();
            assay_end();
            struct assay_count count = {.state = ASSAY_COUNTED};
            assay_counts(&count);
            hundred();
            assay_calipers_close(calipers);
            _exit(count.state == ASSAY_UNSUPPORTED && count.noticed & ASSAY_NOT_MEASURED ? 0 : 1);
        }
        assay_end();
        assert_true(child > 0);
        struct assay_count count = counted();
        assert_int_equal(count.state, ASSAY_COUNTED);
        assert_true(count.corrected > 50);
        assert_int_equal(status_of(child), 0);
    }
    assert_all_is_well(calipers);
}

TEST(programs_started_inside_run)
{
    OPEN_OR_SKIP(calibrated);
    char name[] = "true", *arguments[] = {name, NULL};
    pid_t child = 0, executed;
    assay_begin();
    int error = posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ);
    assay_end();
    assert_int_equal(error, 0);
    assert_true(counted().corrected > 100);
    assert_int_equal(status_of(child), 0);
    assay_begin();
    int status = system("exit 7");
    assay_end();
    assert_int_equal(WEXITSTATUS(status), 7);
    assay_begin();
    executed = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): it is what is tried */
    if (executed == 0) {
        execve("/bin/true", arguments, environ);
        _exit(1);
    }
    assay_end();
    assert_int_equal(status_of(executed), 0);
    executed = fork();
    if (executed == 0) { /* exec by who traps */
        struct assay_calipers *own = calibrated(&reason);
        assay_begin();
        execve("/bin/true", arguments, environ);
        assay_end();
        _exit(own ? 1 : 2);
    }
    assert_int_equal(status_of(executed), 0);
    assert_all_is_well(calipers);
}

static void *has_no_calipers(void *ran)
{
    hundred();
    *(int *)ran = 1;
    return NULL;
}

TEST(threads_made_inside_do_not_trap)
{
    OPEN_OR_SKIP(calibrated);
    for (int run = 0; run < 50; run++) {
        pthread_t thread;
        int ran = 0;
        assay_begin();
        int error = pthread_create(&thread, NULL, has_no_calipers, &ran);
        assay_end();
        assert_int_equal(error, 0);
        assert_int_equal(counted().state, ASSAY_COUNTED);
        if (run % 10 == 9) { /* the new thread may still have the first of its traps before it */
            assay_calipers_close(calipers);
            assert_int_equal(pthread_join(thread, NULL), 0);
            calipers = calibrated(&reason);
            assert_non_null(calipers);
        } else {
            assert_int_equal(pthread_join(thread, NULL), 0);
        }
        assert_int_equal(ran, 1);
    }
    assert_all_is_well(calipers);
}

static void *counts_on_its_own(void *exact)
{
    const char *reason;
    struct assay_calipers *calipers = calibrated(&reason);
    if (!calipers)
        return NULL;
    *(int *)exact = 1;
    for (int run = 0; run < 20; run++) {
        hundred();
        if (counted().corrected != 100)
            *(int *)exact = 0;
    }
    assay_begin(); /* and never ends it, nor closes them */
    return NULL;
}

TEST(threads_trap_each_for_itself)
{
    OPEN_OR_SKIP(calibrated);
    pthread_t threads[4];
    int exact[4] = {0};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, counts_on_its_own, &exact[i]), 0);
    for (int i = 0; i < 20; i++) {
        hundred();
        assert_exact("beside others", 100);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(exact[i], 1);
    }
    assert_all_is_well(calipers);
}

static volatile sig_atomic_t handled;

static void handle(int number)
{
    (void)number;
    NOPS(1000);
    handled++;
}

TEST(handlers_of_other_signals_do_not_count)
{
    OPEN_OR_SKIP(calibrated);
    double with, without;
    signal(SIGUSR1, SIG_IGN);
    raise(SIGUSR1);
    assay_begin();
    raise(SIGUSR1);
    assay_end();
    without = counted().corrected;
    signal(SIGUSR1, handle);
    handled = 0;
    assay_begin();
    raise(SIGUSR1);
    assay_end();
    with = counted().corrected;
    assert_int_equal(handled, 1);
    assert_true(with == without);
    signal(SIGUSR1, SIG_DFL);
    assert_all_is_well(calipers);
}

static jmp_buf place;

static void jump(int number)
{
    (void)number;
    siglongjmp(place, 1);
}

TEST(jumps_out_of_regions_and_handlers_are_survived)
{
    OPEN_OR_SKIP(calibrated);
    if (setjmp(place) == 0) {
        assay_begin();
        longjmp(place, 1);
    }
    assert_int_equal(assay_calipers_select(NULL), -EBUSY); /* it is still open */
    hundred();
    assert_exact("inside the one that was left", 100);
    assay_calipers_close(calipers);
    calipers = calibrated(&reason);
    assert_non_null(calipers);
    signal(SIGUSR1, jump);
    assay_begin();
    if (sigsetjmp(place, 1) == 0)
        raise(SIGUSR1);
    assay_end(); /* the handler's code does not trap, and the jump is out of it */
    assert_int_equal(counted().state, ASSAY_UNSUPPORTED);
    signal(SIGUSR1, SIG_DFL);
    assert_all_is_well(calipers);
}

TEST(blocking_the_signal_inside_waits_for_the_end)
{
    OPEN_OR_SKIP(calibrated);
    sigset_t all, before, inside, after;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, NULL, &before);
    assay_begin();
    int blocked = sigprocmask(SIG_BLOCK, &all, &inside);
    int asked = sigprocmask(SIG_BLOCK, NULL, &after);
    int unblocked = sigprocmask(SIG_SETMASK, &inside, &after);
    long wrong = syscall(SYS_rt_sigprocmask, SIG_SETMASK, 8, NULL, 8);
    int error = errno;
    int worse = sigprocmask(99, &all, NULL);
    assay_end();
    assert_int_equal(blocked | asked | unblocked, 0);
    assert_true(wrong == -1 && error == EFAULT && worse == -1);
    assert_int_equal(sigismember(&inside, SIGTRAP), 0);
    assert_int_equal(sigismember(&after, SIGTRAP), 1);
    assert_int_equal(sigismember(&after, SIGUSR2), 1);
    assert_int_equal(counted().state, ASSAY_COUNTED);
    sigprocmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(sigismember(&after, SIGTRAP) | sigismember(&after, SIGUSR2), 0);
    assay_begin();
    sigprocmask(SIG_BLOCK, &all, NULL);
    NOPS(10);
    assay_end();
    sigprocmask(SIG_SETMASK, &before, &after);
    assert_int_equal(sigismember(&after, SIGTRAP) & sigismember(&after, SIGUSR2), 1);
    assert_all_is_well(calipers);
}

/* The truth of a call that is answered by the handler: what it costs when nothing is blocked. */
TEST(an_answered_call_counts_as_a_call)
{
    OPEN_OR_SKIP(calibrated);
    sigset_t some;
    sigemptyset(&some);
    sigaddset(&some, SIGTRAP);
    double counts[2];
    for (int run = 0; run < 2; run++) {
        assay_begin();
        long result = syscall(run ? SYS_rt_sigprocmask : SYS_getpid, SIG_BLOCK, &some, NULL, 8);
        assay_end();
        assert_true(run ? result == 0 : result == getpid());
        counts[run] = counted().corrected;
        sigprocmask(SIG_UNBLOCK, &some, NULL);
    }
    assert_true(counts[0] == counts[1]);
    assert_all_is_well(calipers);
}

static void *reason_of_this_thread(void *blocked)
{
    const char *reason = NULL;
    if (blocked) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGTRAP);
        pthread_sigmask(SIG_BLOCK, &set, NULL);
    }
    struct assay_calipers *calipers = trapping(&reason);
    assay_calipers_close(calipers);
    return (void *)(uintptr_t)(calipers ? NULL : reason);
}

TEST(who_blocks_the_signal_or_is_traced_is_told)
{
    OPEN_OR_SKIP(calibrated);
    pthread_t thread;
    void *why = NULL;
    int blocked = 1;
    assert_int_equal(pthread_create(&thread, NULL, reason_of_this_thread, &blocked), 0);
    assert_int_equal(pthread_join(thread, &why), 0);
    assert_non_null(why);
    assert_non_null(strstr(why, "blocks SIGTRAP"));
    pid_t child = fork();
    if (child == 0) {
        long traced = ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        const char *told = reason_of_this_thread(NULL);
        _exit(traced == 0 && (!told || !strstr(told, "traces this one")));
    }
    assert_int_equal(status_of(child), 0);
    assert_all_is_well(calipers);
}

static volatile sig_atomic_t passed_on;

static void take_over(int number, siginfo_t *information, void *context)
{
    (void)context;
    passed_on += number == SIGTRAP && information->si_signo == SIGTRAP;
}

TEST(traps_of_others_go_to_the_handler_that_was_there)
{
    struct sigaction action = {.sa_sigaction = take_over, .sa_flags = SA_SIGINFO}, before, now;
    assert_int_equal(sigaction(SIGTRAP, &action, &before), 0);
    const char *reason;
    struct assay_calipers *calipers = calibrated(&reason);
    if (!calipers) {
        sigaction(SIGTRAP, &before, NULL);
        skip_because("%s", reason);
    }
    passed_on = 0;
    raise(SIGTRAP);
    assert_int_equal(passed_on, 1);
#if defined(__x86_64__)
    __asm__ volatile("int3");
    assert_int_equal(passed_on, 2);
    assay_begin();
    __asm__ volatile("nop\n\tint3\n\tnop\n\t.byte 0xf1\n\tnop"); /* int1 is the last but one */
    assay_end();
    assert_int_equal(passed_on, 4);
    assert_exact("with breakpoints", 5);
#endif
    assay_begin();
    kill(getpid(), SIGTRAP);
    assay_end();
    assert_int_equal(counted().state, ASSAY_COUNTED);
    hundred();
    assert_exact("before", 100);
    assay_calipers_close(calipers);
    assert_int_equal(sigaction(SIGTRAP, &before, &now), 0);
    assert_true(now.sa_sigaction == take_over);
}

TEST(who_comes_later_keeps_the_signal)
{
    const char *reason;
    struct assay_calipers *calipers = calibrated(&reason), *second;
    if (!calipers)
        skip_because("%s", reason);
    struct sigaction action = {.sa_sigaction = take_over, .sa_flags = SA_SIGINFO}, now;
    assert_int_equal(sigaction(SIGTRAP, &action, &now), 0);
    second = trapping(&reason);
    assert_null(second);
    assert_non_null(strstr(reason, "another handler"));
    assay_calipers_close(calipers);
    assert_int_equal(sigaction(SIGTRAP, &now, &action), 0);
    assert_true(action.sa_sigaction == take_over);
    calipers = calibrated(&reason);
    assert_non_null(calipers);
    assert_all_is_well(calipers);
}
