/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counters read in user code against read(), on every counter the machine has: pinned events take
 * all of them at once. Static, TAP on standard output; skips with the reason where user code can
 * read no counter. Settings are changed, and put back, only when called with --settings. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/user-access.h"
#include "lib/user-read.h"
#include "syscall.h"
#include "user-counter.h"

#define MOST  64  /* counters looked for */
#define TRIES 200 /* readings of each */

#define SETTING "/proc/sys/kernel/perf_user_access"

struct counter {
    int descriptor;
    const volatile struct perf_event_mmap_page *page;
};

struct sandwich {
    uint64_t first;     /* in user code */
    uint64_t middle[3]; /* by read(): count, time enabled, time running */
    long got;           /* bytes of that */
    uint64_t last;      /* in user code */
};

static int cases, failures;

__attribute__((format(printf, 2, 3))) static void tell(bool holds, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s %d - ", holds ? "ok" : "not ok", ++cases);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    failures += !holds;
}

__attribute__((noreturn)) static void skip_all(const char *reason)
{
    printf("1..0 # SKIP %s\n", reason);
    exit(0);
}

static struct perf_event_attr wanted(uint64_t config, bool pinned)
{
    struct failure failure = {0};
    struct perf_event_attr attr = {.size = sizeof(attr),
                                   .type = PERF_TYPE_HARDWARE,
                                   .config = config,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .disabled = 1,
                                   .pinned = pinned,
                                   .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                  PERF_FORMAT_TOTAL_TIME_RUNNING};
    if (user_access_request("", "the event", &attr, &failure) < 0)
        skip_all(failure.text);
    return attr;
}

static bool open_counter(struct counter *counter, const struct perf_event_attr *attr)
{
    struct failure failure = {0};
    *counter = (struct counter){-1, NULL};
    counter->descriptor =
        (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, (unsigned long)PERF_FLAG_FD_CLOEXEC);
    if (counter->descriptor < 0)
        return false;
    if (user_access_map("", "the event", counter->descriptor, USER_MAP_TOUCHED, &counter->page,
                        &failure) < 0) {
        printf("# %s\n", failure.text);
        return false;
    }
    return ioctl(counter->descriptor, PERF_EVENT_IOC_ENABLE, 0) == 0;
}

static void must_open(struct counter *counter, const struct perf_event_attr *attr)
{
    if (open_counter(counter, attr) && counter->page)
        return;
    puts("Bail out! an event that could be opened before cannot any more");
    exit(1);
}

static void close_counter(struct counter *counter)
{
    user_access_unmap(counter->page);
    if (counter->descriptor >= 0)
        close(counter->descriptor);
    *counter = (struct counter){-1, NULL};
}

/* The same instructions whichever counter it is: distances can be compared. */
static __attribute__((noinline)) void take(const struct counter *counter, struct sandwich *sandwich)
{
    user_read_count(counter->page, &sandwich->first);
    sandwich->got = assay_syscall3(SYS_read, counter->descriptor, (long)sandwich->middle,
                                   sizeof(sandwich->middle));
    user_read_count(counter->page, &sandwich->last);
}

static __attribute__((noinline)) void spin(uint32_t iterations)
{
    for (volatile uint32_t done = 0; done < iterations; done++)
        ;
}

/* Both distances at their smallest: on a CPU that really counts them exactly, always these. */
struct distances {
    uint64_t before, after;
    bool ordered, constant;
};

/* CPUs that run ahead read a counter a few instructions early or late, and not every counter alike:
 * there they are compared with this much room. Where every distance was the same there is none. */
#define ROOM 16

static bool same_distances(const struct distances *one, const struct distances *other)
{
    uint64_t room = one->constant && other->constant ? 0 : ROOM;
    return one->before - other->before + room <= 2 * room &&
           one->after - other->after + room <= 2 * room;
}

static struct distances compare(const struct counter *counter)
{
    struct distances least = {UINT64_MAX, UINT64_MAX, true, true};
    for (int attempt = 0; attempt < TRIES; attempt++) {
        struct sandwich sandwich = {0};
        spin((uint32_t)attempt * 7);
        take(counter, &sandwich);
        uint64_t before = sandwich.middle[0] - sandwich.first;
        uint64_t after = sandwich.last - sandwich.middle[0];
        least.ordered &=
            sandwich.got == sizeof(sandwich.middle) && (int64_t)before >= 0 && (int64_t)after >= 0;
        least.constant &= attempt == 0 || (before == least.before && after == least.after);
        least.before = before < least.before ? before : least.before;
        least.after = after < least.after ? after : least.after;
    }
    return least;
}

/* Pins events until one gets no counter any more; that one is closed again. */
static size_t take_all(struct counter *counters, size_t most, const struct perf_event_attr *attr)
{
    size_t taken = 0;
    for (; taken < most; taken++)
        if (!open_counter(&counters[taken], attr) || !counters[taken].page->index) {
            close_counter(&counters[taken]);
            break;
        }
    return taken;
}

