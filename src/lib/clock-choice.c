/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Whether the CPU's counter of time can be depended on.
 *
 * The best witness is the operating system: it watches the counter from boot to shutdown, on all
 * CPUs, and keeps time by another one when it finds the counter stopping, changing its rate or
 * differing between CPUs. So the counter is taken exactly where the operating system takes it as it
 * is. Under kvm-clock, Hyper-V's page and Xen's clock it reads the same instruction, but with a
 * conversion that the hypervisor may replace at any time (a machine that moves to another host): no
 * bound with a rate of ours would survive that, and clock_gettime, which follows, costs some tens
 * of nanoseconds. */
#include "lib/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "assay/counter-in-place.h"
#include "lib/ticks.h"
#include "syscall.h"

#define SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define CPUS   "/proc/cpuinfo"

static const struct {
    const char *counter, *source;
} sources[] = {{"tsc", "tsc"}, {"cntvct", "arch_sys_counter"}, {"rdtime", "riscv_clocksource"}};

/* The beginning of a file as text; false where it cannot be read. */
static bool read_start(const char *root, const char *path, char *text, size_t size)
{
    char whole[512];
    int length = snprintf(whole, sizeof(whole), "%s%s", root, path);
    if (length < 0 || (size_t)length >= sizeof(whole))
        return false;
    long file =
        assay_syscall4(SYS_openat, AT_FDCWD, (long)(uintptr_t)whole, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0)
        return false;
    size_t filled = 0;
    long got = 1;
    while (got > 0 && filled < size - 1) {
        got = assay_syscall3(SYS_read, file, (long)(uintptr_t)(text + filled),
                             (long)(size - 1 - filled));
        filled += got > 0 ? (size_t)got : 0;
    }
    assay_syscall1(SYS_close, file);
    text[filled] = '\0';
    return filled > 0;
}

static void read_source(const char *root, char *source, size_t size)
{
    if (!read_start(root, SOURCE, source, size))
        source[0] = '\0';
    source[strcspn(source, "\n")] = '\0';
}

/* Is the word among those of a line? */
static bool has_word(const char *line, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(line, word); at; at = strstr(at + 1, word))
        if (at > line && (at[-1] == ' ' || at[-1] == '\t') &&
            (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* Of the first CPU: where they differ, the operating system does not keep time by the counter. */
static void read_flags(const char *root, struct clock_signs *signs)
{
    char text[8192];
    if (!read_start(root, CPUS, text, sizeof(text)))
        return;
    char *line = strstr(text, "\nflags");
    if (!line)
        return;
    line++;
    line[strcspn(line, "\n")] = '\0';
    signs->flags_known = true;
    signs->constant = has_word(line, "constant_tsc");
    signs->nonstop = has_word(line, "nonstop_tsc");
}

void clock_signs_of(const char *root, struct clock_signs *signs)
{
    *signs = (struct clock_signs){.forbidden = ticks_forbidden()};
#ifdef ASSAY_COUNTER_NAME
    signs->counter = ASSAY_COUNTER_NAME;
#endif
    read_flags(root, signs);
    read_source(root, signs->source, sizeof(signs->source));
}

static bool keeps_time(const char *counter, const char *source)
{
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
        if (strcmp(sources[i].counter, counter) == 0)
            return strcmp(sources[i].source, source) == 0;
    return false;
}

int clock_choice(const struct clock_signs *signs, char *reason, size_t size)
{
    reason[0] = '\0';
    if (!signs->counter) {
        snprintf(reason, size, "user code has no counter of time on this ISA that is known here");
        return -EOPNOTSUPP;
    }
    if (signs->forbidden) {
        snprintf(reason, size, "%s", TICKS_FORBIDDEN);
        return -EPERM;
    }
    bool flags_matter = strcmp(signs->counter, "tsc") == 0;
    if (flags_matter && !signs->flags_known) {
        snprintf(reason, size,
                 "nothing says whether the CPU's counter of time has a constant rate: " CPUS
                 " cannot be read");
        return -EOPNOTSUPP;
    }
    if (flags_matter && !(signs->constant && signs->nonstop)) {
        snprintf(reason, size, "the CPU's counter of time %s (no %s in " CPUS ")",
                 signs->constant ? "may stop while the CPU sleeps"
                                 : "changes its rate with the CPU's frequency",
                 signs->constant ? "nonstop_tsc" : "constant_tsc");
        return -EOPNOTSUPP;
    }
    if (!signs->source[0]) {
        snprintf(reason, size,
                 "nothing says whether the operating system trusts the CPU's counter of time: "
                 "" SOURCE " cannot be read");
        return -EOPNOTSUPP;
    }
    if (!keeps_time(signs->counter, signs->source)) {
        snprintf(reason, size,
                 "the operating system itself keeps time by %s, not by the CPU's counter as it is "
                 "(%s)",
                 signs->source, signs->counter);
        return -EOPNOTSUPP;
    }
    return 0;
}

bool clock_choice_shared(const char *root)
{
    struct clock_signs signs;
    char reason[256];
    clock_signs_of(root, &signs);
    return clock_choice(&signs, reason, sizeof(reason)) == 0;
}
