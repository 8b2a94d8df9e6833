/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Regions that trap must neither hang their program nor count wrongly: breakpoints in the code,
 * instructions that do not advance, restartable sequences, debuggers that come and go. What CPUs
 * and hypervisors do differently is planted: the handler is given contexts that were made up. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "case.h"
#include "trapping.h"

#if defined(__x86_64__)
#include "lib/calipers.h"
#include "trap-flag.h"

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

#define HANGS 60 /* seconds after which a child hangs */

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "# line %d: %s\n", __LINE__, #condition);                              \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* Runs in a child, so that what hangs or dies is only that. Returns its status. */
static int in_child(void (*body)(int), int argument)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        alarm(HANGS);
        body(argument);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static bool is_exact(double truth)
{
    struct assay_count count;
    MUST(assay_counts(&count) == 0);
    if (count.corrected != truth)
        fprintf(stderr, "# %g where %g were executed\n", count.corrected, truth);
    return count.state == ASSAY_COUNTED && count.corrected == truth && count.uncertainty == 0 &&
           count.noticed == 0;
}

static bool is_lost(const struct assay_calipers *calipers, enum trap_lost why)
{
    struct assay_count count;
    MUST(assay_counts(&count) == 0);
    return count.state == ASSAY_UNSUPPORTED && count.noticed & ASSAY_SAW_LOST_TRAPS &&
           count.noticed & ASSAY_NOT_MEASURED &&
           strcmp(assay_calipers_reason(calipers, 0), calipers_trap_reason(why)) == 0;
}

static __attribute__((noinline)) void hundred(void)
{
    assay_begin();
    __asm__ volatile(".rept 100\n\tnop\n\t.endr");
    assay_end();
}

/* --- breakpoints in the code --- */

static volatile sig_atomic_t passed_on;

static void count_it(int number, siginfo_t *information, void *context)
{
    (void)context;
    passed_on += number == SIGTRAP && information->si_signo == SIGTRAP;
}

/* A handler for machines whose int1 does not advance, and that expects nothing of others. */
static void step_over(int number, siginfo_t *information, void *context)
{
    ucontext_t *interrupted = context;
    const unsigned char *place = (const void *)(uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
    count_it(number, information, context);
    if (information->si_code == TRAP_BRKPT && *place == 0xf1)
        interrupted->uc_mcontext.gregs[REG_RIP]++;
}

static void handle_by(void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    MUST(sigaction(SIGTRAP, &action, NULL) == 0);
}

static void meet_breakpoints(int steps_over)
{
    const char *reason;
    handle_by(steps_over ? step_over : count_it);
    struct assay_calipers *calipers = calibrated(&reason);
    MUST(calipers);
    for (int run = 0; run < 5; run++) {
        passed_on = 0;
        assay_begin();
        __asm__ volatile(".byte 0xf1\n\tnop");
        assay_end();
        MUST(is_exact(2) && passed_on == 1);
        assay_begin();
        __asm__ volatile("int3\n\tnop");
        assay_end();
        MUST(is_exact(2) && passed_on == 2);
        assay_begin();
        __asm__ volatile("int3\n\tint3\n\tint3\n\t.byte 0xcd, 3\n\tnop");
        assay_end();
        MUST(is_exact(5) && passed_on == 6);
        if (steps_over)
            continue; /* two in a row it takes for one that does not advance, where they do */
        assay_begin();
        __asm__ volatile(".byte 0xf1, 0xf1, 0xf1\n\tint3\n\t.byte 0xf1\n\tint3\n\tnop");
        assay_end();
        MUST(is_exact(7) && passed_on == 12);
        assay_begin();
        __asm__ volatile("nop\n\t.byte 0x66, 0xf1, 0x48, 0xf1\n\tnop");
        assay_end();
        MUST(is_exact(4) && passed_on == 14);
    }
    hundred();
    MUST(is_exact(100));
    assay_calipers_close(calipers);
}

TEST(breakpoints_are_counted_passed_on_and_left)
{
    SKIP_UNLESS_TRAPPING();
    assert_int_equal(in_child(meet_breakpoints, false), 0);
    assert_int_equal(in_child(meet_breakpoints, true), 0);
}

static void die_of_one(int which)
{
    const char *reason;
    if (which & 4)
        signal(SIGTRAP, SIG_IGN); /* what the CPU raises cannot be ignored */
    MUST(trapping(&reason));
    if (which & 2)
        assay_begin();
    if (which & 1)
        __asm__ volatile("nop\n\t.byte 0xf1\n\tnop");
    else
        __asm__ volatile("nop\n\tint3\n\tnop");
}

TEST(without_a_handler_each_ends_the_process)
{
    SKIP_UNLESS_TRAPPING();
    for (int which = 0; which < 8; which++) {
        int status = in_child(die_of_one, which);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP);
    }
}

