/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor checks of the cores: their kinds, how fast they run, how deep they sleep, and the clock.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "machine/check.h"

/* ----------------------------------------------------------------------------------------------
 * Check `core-types`: are all cores of one kind? Each kind has a PMU of its own.
 * Facts: pmu.cpus ("cpu_core=0-11 cpu_atom=12-19"), cpu.capacities. */

static void collect_core_types(const struct machine_view *view, struct facts *facts)
{
    AUTO_NAMES struct view_names names;
    int error = view_names(view, PMU_FOLDER, "*", &names);
    AUTO_TEXT struct text covers = {0};
    AUTO_TEXT struct text cpus = {0};
    for (size_t i = 0; i < names.count; i++)
        if (core_pmu(view, names.list[i], &cpus))
            text_printf(&covers, "%s%s=%s", covers.length ? " " : "", names.list[i],
                        cpus.length ? text_string(&cpus) : "all");
    facts_set(facts, "pmu.cpus", covers.length ? text_string(&covers) : NULL,
              error ? -error : ENOENT);
    view_distinct(view, facts, "cpu.capacities", "/sys/devices/system/cpu", "cpu[0-9]*",
                  "cpu_capacity");
}

static void judge_core_types(const struct facts *facts, struct advice *advice)
{
    const char *covers = facts_get(facts, "pmu.cpus");
    const char *capacities = facts_get(facts, "cpu.capacities");
    bool several_pmus = covers && strchr(covers, ' ');
    bool several_speeds = capacities && strchr(capacities, ',');
    if (!covers && !capacities) {
        advise_plainly(advice, CHECK_ABSENT, "unknown",
                       "Neither a core PMU nor core capacities show.");
    } else if (several_pmus) {
        const char *fast = strstr(covers, "cpu_core=");
        const char *first = strchr(fast ? fast : covers, '=');
        advise(advice, CHECK_WARN, "%s", covers);
        advise_why(advice, "An event counts on the cores of its own PMU only: a process that moves "
                           "to the other kind loses counts without notice, and the same code costs "
                           "different cycles there. Stay on one kind.");
        if (first)
            advise_fix(advice, "taskset -c %.*s COMMAND", (int)strcspn(first + 1, " "), first + 1);
    } else if (several_speeds) {
        advise(advice, CHECK_WARN, "capacities %s", capacities);
        advise_why(advice, "Cores differ in speed: cycles and times depend on where a process "
                           "runs. Pin it to one of them with --cpu.");
        advise_fix(advice, "grep . /sys/devices/system/cpu/cpu*/cpu_capacity    # then taskset -c");
    } else {
        advise(advice, CHECK_OK, "one%s%s", covers ? ": " : "", covers ? covers : "");
        advise_why(advice, "All cores are alike, so it does not matter where a process runs.");
    }
}

const struct check check_core_types = {
    "core-types", "core types", collect_core_types, judge_core_types, {{0}}};

/* ----------------------------------------------------------------------------------------------
 * Check `governor`: does the clock frequency follow the load while we measure?
 * Facts: freq.governor, freq.driver. */

#define CPUS "/sys/devices/system/cpu"

static void judge_governor(const struct facts *facts, struct advice *advice)
{
    const char *governor = facts_get(facts, "freq.governor");
    const char *driver = facts_get(facts, "freq.driver");
    const char *hypervisor = facts_get(facts, "hypervisor");
    if (!governor) {
        bool guest = hypervisor && strcmp(hypervisor, "none") != 0;
        advise(advice, CHECK_ABSENT, "no frequency control");
        advise_why(advice, guest ? "The host sets the frequency and does not show it; times may "
                                   "drift with it, counts of instructions do not."
                                 : "The kernel does not control the frequency here; firmware may.");
        return;
    }
    const char *by = driver ? driver : "unknown driver";
    if (strcmp(governor, "performance") == 0 || strcmp(governor, "userspace") == 0) {
        advise(advice, CHECK_OK, "%s (%s)", governor, by);
        advise_why(advice, "The frequency does not follow the load, so times and cycles compare.");
        return;
    }
    advise(advice, CHECK_WARN, "%s (%s)", governor, by);
    advise_why(advice,
               "The frequency follows the load: early runs are slower in time, and cycles of code "
               "that waits for memory change from run to run. Instruction counts do not mind.");
    advise_fix(advice, "echo performance | sudo tee " CPUS "/cpu*/cpufreq/scaling_governor");
}