static size_t take_machine(struct counter *counters, bool *cycles)
{
    struct perf_event_attr attr = wanted(PERF_COUNT_HW_CPU_CYCLES, true);
    *cycles = open_counter(&counters[0], &attr) && counters[0].page->index;
    if (!*cycles)
        close_counter(&counters[0]);
    attr = wanted(PERF_COUNT_HW_INSTRUCTIONS, true);
    return *cycles + take_all(counters + *cycles, MOST - *cycles, &attr);
}

static struct distances every_index_reads_what_the_operating_system_reads(void)
{
    struct counter counters[MOST];
    struct distances first = {0};
    bool cycles;
    size_t count = take_machine(counters, &cycles);
    bool distinct = true;
    for (size_t i = 0; i < count; i++) {
        uint32_t index = counters[i].page->index;
        struct distances found = compare(&counters[i]);
        bool instructions = i >= cycles;
        if (i == cycles)
            first = found;
        for (size_t other = 0; other < i; other++)
            distinct &= counters[other].page->index != index;
        tell(found.ordered, "index %u (%s, %u bits): user read, read(), user read are in order",
             index, instructions ? "instructions" : "cycles", counters[i].page->pmc_width);
        if (instructions)
            tell(same_distances(&found, &first),
                 "index %u: read() comes %llu instructions after the user read and %llu before the "
                 "next, as on every counter%s",
                 index, (unsigned long long)found.before, (unsigned long long)found.after,
                 found.constant ? ", every time" : "");
    }
    tell(count > cycles && distinct, "%zu counters, each with an index of its own", count);
    for (size_t i = 0; i < count; i++)
        close_counter(&counters[i]);
    return first;
}

/* A counter that is programmed to overflow every `period` passes its end that often: what takes a
 * counter of 32 bits half a minute otherwise. */
static void reads_go_on_where_a_counter_passes_its_end(const struct distances *expected, bool wide)
{
    struct perf_event_attr attr = wanted(PERF_COUNT_HW_INSTRUCTIONS, true);
    struct counter counter;
    attr.sample_period = 2003;
#if defined(__aarch64__)
    attr.config1 = (attr.config1 & ~UINT64_C(1)) | wide;
#else
    (void)wide;
#endif
    if (!open_counter(&counter, &attr) || !counter.page->index) {
        printf("ok %d # SKIP no counter %s\n", ++cases,
               wide ? "of 64 bits on this core" : "that samples too");
        close_counter(&counter);
        return;
    }
    int64_t offset = counter.page->offset;
    struct distances found = compare(&counter);
    bool wraps = counter.page->offset != offset; /* the operating system went along */
    tell(found.ordered && wraps && same_distances(&found, expected),
         "a counter of %u bits is read right across its end", counter.page->pmc_width);
    close_counter(&counter);
}

static bool equals_read(const struct counter *counter, bool *scheduled)
{
    struct user_reading reading = {.scheduled = true};
    uint64_t report[3] = {0}, count = 1;
    bool readable = user_read(counter->page, &reading);
    ssize_t got = read(counter->descriptor, report, sizeof(report));
    *scheduled = reading.scheduled;
    return readable && user_read_count(counter->page, &count) && got == sizeof(report) &&
           report[0] == reading.count && report[0] == count;
}

static void an_event_that_is_off_gives_its_count_and_says_so(void)
{
    struct perf_event_attr attr = wanted(PERF_COUNT_HW_INSTRUCTIONS, false);
    struct counter counter;
    bool scheduled = true;
    must_open(&counter, &attr);
    spin(1000);
    ioctl(counter.descriptor, PERF_EVENT_IOC_DISABLE, 0);
    bool equal = equals_read(&counter, &scheduled);
    uint64_t count = 0;
    user_read_count(counter.page, &count);
    tell(equal && !scheduled && count > 1000,
         "index 0, switched off: the page gives what read() gives (%llu)",
         (unsigned long long)count);
    close_counter(&counter);
}

static void an_event_without_a_counter_says_so(void)
{
    struct counter counters[MOST], starved, late;
    struct user_reading reading = {.scheduled = true};
    uint64_t report[3] = {0};
    bool cycles, scheduled = true;
    size_t count = take_machine(counters, &cycles);
    struct perf_event_attr attr = wanted(PERF_COUNT_HW_INSTRUCTIONS, false);
    must_open(&starved, &attr);
    tell(equals_read(&starved, &scheduled) && !scheduled,
         "index 0, all counters pinned by others: the page gives what read() gives");
    attr = wanted(PERF_COUNT_HW_INSTRUCTIONS, true);
    must_open(&late, &attr);
    ssize_t got = read(late.descriptor, report, sizeof(report));
    tell(got == 0 && user_read(late.page, &reading) && !reading.scheduled,
         "a pinned event that got no counter: read() gives nothing, the page is not scheduled");
    close_counter(&late);
    close_counter(&starved);
    for (size_t i = 0; i < count; i++)
        close_counter(&counters[i]);
}