/* Where the flag is cleared the library has nothing to do with them. */
static void meet_one_without_the_flag(int unused)
{
    (void)unused;
    const char *reason;
    handle_by(step_over);
    struct assay_calipers *calipers = calibrated(&reason);
    MUST(calipers);
    passed_on = 0;
    assay_begin();
    __asm__ volatile("sub $128, %%rsp\n\tpushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq\n\tadd $128, "
                     "%%rsp\n\tnop\n\t.byte 0xf1\n\tnop"
                     :
                     :
                     : "cc", "memory");
    assay_end();
    MUST(passed_on == 1 && is_lost(calipers, TRAP_LOST_CLEARED));
    hundred();
    MUST(is_exact(100));
}

TEST(without_the_flag_one_is_passed_on_as_well)
{
    SKIP_UNLESS_TRAPPING();
    assert_int_equal(in_child(meet_one_without_the_flag, 0), 0);
}

/* --- planted: what the CPU at hand may not do --- */

struct plan {
    const char *name;
    unsigned char code[8];
    int si_code;
    int moves;        /* bytes from where the instruction stands to where each trap stands */
    int counts_down;  /* rcx, from trap to trap */
    unsigned traps;   /* that many */
    unsigned counted; /* then so many instructions were counted */
    int passed;       /* and so many traps passed on */
    int goes_on;      /* where the program goes on, bytes from the instruction */
    enum trap_lost lost;
};

#define MANY (3 * TRAP_STUCK_MOST)

/* After each trap the CPU stands on the same instruction again, as on one that loops. */
static const struct plan plans[] = {
    {"plain", {0x90}, TRAP_TRACE, 1, 0, 1, 1, 0, 1, 0},
    {"its reason lost", {0x90}, TRAP_BRKPT, 1, 0, 1, 1, 0, 1, 0},
    {"plain, does not advance", {0x90}, TRAP_TRACE, 0, 0, MANY, 0, 0, 0, TRAP_LOST_STUCK},
    {"nor with its reason lost", {0x90}, TRAP_BRKPT, 0, 0, MANY, 0, 0, 0, TRAP_LOST_STUCK},
    {"does not advance once", {0x90}, TRAP_TRACE, 0, 0, 1, 0, 0, 0, 0},
    {"rep stosb", {0xf3, 0xaa}, TRAP_TRACE, 0, 1, MANY, 0, 0, 0, 0},
    {"rep stosb, ends", {0xf3, 0xaa}, TRAP_TRACE, 2, 1, 1, 1, 0, 2, 0},
    {"rep stosb, does not count", {0xf3, 0xaa}, TRAP_TRACE, 0, 0, MANY, 0, 0, 0, TRAP_LOST_STUCK},
    {"stosb, does not repeat", {0xaa}, TRAP_TRACE, 0, 1, MANY, 0, 0, 0, TRAP_LOST_STUCK},
    {"jmp to itself", {0xeb, 0xfe}, TRAP_TRACE, 0, 0, MANY, MANY, 0, 0, 0},
    {"long", {0xe9, 0xfb, 0xff, 0xff, 0xff}, TRAP_TRACE, 0, 0, MANY, MANY, 0, 0, 0},
    {"jne to itself", {0x75, 0xfe}, TRAP_TRACE, 0, 0, MANY, MANY, 0, 0, 0},
    {"long", {0x0f, 0x85, 0xfa, 0xff, 0xff, 0xff}, TRAP_TRACE, 0, 0, MANY, MANY, 0, 0, 0},
    {"loop to itself", {0xe2, 0xfe}, TRAP_TRACE, 0, 1, MANY, MANY, 0, 0, 0},
    {"loop, does not count", {0xe2, 0xfe}, TRAP_TRACE, 0, 0, MANY, 0, 0, 0, TRAP_LOST_STUCK},
    {"jmp *%rax", {0xff, 0xe0}, TRAP_TRACE, 0, 0, MANY, MANY, 0, 0, 0},
    {"jne elsewhere", {0x75, 0x10}, TRAP_TRACE, 0, 0, MANY, 0, 0, 0, TRAP_LOST_STUCK},
    {"jmp elsewhere", {0xe9, 1, 0, 0, 0}, TRAP_TRACE, 0, 0, MANY, 0, 0, 0, TRAP_LOST_STUCK},
    {"int $0x80, made again", {0xcd, 0x80}, TRAP_TRACE, 0, 0, MANY, 2 * MANY, 0, 0, 0},
    {"int1 as on Intel", {0xf1}, TRAP_BRKPT, 1, 0, 1, 1, 1, 1, 0},
    {"int1 as on AMD under KVM", {0xf1}, TRAP_BRKPT, 0, 0, 1, 1, 1, 1, 0},
    {"the same for ever", {0xf1}, TRAP_BRKPT, 0, 0, MANY, MANY, MANY, 1, 0},
    {"with a prefix", {0x66, 0xf1}, TRAP_BRKPT, 0, 0, 1, 1, 1, 2, 0},
    {"int3", {0xcc}, SI_KERNEL, 1, 0, 1, 1, 1, 1, 0},
    {"int3, does not advance", {0xcc}, SI_KERNEL, 0, 0, 1, 1, 1, 1, 0},
    {"a hardware breakpoint", {0x90}, TRAP_HWBKPT, 0, 0, MANY, 0, MANY, 0, 0},
    {"a signal that was sent", {0x90}, SI_TKILL, 0, 0, MANY, 0, MANY, 0, 0},
    {"int1 that was stepped", {0xf1}, TRAP_TRACE, 0, 0, MANY, 0, 0, 0, TRAP_LOST_STUCK},
};

