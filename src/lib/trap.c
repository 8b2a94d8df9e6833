/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Counting instructions by a trap after each of them: the handler of SIGTRAP that counts, what
 * system calls in a region need, how the handler comes to the process and leaves it, and how
 * calipers are opened for it.
 *
 * At every trap the CPU shows the instruction that comes next; that is the one whose trap comes
 * next (trap-flag.h says what a trap stands for). The operating system clears the flag while a
 * handler runs, of this signal or another: what handlers execute does not count. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "events/form.h"
#include "lib/calipers.h"
#include "syscall.h"
#include "trap-flag.h"
#include "user-counter.h"

/* --- What the handler knows of its thread, and of whom it shares the signal with --- */

__thread struct trap_thread trap_thread;
/* Tasks that began with the trap flag of the one that made them, share its memory and have not been
 * seen yet: the handler must stay for them. */
static int trap_heirs;

static struct sigaction previous; /* written while the handler is not installed */

/* A trap that is not ours, to whom it would have gone. */
static void trap_pass_on(int number, siginfo_t *information, void *context)
{
    bool sent = information->si_code <= 0;
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(number, information, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    } else if (previous.sa_handler == SIG_DFL || !sent) {
        /* The default, when this handler has returned and the signal is no longer blocked. What
         * the CPU raises cannot be ignored. */
        struct sigaction standard = {.sa_handler = SIG_DFL};
        sigaction(SIGTRAP, &standard, NULL);
        assay_syscall3(SYS_tgkill, assay_syscall0(SYS_getpid), assay_syscall0(SYS_gettid), SIGTRAP);
    }
}

/* The process that traces this thread, 0: none. Called by handlers, too. */
static int trap_tracer(void)
{
    static const char path[] = "/proc/thread-self/status", key[] = "\nTracerPid:\t";
    char text[1024] = "";
    long file =
        assay_syscall4(SYS_openat, AT_FDCWD, (long)(uintptr_t)path, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0)
        return 0;
    assay_syscall3(SYS_read, file, (long)(uintptr_t)text, sizeof(text) - 1);
    assay_syscall1(SYS_close, file);
    const char *found = strstr(text, key);
    return found ? atoi(found + sizeof(key) - 1) : 0;
}

/* ----------------------------------------------------------------------------------------------
 * System calls inside a region that traps, two kinds of which would end in death:
 *  - Who blocks SIGTRAP is killed at the next trap, and libc blocks all signals now and then
 *    (starting threads and programs). The call is answered here instead: all is done but for
 *    SIGTRAP, which is blocked when the outermost region has ended.
 *  - Who makes a task hands it the flag down, but not the region. What is new goes on without. */

#define BIT(number) (1ull << ((number)-1))

/* By way of the operating system, which notices what cannot be read or written. Everything is
 * blocked while the handler runs, so that blocking changes nothing. */
static long try_mask(const uint64_t *set, uint64_t *old)
{
    return assay_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, (long)(uintptr_t)set, (long)(uintptr_t)old,
                          sizeof(*set));
}

/* Eight bytes. */
static bool trap_readable(const void *address)
{
    return try_mask(address, NULL) == 0;
}

static uint64_t changed(uint64_t mask, uint64_t how, uint64_t set)
{
    return how == SIG_BLOCK ? mask | set : how == SIG_UNBLOCK ? mask & ~set : set;
}

static long answer_mask(void *context, uint64_t how, const uint64_t *set, uint64_t *old)
{
    struct trap_thread *thread = &trap_thread;
    uint64_t *mask = trap_context_mask(context);
    uint64_t before = *mask | (thread->blocked ? BIT(SIGTRAP) : 0), after = before;
    if (set) {
        long error = try_mask(set, NULL);
        if (error < 0)
            return error;
        after = changed(before, how, *set) & ~(BIT(SIGKILL) | BIT(SIGSTOP));
    }
    if (old) {
        long error = try_mask(NULL, old);
        if (error < 0)
            return error;
        *old = before;
    }
    thread->blocked = after & BIT(SIGTRAP);
    *mask = after & ~BIT(SIGTRAP);
    return 0;
}

static bool makes_a_task(const struct trap_call *call, bool *shares)
{
    *shares = false;
    if (call->number == SYS_clone)
        *shares = call->arguments[0] & CLONE_VM;
#ifdef SYS_vfork
    if (call->number == SYS_vfork)
        *shares = true;
    if (call->number == SYS_vfork || call->number == SYS_fork)
        return true;
#endif
#ifdef SYS_clone3
    if (call->number == SYS_clone3) {
        /* The first word of its arguments are the flags; were they not readable, nothing is
         * made. */
        uint64_t flags = 0, *from = (uint64_t *)(uintptr_t)call->arguments[0];
        if (trap_readable(from))
            flags = *from;
        *shares = flags & CLONE_VM;
        return true;
    }
#endif
    return call->number == SYS_clone;
}