const struct check check_governor = {
    .name = "governor",
    .title = "frequency governor",
    .judge = judge_governor,
    .files = {{"freq.governor", CPUS, "cpu[0-9]*", "cpufreq/scaling_governor"},
              {"freq.driver", CPUS, "cpu[0-9]*", "cpufreq/scaling_driver"}},
};

/* ----------------------------------------------------------------------------------------------
 * Check `turbo`: may the CPU run faster while it is cool?
 * Facts: freq.no_turbo (intel_pstate), freq.boost (the others). */

#define NO_TURBO "/sys/devices/system/cpu/intel_pstate/no_turbo"
#define BOOST    "/sys/devices/system/cpu/cpufreq/boost"

static void judge_turbo(const struct facts *facts, struct advice *advice)
{
    long long no_turbo = facts_number(facts, "freq.no_turbo", -1);
    long long boost = facts_number(facts, "freq.boost", -1);
    if (no_turbo < 0 && boost < 0) {
        advise_plainly(advice, CHECK_ABSENT, "no setting",
                       "The kernel offers no switch for it here; if the CPU boosts, it is the "
                       "host's or the firmware's affair.");
    } else if (no_turbo >= 0 ? no_turbo != 0 : boost == 0) {
        advise_plainly(advice, CHECK_OK, "off",
                       "The CPU stays at or below its nominal frequency, so times repeat.");
    } else {
        advise_plainly(
            advice, CHECK_WARN, "on",
            "The frequency depends on heat and on how many cores are busy: the same cycles take "
            "different times from run to run. Counts of instructions do not change.");
        advise_fix(advice,
                   no_turbo >= 0 ? "echo 1 | sudo tee " NO_TURBO : "echo 0 | sudo tee " BOOST);
    }
}

const struct check check_turbo = {
    .name = "turbo",
    .title = "turbo and boost",
    .judge = judge_turbo,
    .files = {{.key = "freq.no_turbo", .path = NO_TURBO}, {.key = "freq.boost", .path = BOOST}},
};

/* ----------------------------------------------------------------------------------------------
 * Check `smt`: do two hardware threads share a core?
 * Facts: smt.active, smt.control. */

#define SMT_FOLDER "/sys/devices/system/cpu/smt"

static void judge_smt(const struct facts *facts, struct advice *advice)
{
    long long active = facts_number(facts, "smt.active", -1);
    const char *control = facts_get(facts, "smt.control");
    const char *hypervisor = facts_get(facts, "hypervisor");
    if (active < 0) {
        advise_plainly(advice, CHECK_ABSENT, "unknown",
                       "The kernel does not say whether threads share a core.");
    } else if (active == 0) {
        bool guest = hypervisor && strcmp(hypervisor, "none") != 0;
        advise(advice, CHECK_OK, "off%s%s%s", control ? " (" : "", control ? control : "",
               control ? ")" : "");
        advise_why(advice, guest ? "No two CPUs of this guest share a core as far as it is told; "
                                   "the host may still run somebody else on the sibling thread."
                                 : "Every CPU has its core to itself.");
    } else {
        advise_plainly(advice, CHECK_WARN, "on",
                       "A busy sibling thread takes half of the caches and of the issue slots, and "
                       "on some CPUs half of the counters: cycles and cache misses move with what "
                       "the neighbour does. Leave the sibling idle, or switch it off.");
        advise_fix(advice, "echo off | sudo tee " SMT_FOLDER "/control");
    }
}

const struct check check_smt = {
    .name = "smt",
    .title = "hardware threads (SMT)",
    .judge = judge_smt,
    .files = {{.key = "smt.active", .path = SMT_FOLDER "/active"},
              {.key = "smt.control", .path = SMT_FOLDER "/control"}},
};

/* ----------------------------------------------------------------------------------------------
 * Check `idle-states`: how deep do idle CPUs sleep, and how long do they take to wake?
 * Facts: idle.driver, idle.states ("POLL:0 C1:2 C6:133", latency in microseconds, enabled ones),
 * idle.deepest_us. */

#define STATES         "/sys/devices/system/cpu/cpu0/cpuidle"
#define SHALLOW_US     10 /* about what a context switch costs anyway */
#define SHALLOW_US_TXT "10"

/* One file of a state, as a word. */
static bool read_word(const struct machine_view *view, const char *state, const char *file,
                      struct text *word)
{
    AUTO_FREE char *path = NULL;
    if (asprintf(&path, STATES "/%s/%s", state, file) < 0) {
        path = NULL;
        return false;
    }
    if (view_text(view, path, word) < 0 || word->length == 0)
        return false;
    word->bytes[strcspn(word->bytes, "\n")] = '\0';
    return true;
}