/* A trap of the thread's region; returns whether it goes on trapping. */
static bool deliver(ucontext_t *context, int code, const unsigned char *place)
{
    siginfo_t information = {.si_signo = SIGTRAP, .si_code = code};
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)place;
    on_trap(SIGTRAP, &information, context);
    return trap_context_set(context);
}

static void carry_out(const struct plan *plan)
{
    /* At the beginning of no page, and no signature in front. */
    static unsigned char text[64] __attribute__((aligned(64)));
    unsigned char *place = text + 16;
    struct assay_here region = {.ways = ASSAY_WAY_TRAP, .depth = 1};
    struct assay_here *selected = assay_here;
    ucontext_t context = {.uc_flags = 0};
    sigset_t all, mask;
    memcpy(place, plan->code, sizeof(plan->code));
    context.uc_mcontext.gregs[REG_EFL] = TRAP_FLAG_BIT;
    context.uc_mcontext.gregs[REG_RCX] = 100000;
    passed_on = 0;
    assay_here = &region;
    trap_thread = (struct trap_thread){0};
    sigfillset(&all); /* as in the handler, which blocks at random */
    sigprocmask(SIG_BLOCK, &all, &mask);
    bool set = deliver(&context, TRAP_TRACE, place); /* the one before */
    for (unsigned trap = 0; trap < plan->traps && set; trap++) {
        trap_thread.next = place;
        context.uc_mcontext.gregs[REG_RCX] -= plan->counts_down;
        set = deliver(&context, plan->si_code, place + plan->moves);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    enum trap_lost lost = trap_thread.lost;
    trap_thread = (struct trap_thread){0};
    assay_here = selected;
    long goes_on = (long)context.uc_mcontext.gregs[REG_RIP] - (long)(uintptr_t)place;
    if (region.trapped != 1 + plan->counted || passed_on != plan->passed ||
        goes_on != plan->goes_on || lost != plan->lost)
        print_error("%s: %d counted, %d passed on, goes on at %ld, lost %d\n", plan->name,
                    (int)region.trapped - 1, (int)passed_on, goes_on, lost);
    assert_int_equal(region.trapped, 1 + plan->counted);
    assert_int_equal(passed_on, plan->passed);
    assert_int_equal(goes_on, plan->goes_on);
    assert_int_equal(lost, plan->lost);
    assert_int_equal(set, !plan->lost);
}

TEST(what_does_not_advance_is_given_up_and_what_loops_is_not)
{
    const char *reason;
    struct sigaction before;
    assert_int_equal(sigaction(SIGTRAP, NULL, &before), 0);
    handle_by(count_it);
    struct assay_calipers *calipers = trapping(&reason);
    for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]) && calipers; i++)
        carry_out(&plans[i]);
    assay_calipers_close(calipers);
    sigaction(SIGTRAP, &before, NULL);
    if (!calipers)
        skip_because("%s", reason);
}