static void trap_call_begins(struct assay_here *here, void *context)
{
    struct trap_thread *thread = &trap_thread;
    struct trap_call call;
    thread->caller = 0;
    if (!trap_context_call(context, &call))
        return;
    if (makes_a_task(&call, &thread->shares)) {
        thread->caller = assay_syscall0(SYS_gettid);
        if (thread->shares)
            __atomic_fetch_add(&trap_heirs, 1, __ATOMIC_RELAXED);
    } else if (call.number == SYS_rt_sigprocmask && call.arguments[3] == sizeof(uint64_t) &&
               (!call.arguments[1] || call.arguments[0] <= SIG_SETMASK)) {
        trap_context_answer(context, answer_mask(context, call.arguments[0],
                                                 (const uint64_t *)(uintptr_t)call.arguments[1],
                                                 (uint64_t *)(uintptr_t)call.arguments[2]));
        here->trapped++;
        thread->next = trap_place(context);
    }
}

/* Behind such a call: who made it, or whom it made where that one has the maker's thread-local
 * memory, its own copy or (vfork) the very same, which is then left as it is. */
static bool trap_call_made(void *context)
{
    struct trap_thread *thread = &trap_thread;
    bool maker = assay_syscall0(SYS_gettid) == thread->caller;
    bool nobody = maker && trap_context_failed(context);
    if (thread->shares && (!maker || nobody))
        __atomic_fetch_sub(&trap_heirs, 1, __ATOMIC_RELAXED);
    if (!maker && !thread->shares)
        *thread = (struct trap_thread){0};
    return maker;
}

/* --- The handler of SIGTRAP, and the end of trapping --- */