static void collect_idle_states(const struct machine_view *view, struct facts *facts)
{
    view_read(view, facts, "idle.driver", "/sys/devices/system/cpu/cpuidle/current_driver");
    AUTO_NAMES struct view_names names;
    int error = view_names(view, STATES, "state[0-9]*", &names);
    AUTO_TEXT struct text list = {0};
    AUTO_TEXT struct text word = {0};
    long deepest = -1;
    for (size_t i = 0; i < names.count; i++) {
        if (read_word(view, names.list[i], "disable", &word) && strcmp(word.bytes, "0") != 0)
            continue;
        long latency =
            read_word(view, names.list[i], "latency", &word) ? strtol(word.bytes, NULL, 10) : 0;
        if (read_word(view, names.list[i], "name", &word))
            text_printf(&list, "%s%s:%ld", list.length ? " " : "", word.bytes, latency);
        deepest = latency > deepest ? latency : deepest;
    }
    facts_set(facts, "idle.states", list.length ? text_string(&list) : NULL,
              error ? -error : ENOENT);
    if (deepest >= 0)
        facts_setf(facts, "idle.deepest_us", "%ld", deepest);
    else
        facts_set(facts, "idle.deepest_us", NULL, error ? -error : ENOENT);
}

static void judge_idle_states(const struct facts *facts, struct advice *advice)
{
    const char *driver = facts_get(facts, "idle.driver");
    const char *states = facts_get(facts, "idle.states");
    long long deepest = facts_number(facts, "idle.deepest_us", -1);
    if (!driver) {
        advise_plainly(advice, CHECK_ABSENT, "no cpuidle",
                       "The kernel does not choose idle states here.");
    } else if (strcmp(driver, "haltpoll") == 0) {
        advise(advice, CHECK_OK, "%s", driver);
        advise_why(advice, "This guest may poll a while before it gives the CPU back; how deep the "
                           "CPU then sleeps is the host's choice and does not show.");
    } else if (strcmp(driver, "none") == 0 || deepest < 0) {
        advise(advice, CHECK_OK, "%s", driver);
        advise_why(advice, "The kernel uses no idle states deeper than a plain halt.");
    } else if (deepest <= SHALLOW_US) {
        advise(advice, CHECK_OK, "%s, at most %lld us to wake", driver, deepest);
        advise_why(advice, "Idle CPUs wake about as fast as a context switch takes (%s).", states);
    } else {
        advise(advice, CHECK_WARN, "%s, up to %lld us to wake", driver, deepest);
        advise_why(advice,
                   "A process that sleeps or waits finds its CPU up to %lld us away, with caches "
                   "flushed and the clock lowered (%s): times and cache misses of short waits "
                   "vary. Busy loops do not mind.",
                   deepest, states ? states : "states unknown");
        advise_fix(advice, "sudo cpupower idle-set --disable-by-latency " SHALLOW_US_TXT);
    }
}

const struct check check_idle_states = {
    "idle-states", "idle states", collect_idle_states, judge_idle_states, {{0}}};

/* ----------------------------------------------------------------------------------------------
 * Check `clocksource`: what the kernel keeps time with. A slow clock costs more than what is timed.
 * And whether programs may read it at all. Facts: clock.current, clock.available, clock.ticks. */

#define CLOCK_FOLDER "/sys/devices/system/clocksource/clocksource0"

static const char *const counters[] = {/* read by one instruction, in user mode */
                                       "tsc", "arch_sys_counter", "riscv_clocksource", "timebase",
                                       "tod", "stable_counter",   "Constant"};
static const char *const shared[] = {/* of the host, read through a page it keeps up to date */
                                     "kvm-clock", "hyperv_clocksource_tsc_page"};