/* --- jumps into nothing --- */

static sigjmp_buf place;

static void jump_back(int number)
{
    (void)number;
    siglongjmp(place, 1);
}

static void call_nothing(int unused)
{
    (void)unused;
    const char *reason;
    struct assay_calipers *calipers = calibrated(&reason);
    MUST(calipers);
    signal(SIGSEGV, jump_back);
    assay_begin();
    if (sigsetjmp(place, 1) == 0)
        __asm__ volatile("mov $16, %%eax\n\tcall *%%rax" : : : "rax", "memory", "cc");
    assay_end();
    MUST(is_lost(calipers, TRAP_LOST_CLEARED));
    hundred();
    MUST(is_exact(100));
}

TEST(who_calls_nothing_gets_the_signal_of_that)
{
    SKIP_UNLESS_TRAPPING();
    assert_int_equal(in_child(call_nothing, 0), 0);
}

/* --- restartable sequences --- */

#if defined(RSEQ_SIG)
extern const char sequence_begins[], sequence_ends[], sequence_aborted[];

/* Tried again when it is aborted, as such sequences are. */
static __attribute__((noinline)) int run_sequence(void)
{
    static struct rseq_cs sequence;
    char *thread;
    int aborted = 0;
    __asm__("mov %%fs:0, %0" : "=r"(thread));
    sequence = (struct rseq_cs){.start_ip = (uintptr_t)sequence_begins,
                                .post_commit_offset = (uintptr_t)(sequence_ends - sequence_begins),
                                .abort_ip = (uintptr_t)sequence_aborted};
    struct rseq *area = (struct rseq *)(void *)(thread + __rseq_offset);
    assay_begin();
    __asm__ volatile("jmp 1f\n\t.long 0x53053053\n\t.global sequence_begins, sequence_ends, "
                     "sequence_aborted\nsequence_aborted:\n\tincl %0\n1:\tmovq %2, %1\n"
                     "sequence_begins:\n\tnop\n\tnop\n\tnop\nsequence_ends:\n\tnop"
                     : "+r"(aborted), "=m"(area->rseq_cs)
                     : "r"(&sequence)
                     : "cc", "memory");
    assay_end();
    return aborted;
}

static void meet_a_sequence(int unused)
{
    (void)unused;
    const char *reason;
    struct assay_calipers *calipers = calibrated(&reason);
    MUST(calipers);
    MUST(run_sequence() >= 1);
    MUST(is_lost(calipers, TRAP_LOST_SEQUENCE));
    hundred();
    MUST(is_exact(100));
}

TEST(a_restartable_sequence_gets_through)
{
    SKIP_UNLESS_TRAPPING();
    if (!__rseq_size)
        skip_because("no restartable sequences here");
    assert_int_equal(in_child(meet_a_sequence, 0), 0);
}
#endif

/* --- the thread leaves its CPU --- */

static volatile int *shared;
enum { INSIDE, GO_ON, OVER, GONE, SHARED };

static void sleep_and_fault(int unused)
{
    (void)unused;
    const char *reason;
    static struct timespec a_little = {.tv_nsec = 1000000};
    struct assay_calipers *calipers = calibrated(&reason);
    MUST(calipers);
    for (int run = 0; run < 5; run++) {
        volatile char *page =
            mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assay_begin();
        __asm__ volatile("movb $1, (%1)\n\tmov $35, %%eax\n\tmov %0, %%rdi\n\txor %%esi, "
                         "%%esi\n\tsyscall\n\tnop"
                         :
                         : "r"(&a_little), "r"(page)
                         : "rax", "rdi", "rsi", "rcx", "r11", "memory", "cc");
        assay_end();
        MUST(is_exact(6));
    }
}

