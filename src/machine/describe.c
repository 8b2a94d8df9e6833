/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A machine's description: gathered, told in one line, and made into what a validation depends on.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/machine-words.h"
#include "machine/check.h"

/* The attempt runs in a child, because a seccomp filter may kill whoever makes the call. */

#define SPIN_STEPS 100000

static int open_event(uint32_t type, uint64_t config, int leader)
{
    struct perf_event_attr attr = {
        .type = type,
        .size = sizeof(attr),
        .config = config,
        .disabled = leader < 0,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

static void spin(int steps)
{
    for (volatile int step = 0; step < steps; step = step + 1)
        ;
}

static struct perf_count count_hardware(uint64_t config)
{
    AUTO_CLOSE int fd = open_event(PERF_TYPE_HARDWARE, config, -1);
    if (fd < 0)
        return (struct perf_count){.error = -fd};
    uint64_t values[3] = {0};
    if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
        return (struct perf_count){.error = errno};
    spin(SPIN_STEPS);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    ssize_t got = read(fd, values, sizeof(values));
    if (got != (ssize_t)sizeof(values))
        return (struct perf_count){.error = got < 0 ? errno : EIO};
    return (struct perf_count){
        .count = values[0], .enabled_ns = values[1], .running_ns = values[2]};
}

#define WINDOWS 8

/* What was counted in a window that is over, and for all of it; 0: it was not. */
static uint64_t whole_count(int fd)
{
    uint64_t values[3] = {0};
    return read(fd, values, sizeof(values)) == (ssize_t)sizeof(values) && values[1] == values[2]
               ? values[0]
               : 0;
}

unsigned lockstep_factors(unsigned factors, uint64_t instructions, uint64_t cycles)
{
    for (unsigned factor = 0; factor < LOCKSTEP_FACTORS; factor++)
        if (!instructions || instructions << factor != cycles)
            factors &= ~(1u << factor);
    return factors;
}

static bool is_lockstep(void)
{
    AUTO_CLOSE int instructions = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, -1);
    AUTO_CLOSE int cycles =
        instructions < 0 ? -1
                         : open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, instructions);
    unsigned fits = (1u << LOCKSTEP_FACTORS) - 1;
    if (cycles < 0)
        return false;
    for (int window = 1; window <= WINDOWS && fits; window++) {
        if (ioctl(instructions, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) < 0 ||
            ioctl(instructions, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) < 0)
            return false;
        spin(window * window * 101);
        ioctl(instructions, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
        fits = lockstep_factors(fits, whole_count(instructions), whole_count(cycles));
    }
    return fits != 0;
}

static void attempt(struct perf_try *result)
{
    AUTO_CLOSE int fd = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, -1);
    result->dummy = fd < 0 ? -fd : 0;
    result->instructions = count_hardware(PERF_COUNT_HW_INSTRUCTIONS);
    result->cycles = count_hardware(PERF_COUNT_HW_CPU_CYCLES);
    result->lockstep = !result->cycles.error && is_lockstep();
}

static void report(int fd, int cpu)
{
    if (cpu >= 0 && cpu < CPU_SETSIZE) {
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET((size_t)cpu, &only);
        sched_setaffinity(0, sizeof(only), &only); /* refused: then wherever we are */
    }
    struct perf_try result;
    memset(&result, 0, sizeof(result));
    attempt(&result);
    /* smaller than a pipe's atomic write: it goes whole or not at all */
    _exit(write(fd, &result, sizeof(result)) == (ssize_t)sizeof(result) ? 0 : 1);
}

static int read_result(int fd, pid_t child, struct perf_try *result)
{
    ssize_t got;
    do {
        got = read(fd, result, sizeof(*result));
    } while (got < 0 && errno == EINTR);
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            break; /* somebody else reaps; what was read still holds */
    if (got == (ssize_t)sizeof(*result))
        return 0;
    memset(result, 0, sizeof(*result));
    result->killed = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return result->killed ? 0 : -EIO;
}

int perf_try(int cpu, struct perf_try *result)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    pid_t child = fork();
    if (child == 0)
        report(ends[1], cpu);
    int error = errno;
    close(ends[1]);
    int status = child < 0 ? -error : read_result(ends[0], child, result);
    close(ends[0]);
    return status;
}

/* ----------------------------------------------------------------------------------------------
 * What a validation depends on: the fields that make two machines differ for counting. Pure: facts
 * in, name or difference out. Only facts that every user of the machine can read belong here, or
 * root and others would store under different names. */