/* The thread has no region, so it did not set the flag: it may have inherited it. */
static bool is_heir(int code, const void *context)
{
    if (!trap_flag_made(code, NULL, trap_context_set(context)))
        return false;
    int heirs = __atomic_load_n(&trap_heirs, __ATOMIC_RELAXED);
    while (heirs > 0) {
        if (__atomic_compare_exchange_n(&trap_heirs, &heirs, heirs - 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

/* --- is every trap seen, and does every trap get the program on? --- */

static void look_at_account(struct trap_thread *thread)
{
    struct rusage usage = {.ru_nvcsw = 0};
    assay_syscall2(SYS_getrusage, RUSAGE_THREAD, (long)(uintptr_t)&usage);
    thread->switches = usage.ru_nvcsw;
    thread->faults = usage.ru_minflt + usage.ru_majflt;
}

/* Who traces the thread gets its traps first and need not pass them on. It stops the thread for
 * that, and an instruction that neither calls the system nor faults does not leave the CPU by
 * itself. Where it does, only a tracer that is still there is seen. */
static bool was_stopped(struct trap_thread *thread)
{
    const long switches = thread->switches, faults = thread->faults;
    look_at_account(thread);
    if (thread->next && thread->switches == switches)
        return false;
    bool stopped = thread->next && thread->faults == faults && !trap_flag_calls(thread->next);
    if (!stopped)
        stopped = trap_tracer() > 0;
    look_at_account(thread);
    return stopped;
}

/* A jump may lead where nothing can be read: the signal of that is the program's, not the handler's
 * own. */
static bool is_readable(const unsigned char *next, const unsigned char *begun)
{
    return ((uintptr_t)next ^ (uintptr_t)begun) >> 12 == 0 || (intptr_t)next < 0 ||
           trap_readable((const void *)((uintptr_t)next & ~(uintptr_t)7));
}

/* Every signal aborts a restartable sequence; it would be tried again and again. */
static bool was_aborted(const unsigned char *next, const unsigned char *begun)
{
    uint32_t signature = 0;
    const unsigned char *before = next - TRAP_ABORT_BYTES;
    if ((intptr_t)before <= 0 || !is_readable(next, begun) || !is_readable(before, next))
        return false;
    memcpy(&signature, before, sizeof(signature));
    return signature == TRAP_ABORT_SIGNATURE;
}

static enum trap_lost find_loss(struct trap_thread *thread, const unsigned char *next,
                                const void *context)
{
    const uint64_t before = thread->left;
    thread->left = trap_context_left(context);
    bool stays = thread->next == next && !trap_flag_may_stay(next, thread->left != before);
    thread->stuck = stays ? thread->stuck + 1 : 0;
    if (thread->stuck >= TRAP_STUCK_MOST)
        return TRAP_LOST_STUCK;
    if (was_aborted(next, thread->next))
        return TRAP_LOST_SEQUENCE;
    return was_stopped(thread) ? TRAP_LOST_STOPPED : TRAP_LOST_NOTHING;
}

/* --- the handler --- */

/* The instruction whose trap comes next, if any does. */
static void go_on_at(struct assay_here *here, const unsigned char *next, void *context)
{
    struct trap_thread *thread = &trap_thread;
    bool known = trap_context_set(context) && is_readable(next, thread->next);
    thread->next = known ? next : NULL;
    thread->caller = 0;
    if (known)
        trap_call_begins(here, context);
}

/* int3 and int1 are instructions, too. Some hypervisors (KVM on AMD CPUs) show int1 as if it had
 * not been executed: a handler that returns would get it again for ever. Where one left it so, the
 * program goes on behind it, as CPUs do. */
static void on_own_trap(struct assay_here *here, int number, siginfo_t *information, void *context)
{
    struct trap_thread *thread = &trap_thread;
    const unsigned char *next = trap_place(context);
    bool executed = information->si_code == SI_KERNEL || information->si_code == TRAP_BRKPT;
    bool stays = executed && next == thread->next;
    if (!trap_context_set(context)) { /* code cleared it: nothing is counted any more */
        trap_pass_on(number, information, context);
        return;
    }
    here->trapped += executed;
    trap_pass_on(number, information, context);
    if (stays && trap_place(context) == next)
        trap_context_skip(context, trap_flag_breakpoint(next));
    if (executed || trap_place(context) != next)
        go_on_at(here, trap_place(context), context);
    look_at_account(thread);
}

void on_trap(int number, siginfo_t *information, void *context)
{
    struct assay_here *here = assay_here;
    struct trap_thread *thread = &trap_thread;
    /* The last traps of an outermost region come when its depth is 0 again. */
    if (!(here->ways & ASSAY_WAY_TRAP) || (!here->depth && !thread->next)) {
        if (is_heir(information->si_code, context))
            trap_context_clear(context);
        else
            trap_pass_on(number, information, context);
        return;
    }
    const unsigned char *next = trap_place(context);
    if (!trap_flag_made(information->si_code, thread->next, trap_context_set(context))) {
        on_own_trap(here, number, information, context);
        return;
    }
    if (thread->caller && !trap_call_made(context)) {
        trap_context_clear(context);
        return;
    }
    enum trap_lost lost = find_loss(thread, next, context);
    if (lost) { /* the program goes on without, and the region's end notices */
        thread->lost = lost;
        trap_context_clear(context);
    }
    if (!thread->stuck)
        here->trapped += trap_flag_stands_for(thread->next, next);
    go_on_at(here, next, context);
}

/* Code may clear the flag: popf with flags from before the region, or a jump out of the handler of
 * a signal; and so does the handler when it gives up. Then nobody knows how much was not counted,
 * in a region that ends without the flag and in all around one that began without. Nor where no
 * trap came since the region's last reading: somebody else got it. (In this order: a trap that came
 * has seen to it that the flag is clear if those before did not come.) Constant where nothing of
 * that happened. */
void trap_look(struct assay_here *here, struct assay_frame *frame)
{
    const unsigned lost = ASSAY_SAW_DISTURBED | ASSAY_NOT_MEASURED | ASSAY_SAW_LOST_TRAPS;
    const bool unseen = *(const volatile uint64_t *)&here->trapped == frame->ended[WORD_TRAP];
    if (!trap_is_set() | unseen) {
        enum trap_lost why = trap_thread.lost;
        if (!why)
            why = unseen && trap_is_set() ? TRAP_LOST_STOPPED : TRAP_LOST_CLEARED;
        ((struct assay_calipers *)(void *)here)->trap_lost = why;
        frame->noticed |= lost;
    }
    if (here->depth > 1 && !trap_was_set(frame->flags))
        frame[-1].noticed |= lost;
}

void trap_leave(void)
{
    __asm__ volatile(TRAP_FLAG_BELOW TRAP_FLAG_CLEAR TRAP_FLAG_ABOVE : : : "memory", "cc");
    struct trap_thread *thread = &trap_thread;
    bool blocked = thread->blocked;
    *thread = (struct trap_thread){0};
    if (blocked) {
        uint64_t mask = 1ull << (SIGTRAP - 1);
        assay_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, (long)(uintptr_t)&mask, 0, sizeof(mask));
    }
}

/* ----------------------------------------------------------------------------------------------
 * The handler of SIGTRAP in the process: there from the first calipers that trap to the last, and
 * before whoever had the signal. */

#define TRIED 3 /* instructions with which trapping is tried */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static size_t users;
static bool installed;

static void take(void)
{
    pthread_mutex_lock(&lock);
}

static void give(void)
{
    pthread_mutex_unlock(&lock);
}

static void prepare_forks(void)
{
    pthread_atfork(take, give, give);
}

static bool is_ours(void)
{
    struct sigaction now;
    return sigaction(SIGTRAP, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
           now.sa_sigaction == on_trap;
}

static int install(void)
{
    struct sigaction action = {.sa_sigaction = on_trap,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigfillset(&action.sa_mask); /* a handler that began a region in this one would be killed */
    if (sigaction(SIGTRAP, NULL, &previous) < 0 || sigaction(SIGTRAP, &action, NULL) < 0)
        return -errno;
    installed = true;
    return 0;
}

static void restore(void)
{
    if (__atomic_load_n(&trap_heirs, __ATOMIC_ACQUIRE) > 0 || !is_ours())
        return; /* still needed; or somebody came after it, and may go on to it */
    sigaction(SIGTRAP, &previous, NULL);
    installed = false;
}

static int attach(char *reason, size_t size)
{
    int error = installed ? 0 : install();
    if (error < 0) {
        snprintf(reason, size, "no handler for SIGTRAP can be set: %s", strerror(-error));
        return error;
    }
    if (!is_ours()) {
        snprintf(reason, size,
                 "SIGTRAP got another handler since the first calipers that trap were opened; set "
                 "handlers before that");
        return -EBUSY;
    }
    /* Sets the flag around three instructions, in a region of nobody's. */
    struct assay_here *selected = assay_here;
    struct assay_here trial = {.ways = ASSAY_WAY_TRAP, .depth = 1};
    assay_here = &trial;
    __asm__ volatile(TRAP_FLAG_BELOW TRAP_FLAG_SET
                     "\n\tnop\n\tnop\n\tnop\n\t" TRAP_FLAG_CLEAR TRAP_FLAG_ABOVE
                     : "+m"(trial)
                     :
                     : "memory", "cc");
    trap_leave();
    assay_here = selected;
    uint64_t saw = trial.trapped;
    if (saw != TRIED + TRAP_FLAG_OWN) {
        snprintf(reason, size,
                 "the trap flag does not work here: of %d instructions it saw %lld (an emulator?)",
                 TRIED, saw > TRAP_FLAG_OWN ? (long long)saw - TRAP_FLAG_OWN : 0);
        return -EOPNOTSUPP;
    }
    return 0;
}

/* 0, or a negative errno and the reason. */
static int trap_attach(char *reason, size_t size)
{
    sigset_t blocked;
    int by = trap_tracer();
    if (!TRAP_FLAG) {
        snprintf(reason, size,
                 "this CPU has no trap flag that a program may set for itself; count "
                 "instructions:u, or the whole program by assay truth --source step");
        return -EOPNOTSUPP;
    }
    if (by) {
        snprintf(reason, size,
                 "process %d (a debugger, strace) traces this one and would get every trap; run it "
                 "without",
                 by);
        return -EBUSY;
    }
    if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 && sigismember(&blocked, SIGTRAP) == 1) {
        snprintf(reason, size,
                 "this thread blocks SIGTRAP, and the operating system ends a process that traps "
                 "then; unblock it (pthread_sigmask) before calipers are opened");
        return -EBUSY;
    }
    pthread_once(&once, prepare_forks);
    take();
    int error = attach(reason, size);
    users += error == 0;
    if (!users && installed)
        restore();
    give();
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * Opening calipers that trap: when they do, and what else they can count then, which is nothing.
 * Every trap enters the operating system, and that would be in every other count. */

static const char *const classes[] = {"instructions", NULL};
static const struct event_source sources[] = {{.name = "trap", .classes = classes}, {.name = NULL}};

/* What is known of the events before they are opened. */
struct wishes {
    bool trapping[ASSAY_CALIPERS_MOST]; /* are to be counted by trapping */
    bool any;
    char refused[1024]; /* why no counter counts them; "": they were not asked for as counters */
};

/* instructions:u, which no counter counts here. */
static bool lacks_counter(const struct event_view *view, const struct event *event,
                          struct wishes *wishes)
{
    if (event->kind != EVENT_HARDWARE || event->attr.config != PERF_COUNT_HW_INSTRUCTIONS ||
        !event->attr.exclude_kernel)
        return false;
    int error = counter_try_open(event);
    if (error < 0)
        event_open_reason(view, event, -error, wishes->refused, sizeof(wishes->refused));
    return error < 0;
}

static int find_wishes(const struct assay_calipers *calipers, struct wishes *wishes)
{
    struct event_view view;
    int error = 0;
    view = (struct event_view){.root = "", .tracefs = -1};
    for (size_t i = 0; i < calipers->count && view.tracefs < 0; i++) {
        if (event_form_tracepoint.fits(NULL, calipers->events[i].name))
            event_view_open(&view, "");
    }
    view.sources = sources;
    for (size_t i = 0; i < calipers->count && !error; i++) {
        if (strcmp(calipers->events[i].name, TICKS_EVENT) == 0)
            continue;
        struct event event = {0};
        error = event_resolve(&view, calipers->events[i].name, &event, set_failure());
        if (!error) {
            bool source = event.kind == EVENT_SOURCE, or_trap = calipers->flags & ASSAY_OR_TRAP;
            wishes->trapping[i] = source || (or_trap && lacks_counter(&view, &event, wishes));
            wishes->any |= wishes->trapping[i];
        } else if (error == -EACCES) /* opening the others says of it why it is not counted */
            error = 0;
        event_release(&event);
    }
    event_view_close(&view);
    return error;
}

static void refuse(struct caliper *event, int error, const char *reason)
{
    event->error = error;
    event->reason = strdup(reason);
}

/* Those that were to be counted otherwise may still be. */
static void refuse_trapping(struct assay_calipers *calipers, const struct wishes *wishes, int error,
                            const char *why)
{
    char reason[2048];
    snprintf(reason, sizeof(reason), "%s%s%s", wishes->refused,
             wishes->refused[0] ? "; and trapping cannot take its place: " : "", why);
    for (size_t i = 0; i < calipers->count; i++) {
        if (wishes->trapping[i])
            refuse(&calipers->events[i], error, reason);
    }
}

int calipers_trap_open(struct assay_calipers *calipers)
{
    struct wishes wishes = {.any = false};
    char why[512] = "";
    bool may = calipers->flags & ASSAY_OR_TRAP;
    for (size_t i = 0; i < calipers->count; i++)
        may |= strncmp(calipers->events[i].name, "trap/", 5) == 0;
    if (!may)
        return 0;
    int error = find_wishes(calipers, &wishes);
    if (error < 0 || !wishes.any)
        return error;
    error = trap_attach(why, sizeof(why));
    if (error < 0) {
        refuse_trapping(calipers, &wishes, -error, why);
        return 0;
    }
    calipers->path = ASSAY_PATH_TRAP;
    calipers->here.ways |= ASSAY_WAY_TRAP;
    for (size_t i = 0; i < calipers->count; i++) {
        struct caliper *event = &calipers->events[i];
        if (wishes.trapping[i]) {
            event->kind = CALIPER_COUNTER;
            event->word = WORD_TRAP;
        } else {
            refuse(event, EBUSY,
                   "these calipers trap after every instruction, which enters the operating system "
                   "and takes time: other counts would be of that. Open calipers of their own for "
                   "them");
        }
    }
    if (wishes.refused[0])
        calipers->reason = strdup(wishes.refused);
    return 0;
}

const char *calipers_trap_reason(enum trap_lost lost)
{
    static const char *const reasons[] = {
        [TRAP_LOST_CLEARED] = "code in a region cleared the trap flag (popf with flags from before "
                              "the region, a longjmp out of a signal handler): what ran afterwards "
                              "was not counted. Keep such code out of regions",
        [TRAP_LOST_STUCK] =
            "an instruction in a region was not executed while the trap flag was set (a fault of "
            "the hypervisor or the CPU): counting stopped there, so that the program could go on. "
            "Keep that code out of regions, or count it with assay truth --source step",
        [TRAP_LOST_SEQUENCE] =
            "a region contains a restartable sequence (rseq), which is aborted by every trap and "
            "would never end: counting stopped there, so that the program could go on. Keep such "
            "code (tcmalloc, librseq) out of regions",
        [TRAP_LOST_STOPPED] = "the thread was stopped in a region: by a debugger or strace, which "
                              "takes traps, by SIGSTOP, or in a signal handler that waited. Traps "
                              "may be missing, so counting stopped there. Repeat it without",
    };
    return reasons[lost];
}

void calipers_trap_close(struct assay_calipers *calipers)
{
    if (calipers->path != ASSAY_PATH_TRAP)
        return;
    if (calipers_here() == calipers)
        trap_leave(); /* a region that never ended */
    take();
    if (users && --users == 0)
        restore();
    give();
}