TEST(sleeping_in_a_system_call_and_faulting_is_exact)
{
    SKIP_UNLESS_TRAPPING();
    assert_int_equal(in_child(sleep_and_fault, 0), 0);
}

enum debugger { NOBODY, LOOKS, TAKES_ONE, TAKES_SOME, PASSES_ON, STAYS };

static void be_debugged(int debugger)
{
    const char *reason;
    struct assay_calipers *calipers = calibrated(&reason);
    MUST(calipers);
    shared[INSIDE] = 0; /* where the next instruction faults, a stop that is over cannot be seen */
    assay_begin();
    shared[INSIDE] = 1;
    while (!shared[GO_ON])
        ;
    assay_end();
    shared[OVER] = 1;
    if (debugger == NOBODY) {
        struct assay_count count;
        MUST(assay_counts(&count) == 0 && count.state == ASSAY_COUNTED && !count.noticed);
    } else {
        MUST(is_lost(calipers, TRAP_LOST_STOPPED));
    }
    if (debugger == STAYS)
        return;
    while (!shared[GONE])
        usleep(1000);
    hundred();
    MUST(is_exact(100));
}

/* Where it stopped; the region may be over before another trap comes. */
static int next_stop(pid_t child)
{
    int status = 0;
    pid_t found;
    while ((found = waitpid(child, &status, WNOHANG)) == 0 && !shared[OVER])
        usleep(100);
    if (found == 0) {
        assert_int_equal(ptrace(PTRACE_INTERRUPT, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    assert_true(WIFSTOPPED(status));
    return status;
}

/* Comes in the middle of the region, and goes unless it stays. */
static bool debug(pid_t child, enum debugger debugger)
{
    static const int taken[] = {[LOOKS] = 0, [TAKES_ONE] = 1, [TAKES_SOME] = 5, [PASSES_ON] = 5};
    int status = 0;
    if (ptrace(PTRACE_SEIZE, child, NULL, NULL) < 0)
        return false;
    assert_int_equal(ptrace(PTRACE_INTERRUPT, child, NULL, NULL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    shared[GO_ON] = 1;
    for (int trap = 0; debugger != STAYS; trap++) {
        bool passes = debugger == PASSES_ON && WSTOPSIG(status) == SIGTRAP && !(status >> 16);
        bool goes = trap == taken[debugger];
        intptr_t number = passes ? SIGTRAP : 0;
        assert_int_equal(ptrace(goes ? PTRACE_DETACH : PTRACE_CONT, child, NULL, (void *)number),
                         0);
        if (goes)
            break;
        status = next_stop(child);
    }
    if (debugger == STAYS)
        assert_int_equal(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
    shared[GONE] = 1;
    return true;
}

/* To the child's end; a debugger that is still there takes all of its traps. */
static int status_at_end(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status))
        ptrace(PTRACE_CONT, child, NULL, NULL);
    return status;
}

TEST(who_debugs_in_the_middle_ends_the_counting_alone)
{
    SKIP_UNLESS_TRAPPING();
    shared = mmap(NULL, SHARED * sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true((void *)(uintptr_t)shared != MAP_FAILED);
    for (enum debugger debugger = NOBODY; debugger <= STAYS; debugger++) {
        memset((void *)(uintptr_t)shared, 0, SHARED * sizeof(*shared));
        pid_t child = fork();
        if (child == 0) {
            alarm(HANGS);
            be_debugged((int)debugger);
            _exit(0);
        }
        while (!shared[INSIDE] && waitpid(child, NULL, WNOHANG) == 0)
            usleep(1000);
        bool refused = debugger != NOBODY && !debug(child, debugger);
        if (refused)
            kill(child, SIGKILL);
        shared[GO_ON] = shared[GONE] = 1;
        int status = status_at_end(child);
        if (refused)
            skip_because("ptrace is refused here");
        if (status)
            print_error("debugger %d: status %#x\n", (int)debugger, (unsigned)status);
        assert_int_equal(status, 0);
    }
}
#endif

TEST(nothing_of_this_is_for_other_cpus)
{
    const char *reason = NULL;
    struct assay_calipers *calipers = trapping(&reason);
#if !defined(__x86_64__)
    assert_null(calipers);
#endif
    assay_calipers_close(calipers);
}