/* Linux writes such a page with another idea of the counter's sign: user_read knows. */
static void a_page_mapped_while_the_event_counts_is_read_right(void)
{
    struct perf_event_attr attr = wanted(PERF_COUNT_HW_INSTRUCTIONS, true);
    struct failure failure = {0};
    struct counter counter;
    struct user_reading now = {0};
    uint64_t before[3] = {0}, after[3] = {0};
    attr.disabled = 0;
    counter.descriptor =
        (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, (unsigned long)PERF_FLAG_FD_CLOEXEC);
    bool whole = read(counter.descriptor, before, sizeof(before)) == sizeof(before);
    if (user_access_map("", "the event", counter.descriptor, USER_MAP_TOUCHED, &counter.page,
                        &failure) < 0 ||
        !counter.page) {
        tell(false, "%s", failure.text);
        return;
    }
    whole = whole && user_read(counter.page, &now) &&
            read(counter.descriptor, after, sizeof(after)) == sizeof(after);
    tell(whole && before[0] <= now.count && now.count <= after[0],
         "a page mapped while its event counts is read right (%llu <= %lld <= %llu)",
         (unsigned long long)before[0], (long long)now.count, (unsigned long long)after[0]);
    close_counter(&counter);
}

static void times_lie_between_those_of_read(void)
{
    enum { ENABLED = 1, RUNNING };
    struct perf_event_attr attr = wanted(PERF_COUNT_HW_INSTRUCTIONS, false);
    struct counter counter;
    bool ordered = true, fresh = true;
    must_open(&counter, &attr);
    for (int attempt = 0; attempt < TRIES; attempt++) {
        uint64_t before[3] = {0}, after[3] = {0};
        struct user_reading now = {0};
        bool whole = read(counter.descriptor, before, sizeof(before)) == sizeof(before);
        ordered &= whole && user_read(counter.page, &now);
        whole = read(counter.descriptor, after, sizeof(after)) == sizeof(after);
        fresh &= now.times_fresh;
        /* Two conversions of one clock, each rounded. */
        ordered &= whole && now.enabled_ns + 2 >= before[ENABLED] &&
                   now.enabled_ns <= after[ENABLED] + 2 && now.running_ns + 2 >= before[RUNNING] &&
                   now.running_ns <= after[RUNNING] + 2;
    }
    if (!fresh)
        printf("ok %d - times # SKIP this machine's pages do not convert time\n", ++cases);
    else
        tell(ordered, "times of the page lie between those of read()");
    close_counter(&counter);
}

/* --- what happens when somebody switches user access off --- */

static sigjmp_buf escape;
static volatile sig_atomic_t ours;

static void on_trap(int number, siginfo_t *information, void *context)
{
    (void)number, (void)information;
    ours = user_counter_instruction(trap_place(context));
    siglongjmp(escape, 1);
}

static bool set_access(char value)
{
    int file = open(SETTING, O_WRONLY | O_CLOEXEC);
    bool written = file >= 0 && write(file, &value, 1) == 1;
    if (file >= 0)
        close(file);
    return written;
}

static void access_withdrawn_shows_as_a_trap_or_a_reason(void)
{
    struct perf_event_attr attr = wanted(PERF_COUNT_HW_INSTRUCTIONS, true);
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    struct failure failure = {0};
    struct counter counter;
    uint64_t count;
    volatile bool trapped = false;
    must_open(&counter, &attr);
    sigaction(SIGILL, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    if (!set_access('0')) {
        printf("ok %d - access withdrawn # SKIP " SETTING " cannot be written\n", ++cases);
        close_counter(&counter);
        return;
    }
    if (sigsetjmp(escape, 1) == 0)
        user_read_count(counter.page, &count);
    else
        trapped = true;
    signal(SIGILL, SIG_DFL);
    signal(SIGSEGV, SIG_DFL);
    tell(trapped ? ours : !counter.page->index, "a read after access was withdrawn %s",
         trapped ? "traps, and the trap is known for what it is" : "finds no counter in the page");
    tell(user_access_check("", "this", 0, counter.page, &failure) == -EACCES &&
             strstr(failure.text, "switched such reads off"),
         "the reason says that reads are switched off: %s", failure.text);
    set_access('1');
    close_counter(&counter);
}

int main(int argument_count, char **arguments)
{
    struct failure failure = {0};
    struct perf_event_attr attr = wanted(PERF_COUNT_HW_INSTRUCTIONS, false);
    if (user_access_try("", "instructions:u", &attr, &failure) < 0)
        skip_all(failure.text);
    setvbuf(stdout, NULL, _IONBF, 0);
    struct distances each = every_index_reads_what_the_operating_system_reads();
    reads_go_on_where_a_counter_passes_its_end(&each, false);
    reads_go_on_where_a_counter_passes_its_end(&each, true);
    an_event_that_is_off_gives_its_count_and_says_so();
    an_event_without_a_counter_says_so();
    a_page_mapped_while_the_event_counts_is_read_right();
    times_lie_between_those_of_read();
    if (argument_count == 2 && strcmp(arguments[1], "--settings") == 0)
        access_withdrawn_shows_as_a_trap_or_a_reason();
    printf("1..%d\n", cases);
    return failures != 0;
}