static const char *known(void *facts, const char *key)
{
    return facts_get(facts, key);
}

/* What counting showed is seen only by those who may count: it has no part. */
static const char *lasting(void *facts, const char *key)
{
    return strcmp(key, "emulated") == 0 && facts_get(facts, "perf.lockstep")
               ? machine_emulation(known, facts)
               : facts_get(facts, key);
}

const char *machine_field_value(const struct facts *facts, size_t place)
{
    return lasting((void *)(uintptr_t)facts, machine_fields[place].key);
}

void machine_fingerprint(const struct facts *facts, char fingerprint[17])
{
    machine_fields_name(lasting, (void *)(uintptr_t)facts, fingerprint);
}

size_t machine_difference(const struct facts *then, const struct facts *now, char *text,
                          size_t size)
{
    AUTO_TEXT struct text list = {0};
    size_t count = 0;
    for (size_t i = 0; i < MACHINE_FIELDS; i++) {
        const char *before = machine_field_value(then, i);
        const char *after = machine_field_value(now, i);
        if (before ? after && strcmp(before, after) == 0 : !after)
            continue;
        text_printf(&list, "%s%s %s -> %s", count++ ? ", " : "", machine_fields[i].label,
                    before ? before : "none", after ? after : "none");
    }
    if (size > 0)
        snprintf(text, size, "%s", text_string(&list));
    return count;
}

/* --- A machine in one line, for the head of every report. Pure. --- */

void machine_sentence(const struct facts *facts, struct text *line)
{
    const char *name = facts_get(facts, "cpu.model_name");
    const char *isa = facts_get(facts, "isa");
    long long count = facts_number(facts, "cpu.count", 0);
    long long kib = facts_number(facts, "memory.total_kib", 0);
    if (emulated_in_user_mode(facts))
        name = "CPU of qemu-user";
    text_puts(line, name ? name : "unnamed CPU");
    if (isa)
        text_printf(line, " (%s)", isa);
    if (count > 0)
        text_printf(line, ", %lld CPU%s", count, count == 1 ? "" : "s");
    if (kib > 0)
        text_printf(line, ", %.1f GiB", (double)kib / (1024.0 * 1024.0));
    const char *release = facts_get(facts, "kernel.release");
    const char *os = facts_get(facts, "os.name");
    if (release)
        text_printf(line, "; Linux %s", release);
    if (os)
        text_printf(line, ", %s", os);
    const char *id = facts_get(facts, "hypervisor");
    const char *container = facts_get(facts, "container");
    const struct hypervisor *below = hypervisor_find(id);
    const struct hypervisor *monitor = hypervisor_find(facts_get(facts, "hypervisor.monitor"));
    if (emulated_in_user_mode(facts)) /* what the host runs on is not what this program sees */
        id = NULL, monitor = NULL;
    if (id && strcmp(id, "none") != 0)
        text_printf(line, "; guest of %s", below ? below->name : "an unknown hypervisor");
    if (monitor)
        text_printf(line, " (%s)", monitor->name);
    if (id && strcmp(id, "none") == 0 && !facts_get(facts, "emulated"))
        text_puts(line, "; bare metal");
    if (facts_get(facts, "emulated"))
        text_puts(line, "; emulated");
    if (container && strcmp(container, "none") != 0)
        text_printf(line, ", in a container (%s)", container);
}

/* ----------------------------------------------------------------------------------------------
 * Gathers everything a machine says of itself: first who it is, then what each doctor check wants
 * to know. Runs on the machine under test; whatever cannot be read becomes a fact with an errno. */

void machine_describe(const struct machine_view *view, struct facts *facts)
{
    describe_cpu(view, facts);
    describe_system(view, facts);
    describe_hypervisor(view, facts);
    describe_emulation(view, facts);
    describe_container(view, facts);
    describe_caches(view, facts);
    describe_clock(view, facts);
}

void machine_collect(const struct machine_view *view, struct facts *facts)
{
    machine_describe(view, facts);
    for (const struct check *const *each = check_registry; *each; each++) {
        const struct check *check = *each;
        for (size_t i = 0; i < sizeof(check->files) / sizeof(check->files[0]); i++) {
            const struct check_file *file = &check->files[i];
            if (file->glob)
                view_distinct(view, facts, file->key, file->path, file->glob, file->file);
            else if (file->key)
                view_read(view, facts, file->key, file->path);
        }
        if (check->collect)
            check->collect(view, facts);
    }
}