static bool one_of(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

static void judge_clocksource(const struct facts *facts, struct advice *advice)
{
    const char *current = facts_get(facts, "clock.current");
    const char *ticks = facts_get(facts, "clock.ticks");
    if (ticks && strcmp(ticks, "forbidden") == 0) {
        /* Whatever the clock is worth, who started us took it away. */
        advise(advice, CHECK_BAD, "%s; forbidden to programs", current ? current : "unknown");
        advise_why(advice, "Whoever started the probe forbade it to read the CPU's counter of time "
                           "(PR_SET_TSC). Reading it, or a clock of the vDSO, ends a program with "
                           "SIGSEGV, and programs that are linked dynamically die before they "
                           "begin. The probe does without: it reads clocks by system calls, which "
                           "take several times as long, and leaves out whatever counts ticks.");
        advise_fix(advice, "start it from where nobody called prctl(PR_SET_TSC, PR_TSC_SIGSEGV), "
                           "which all children inherit");
        return;
    }
    if (!current) {
        advise_plainly(advice, CHECK_ABSENT, "unknown",
                       "The kernel does not say what it keeps time with.");
        return;
    }
    if (one_of(current, counters, sizeof(counters) / sizeof(counters[0]))) {
        advise(advice, CHECK_OK, "%s", current);
        advise_why(advice, "Time is read with one instruction in user mode: clocks cost little.");
        return;
    }
    bool from_host = one_of(current, shared, sizeof(shared) / sizeof(shared[0]));
    const char *available = facts_get(facts, "clock.available");
    bool better = available && strstr(available, "tsc") && !strstr(available, "tsc_page");
    advise(advice,
           from_host && !better ? CHECK_OK
           : from_host          ? CHECK_WARN
                                : CHECK_BAD,
           "%s", current);
    advise_why(advice,
               from_host ? "The host's clock is read through a shared page: cheap, but scaled and "
                           "stepped by the host, so it is not the counter that rdtsc gives.%s"
                         : "Reading the time takes a system call or a slow device access, "
                           "thousands of cycles that land inside whatever is timed.%s",
               better      ? " A plain TSC is available."
               : from_host ? ""
                           : " The kernel does not trust the TSC here; its boot log says why.");
    if (better)
        advise_fix(advice, "echo tsc | sudo tee " CLOCK_FOLDER "/current_clocksource");
    else if (!from_host)
        advise_fix(advice, "sudo dmesg | grep -iE 'tsc|clocksource'");
}

const struct check check_clocksource = {
    .name = "clocksource",
    .title = "clock source",
    .judge = judge_clocksource,
    .files = {{.key = "clock.current", .path = CLOCK_FOLDER "/current_clocksource"},
              {.key = "clock.available", .path = CLOCK_FOLDER "/available_clocksource"}},
};

/* Doctor checks of whoever else is on the CPU: below us, beside us and among us. */

/* ----------------------------------------------------------------------------------------------
 * Check `virtualization`: does somebody stand between us and the CPU?
 * Judges the description's facts hypervisor, hypervisor.monitor, emulated and container. */

static void judge_virtualization(const struct facts *facts, struct advice *advice)
{
    const char *id = facts_get(facts, "hypervisor");
    const char *emulated = facts_get(facts, "emulated");
    const char *container = facts_get(facts, "container");
    if (emulated) {
        advise(advice, CHECK_BAD, "emulated: %s", emulated);
        advise_why(advice, "A program interprets every instruction: counts of instructions can be "
                           "exact, but cycles, times and cache events describe the emulator, not "
                           "any CPU. Results are marked so; nothing here changes that.");
    } else if (!id) {
        advise_plainly(advice, CHECK_ABSENT, "unknown",
                       "Nothing on this machine tells whether a hypervisor runs below.");
    } else if (strcmp(id, "none") != 0) {
        const struct hypervisor *known = hypervisor_find(id);
        const struct hypervisor *monitor = hypervisor_find(facts_get(facts, "hypervisor.monitor"));
        advise(advice, CHECK_WARN, "guest of %s%s%s", known ? known->name : "an unknown hypervisor",
               monitor ? ", " : "", monitor ? monitor->name : "");
        advise_why(advice, "Interrupts, page-table work and instructions such as cpuid leave the "
                           "guest; that time and its cache traffic land in your windows unseen, "
                           "and counters, where offered, are saved and restored around it. Repeat "
                           "runs and trust the smallest. Only bare metal removes this.");
    } else if (container && strcmp(container, "none") != 0) {
        advise(advice, CHECK_OK, "bare metal, in a container (%s)", container);
        advise_why(advice, "No hypervisor shows. A container adds nothing to a count, but shares "
                           "its CPUs and may be refused events.");
    } else {
        advise_plainly(advice, CHECK_OK, "bare metal",
                       "No hypervisor shows: nobody takes the CPU away behind the kernel's back.");
    }
}

const struct check check_virtualization = {
    .name = "virtualization",
    .title = "virtualization",
    .collect = NULL, /* machine_describe has gathered what is judged here */
    .judge = judge_virtualization,
};

/* ----------------------------------------------------------------------------------------------
 * Check `steal`: how often did the CPU belong to somebody else when we wanted it?
 * Facts: steal.ticks, steal.wanted_ticks (busy and stolen), since boot. */

/* Shares of the time we wanted to run. */
#define WARN_SHARE 0.005
#define BAD_SHARE  0.05

static void collect_steal(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text stat = {0};
    int error = view_text(view, "/proc/stat", &stat);
    unsigned long long user, nice, system, irq, softirq, steal;
    if (!error && sscanf(text_string(&stat), "cpu %llu %llu %llu %*u %*u %llu %llu %llu", &user,
                         &nice, &system, &irq, &softirq, &steal) == 6) {
        facts_setf(facts, "steal.ticks", "%llu", steal);
        facts_setf(facts, "steal.wanted_ticks", "%llu",
                   user + nice + system + irq + softirq + steal);
    } else {
        facts_set(facts, "steal.ticks", NULL, error ? -error : EINVAL);
        facts_set(facts, "steal.wanted_ticks", NULL, error ? -error : EINVAL);
    }
}

static void judge_steal(const struct facts *facts, struct advice *advice)
{
    long long ticks = facts_number(facts, "steal.ticks", -1);
    long long wanted = facts_number(facts, "steal.wanted_ticks", -1);
    if (ticks < 0 || wanted < ticks) {
        advise_plainly(advice, CHECK_ABSENT, "unknown",
                       "The kernel does not account for stolen time.");
        return;
    }
    double share = wanted > 0 ? (double)ticks / (double)wanted : 0.0;
    enum check_status status = share < WARN_SHARE  ? CHECK_OK
                               : share < BAD_SHARE ? CHECK_WARN
                                                   : CHECK_BAD;
    advise(advice, status, "%.1f %% of the time wanted", 100.0 * share);
    if (status == CHECK_OK)
        advise_why(
            advice,
            "Since boot the host took next to nothing of the time this machine wanted to run.");
    else
        advise_why(advice,
                   "Since boot, %.1f %% of the time this machine wanted to run went to others on "
                   "the same host: windows hit by that are longer and find colder caches. Many "
                   "short runs and their smallest value suffer least; only a dedicated host or "
                   "pinned CPUs, asked of whoever runs the host, remove it.",
                   100.0 * share);
}

const struct check check_steal = {"steal", "stolen time", collect_steal, judge_steal, {{0}}};

/* ----------------------------------------------------------------------------------------------
 * Check `load`: is the machine busy with something else?
 * Facts: load.average (one minute), cpu.isolated. */

/* Runnable processes for each CPU. */
#define WARN_LOAD 0.3
#define BAD_LOAD  1.0

static void collect_load(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text average = {0};
    int error = view_text(view, "/proc/loadavg", &average);
    char minute[32];
    if (!error && sscanf(text_string(&average), "%31s", minute) == 1)
        facts_set(facts, "load.average", minute, 0);
    else
        facts_set(facts, "load.average", NULL, error ? -error : EINVAL);
    view_read(view, facts, "cpu.isolated", "/sys/devices/system/cpu/isolated");
}

static void judge_load(const struct facts *facts, struct advice *advice)
{
    const char *average = facts_get(facts, "load.average");
    const char *isolated = facts_get(facts, "cpu.isolated");
    long long cpus = facts_number(facts, "cpu.count", 0);
    char *end = NULL;
    double load = average ? strtod(average, &end) : -1.0;
    if (!average || end == average || !(load >= 0.0) || cpus < 1) {
        advise_plainly(advice, CHECK_ABSENT, "unknown", "The kernel does not say how busy it is.");
        return;
    }
    double each = load / (double)cpus;
    enum check_status status = each < WARN_LOAD  ? CHECK_OK
                               : each < BAD_LOAD ? CHECK_WARN
                                                 : CHECK_BAD;
    bool kept = isolated && isolated[0] && strcmp(isolated, "(null)") != 0;
    advise(advice, status, "%.2f on %lld CPU%s%s%s", load, cpus, cpus == 1 ? "" : "s",
           kept ? ", isolated: " : "", kept ? isolated : "");
    if (status == CHECK_OK) {
        advise_why(advice, "Hardly anybody else wants the CPUs.%s",
                   kept ? " The isolated ones are the quietest: pin there with --cpu." : "");
        return;
    }
    advise_why(advice,
               "On average %.2f processes wanted to run over the last minute: measured ones are "
               "switched out, migrate and find their caches used by others.%s",
               load,
               kept ? " Pin to an isolated CPU with --cpu." : " See who it is, and wait or pin.");
    advise_fix(advice, "ps -eo pid,pcpu,comm --sort=-pcpu | head");
}

const struct check check_load = {"load", "other load", collect_load, judge_load, {{0}}};
