/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a doctor check is. `collect` runs on the machine under test (probe) and only gathers facts;
 * `judge` is pure and runs wherever the facts are (controller, tests, reports). They stand in
 * src/machine/checks, by subject, each registered by one line in the build list there.
 *
 * The folder asks a machine what it is and says what that means for counting:
 *   check.h, check.c            doctor checks, what they judge with, and the ways into the folder
 *   checks/                     the checks themselves
 *   describe.c                  the description of a machine, its sentence and its fingerprint;
 *                               whether perf_event_open counts, tried once in a child
 *   describe-cpu.c              what it says of the hardware: CPU, caches, counter of time
 *   describe-system.c           what it says of the system, and of what it runs in and on
 *   facts.h, facts.c            facts, their text, and where they are looked up: this machine, or a
 *                               recorded one
 *   passports.h, passports.c    what passports say of a machine that is described by facts */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "machine/facts.h"

enum check_status { CHECK_OK, CHECK_WARN, CHECK_BAD, CHECK_ABSENT };
extern const char *const check_status_names[]; /* ok warn bad absent */

struct advice {
    enum check_status status;
    char value[256]; /* what was found, short */
    char why[768];   /* why it matters for the accuracy of counts */
    char fix[512];   /* the command that changes it, or ""; may be several lines */
};

/* A file whose content becomes a fact. */
struct check_file {
    const char *key, *path;
    const char *glob, *file; /* not NULL: of every folder of that name in path, see view_distinct */
};

struct check {
    const char *name;  /* "paranoid": option and JSON name */
    const char *title; /* "perf_event_paranoid" */
    void (*collect)(const struct machine_view *view, struct facts *facts); /* NULL: files only */
    void (*judge)(const struct facts *facts, struct advice *advice);
    struct check_file files[2]; /* read before collect is called */
};

/* Generated from the build list; ends with NULL. */
extern const struct check *const check_registry[];

const struct check *check_find(const char *name);

/* Judges one check. Use this rather than check->judge: whatever bytes the facts held, the advice
 * is printable text. */
void check_judge(const struct check *check, const struct facts *facts, struct advice *advice);

/* What judges are written with. */
void advise(struct advice *advice, enum check_status status, const char *value, ...)
    __attribute__((format(printf, 3, 4)));
/* Both of them, as they are. */
void advise_plainly(struct advice *advice, enum check_status status, const char *value,
                    const char *why);
void advise_why(struct advice *advice, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void advise_fix(struct advice *advice, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- A machine as a whole --- */

/* CPU, kernel, hypervisor and so on: the description every result carries. */
void machine_describe(const struct machine_view *view, struct facts *facts);
/* machine_describe and every check's collect. */
void machine_collect(const struct machine_view *view, struct facts *facts);

/* "AMD EPYC (x86_64), 2 CPUs, 23.5 GiB; Linux 6.18.44, Debian 12; guest of KVM", appended to line
 * as the facts have it: show it cleaned. */
void machine_sentence(const struct facts *facts, struct text *line);

/* One of the fields that a validation depends on, by its place in machine_fields; NULL: not known.
 */
const char *machine_field_value(const struct facts *facts, size_t place);

/* 16 hexadecimal digits over CPU, microcode, kernel, hypervisor and ISA: what a validation depends
 * on. Two machines, or one before and after an update, differ in it. */
void machine_fingerprint(const struct facts *facts, char fingerprint[17]);

/* Which of the fields behind the fingerprint differ, as "kernel 6.1.0 -> 6.1.2, microcode 0x1 ->
 * 0x2" in text; returns how many. For saying why a validation is stale. */
size_t machine_difference(const struct facts *then, const struct facts *now, char *text,
                          size_t size);

/* ----------------------------------------------------------------------------------------------
 * What the collecting process was allowed to do: capabilities by the facts that the check
 * `privileges` gathers. Several judges ask, because root lifts most limits. Pure. */

/* Numbers of capabilities(7), the same on every ISA. */
enum privilege {
    PRIVILEGE_IPC_LOCK = 14,
    PRIVILEGE_SYS_PTRACE = 19,
    PRIVILEGE_SYS_ADMIN = 21,
    PRIVILEGE_PERFMON = 38,
};

/* Effective, and in the machine's own user namespace: capabilities of a container's private user
 * namespace mean nothing to perf. */
bool privilege_held(const struct facts *facts, enum privilege privilege);
/* May it count whatever paranoid says? */
bool privilege_perf(const struct facts *facts);

/* --- Which of the PMUs in sysfs are a CPU core's own --- */

#define PMU_FOLDER "/sys/bus/event_source/devices"

/* Is PMU_FOLDER/name a core PMU? Where it says which CPUs it covers, they are put into cpus
 * ("0-11"), else cpus is left empty: all of them. */
bool core_pmu(const struct machine_view *view, const char *name, struct text *cpus);

/* ----------------------------------------------------------------------------------------------
 * The parts of a machine's description, in the order they are gathered: later ones may look at the
 * facts of earlier ones. */

void describe_cpu(const struct machine_view *view, struct facts *facts);
void describe_system(const struct machine_view *view, struct facts *facts);
void describe_hypervisor(const struct machine_view *view, struct facts *facts);
void describe_emulation(const struct machine_view *view, struct facts *facts);
/* Do these facts come from a program under QEMU's user mode? Then what they say of CPU, hypervisor
 * and PMU is the host's. */
bool emulated_in_user_mode(const struct facts *facts);
/* Claims of the first CPU. */
void describe_caches(const struct machine_view *view, struct facts *facts);
/* Claims of the CPU's counter of time, and what is done to it. */
void describe_clock(const struct machine_view *view, struct facts *facts);
void describe_container(const struct machine_view *view, struct facts *facts);

/* ----------------------------------------------------------------------------------------------
 * The hypervisors we know: their names, and how each is made to offer a virtual PMU. How they are
 * recognised stands in lib/machine-words.h. */

struct hypervisor {
    const char *id;   /* value of the fact `hypervisor` or `hypervisor.monitor` */
    const char *name; /* for people */
    const char *vpmu; /* how to get a virtual PMU, a sentence */
    const char *fix;  /* the setting, to be made outside the guest; "" when there is none */
};

/* NULL for NULL and for unknown ids. */
const struct hypervisor *hypervisor_find(const char *id);

/* Tries perf_event_open(2) once for the doctor: is it allowed at all, and do the two counters that
 * every PMU has really count? Self-contained, so that the answer does not rest on the library that
 * is later judged by it. */

struct perf_count {
    int error; /* positive errno of opening or reading; 0: counted */
    uint64_t count;
    uint64_t enabled_ns, running_ns; /* running 0: opened, but never got a counter */
};

struct perf_try {
    int killed; /* signal that ended the attempt (SIGSYS: a filter that kills), else 0 */
    int dummy;  /* positive errno of opening a software event that needs no hardware */
    struct perf_count instructions,
        cycles; /* user mode, over a spin of a few 100 000 instructions */
    /* In windows of different lengths cycles were instructions, times the same power of two, to the
     * last: that is how an emulator makes them, and no CPU. */
    bool lockstep;
};

/* Of these powers of two (bit k: 2^k) the ones by which such cycles are such instructions. */
#define LOCKSTEP_FACTORS 8
unsigned lockstep_factors(unsigned factors, uint64_t instructions, uint64_t cycles);

/* cpu: where to run the attempt (a core the PMU covers), -1 for anywhere. 0, or negative errno when
 * not even the attempt could be made. */
int perf_try(int cpu, struct perf_try *result);
