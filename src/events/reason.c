/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Why perf_event_open refused, in words: what happened, why, and what to do next. An errno alone
 * says little, because the operating system uses the same few for many causes; together with the
 * machine's situation it is nearly always unambiguous. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/capability.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "events/form.h"

/* ----------------------------------------------------------------------------------------------
 * What on this machine can stand between a program and its counters: paranoid level, PMUs,
 * hypervisor, seccomp, capabilities, containers. Only reads files below the view, so that recorded
 * machines explain themselves too. */

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* since Linux 5.8 */
#endif

#define PARANOID_UNKNOWN (-1000)

struct situation {
    int paranoid;           /* PARANOID_UNKNOWN when it cannot be read */
    bool core_pmu;          /* sysfs shows a PMU of the CPU's cores */
    bool pmus_listed;       /* sysfs lists PMUs at all, so that a missing one means something */
    bool virtual;           /* runs under a hypervisor */
    const char *hypervisor; /* its name, or NULL when it does not say */
    const char *turn_on;    /* how that hypervisor gives a guest its PMU */
    bool has_none;          /* it has none to give, and turn_on says so */
    bool seccomp;           /* a filter decides over our system calls */
    bool capable;           /* CAP_PERFMON or CAP_SYS_ADMIN, and they mean something */
    bool namespaced;        /* in a user namespace of its own, whose capabilities perf ignores */
    bool container;
    bool lab; /* booted by assay lab for one command: what is typed there is lost with it */
};

static const char kvm_switch[] = "start the VM with the host's PMU (QEMU: -cpu host,pmu=on; "
                                 "libvirt: cpu mode host-passthrough and <pmu state='on'/>)";

static const char hyper_v_switch[] =
    "shut the VM down and run Set-VMProcessor NAME -Perfmon @(\"pmu\") on the host";

/* What firmware or the hypervisor calls itself, and where it keeps the switch. */
static const struct {
    const char *sign, *name, *turn_on;
    bool also_metal; /* the same words stand in real machines */
} hypervisors[] = {
    {"VMware", "VMware", "set vpmc.enable = \"TRUE\" (\"virtualized CPU performance counters\")",
     false},
    {"Microsoft Corporation", "Hyper-V", hyper_v_switch, true},
    {"Xen", "Xen", "boot Xen with vpmu=on", false},
    {"xen", "Xen", "boot Xen with vpmu=on", false},
    {"Amazon EC2", "Amazon EC2", "take a metal instance, or one that owns a whole socket", true},
    {"Google", "Google Compute Engine",
     "take a machine type that offers --performance-monitoring-unit, or a bare-metal one", true},
    {"innotek", "VirtualBox", "VirtualBox offers no PMU to guests: use another hypervisor", false},
    {"Parallels", "Parallels", "turn on PMU virtualization in the VM's processor settings", false},
    {"QEMU", "QEMU/KVM", kvm_switch, false},
    {"KVM", "KVM", kvm_switch, false},
    {"Red Hat", "KVM", kvm_switch, true},
    {"OpenStack", "KVM (OpenStack)", "use a flavor with hw:pmu=true", false},
    {"Virtual Machine", "Hyper-V", hyper_v_switch, false}, /* behind the others' of that name */
};

static void name_hypervisor(const struct event_view *view, struct situation *situation)
{
    static const char *const files[] = {"/sys/hypervisor/type", "/sys/class/dmi/id/product_name",
                                        "/sys/class/dmi/id/sys_vendor"};
    for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
        char text[128];
        if (view_read_text(view, text, sizeof(text), "%s", files[f]) < 0)
            continue;
        for (size_t h = 0; h < sizeof(hypervisors) / sizeof(hypervisors[0]); h++) {
            if (!strstr(text, hypervisors[h].sign))
                continue;
            if (hypervisors[h].also_metal && !situation->virtual)
                return;
            situation->hypervisor = hypervisors[h].name;
            situation->turn_on = hypervisors[h].turn_on;
            return;
        }
    }
}

/* Firecracker has no DMI; its firmware tables name their maker in bytes 10 to 15. Root only. */
static void recognise_firecracker(const struct event_view *view, struct situation *situation)
{
    static const char maker[] = "FIRECK";
    char table[64] = "";
    view_read_text(view, table, sizeof(table), "/sys/firmware/acpi/tables/DSDT");
    if (memcmp(table + 10, maker, strlen(maker)) != 0)
        return;
    situation->hypervisor = "Firecracker";
    situation->turn_on = FIRECRACKER_COUNTERS;
    situation->has_none = true;
}

/* The board that exists in no hardware: QEMU's virt and those that took its name. */
static bool is_virtual_board(const struct event_view *view)
{
    char board[64];
    return view_read_text(view, board, sizeof(board), "/proc/device-tree/compatible") == 0 &&
           strstr(board, "linux,dummy-virt");
}

/* The word "hypervisor" among the CPU's flags is how x86 guests are told; Arm guests are told by
 * the device tree or, by name only, by the firmware. */
static bool is_virtual(const struct event_view *view)
{
    const size_t size = 16384; /* the first CPU's paragraph is enough */
    AUTO_FREE char *text = malloc(size);
    if (text && view_read_text(view, text, size, "/proc/cpuinfo") == 0 &&
        strstr(text, " hypervisor"))
        return true;
    return view_exists(view, "/proc/device-tree/hypervisor") ||
           view_exists(view, "/sys/hypervisor/type") || is_virtual_board(view);
}

static int look_for_core_pmu(void *context, const char *pmu)
{
    return pmu_is_core(context, pmu) ? 1 : 0;
}

/* The value behind "Key:" in /proc/self/status, in the given base. */
static unsigned long long status_value(const char *status, const char *key, int base)
{
    const char *line = strstr(status, key);
    return line ? strtoull(line + strlen(key), NULL, base) : 0;
}

/* 1 when any namespace that containers make is not the machine's own, 0 when none is, -1 when
 * nothing tells. Machines are made from images of containers and keep their marker files. */
static int in_own_namespace(const struct event_view *view)
{
    /* The kernel gives the first of each kind a fixed number (include/linux/proc_ns.h). */
    static const char *const first[] = {"pid:[4026531836]", "cgroup:[4026531835]",
                                        "user:[4026531837]"};
    int own = -1;
    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]) && own != 1; i++) {
        char path[PATH_MAX], target[64] = "";
        snprintf(path, sizeof(path), "%s/proc/self/ns/%.*s", view->root ? view->root : "",
                 (int)strcspn(first[i], ":"), first[i]);
        if (readlink(path, target, sizeof(target) - 1) > 0)
            own = strcmp(target, first[i]) != 0;
    }
    return own;
}

/* The lab's machines name themselves, as src/lab/machine.c writes it. */
static bool is_lab(const struct event_view *view)
{
    char text[256];
    return view_read_text(view, text, sizeof(text), "/etc/os-release") == 0 &&
           (strncmp(text, "ID=assay-lab\n", 13) == 0 || strstr(text, "\nID=assay-lab\n"));
}

static void situation_collect(const struct event_view *view, struct situation *situation)
{
    char text[64];
    *situation = (struct situation){.paranoid = PARANOID_UNKNOWN};
    if (view_read_text(view, text, sizeof(text), "/proc/sys/kernel/perf_event_paranoid") == 0)
        situation->paranoid = atoi(text);
    situation->core_pmu =
        view_each_entry(view, PMU_FOLDER, look_for_core_pmu, (void *)(uintptr_t)view) == 1;
    situation->pmus_listed = view_exists(view, PMU_FOLDER "/software");
    situation->virtual = is_virtual(view);
    situation->lab = is_lab(view);
    if (view->vpmu && !situation->lab) {
        /* "its monitor ..." has no name of its own. */
        situation->hypervisor = islower((unsigned char)*view->vpmu) ? NULL : view->hypervisor;
        situation->virtual = true;
    } else {
        name_hypervisor(view, situation);
        if (!situation->hypervisor)
            recognise_firecracker(view, situation);
    }
    if (!situation->turn_on && is_virtual_board(view))
        situation->turn_on = "start it with a PMU (QEMU: no pmu=off behind -cpu, and for an "
                             "emulated CPU -icount shift=0; assay's lab: without pmu=off)";
    char status[4096];
    if (view_read_text(view, status, sizeof(status), "/proc/self/status") >= 0) {
        situation->seccomp = status_value(status, "\nSeccomp:", 10) != 0;
        unsigned long long effective = status_value(status, "\nCapEff:", 16);
        /* The first user namespace maps every number to itself. */
        char map[64];
        unsigned long inside, outside, count;
        situation->namespaced = view_read_text(view, map, sizeof(map), "/proc/self/uid_map") == 0 &&
                                !(sscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3 &&
                                  inside == 0 && outside == 0 && count >= UINT32_MAX);
        situation->capable = !situation->namespaced &&
                             (effective >> CAP_PERFMON & 1 || effective >> CAP_SYS_ADMIN & 1);
    }
    const int own = in_own_namespace(view);
    situation->container = own < 0 ? view_exists(view, "/.dockerenv") ||
                                         view_exists(view, "/run/.containerenv") ||
                                         view_exists(view, "/run/systemd/container")
                                   : own;
}

/* --- From an errno and the situation to words --- */

struct refusal {
    const struct event_view *view;
    const struct event *event;
    int error;
    struct situation now;
};

static const char *grant(const struct refusal *refusal)
{
    if (refusal->now.lab)
        return "leave user=nobody out there";
    return refusal->now.namespaced ? "run as the host's own root (root of a user namespace, as in "
                                     "a rootless container, is an ordinary user here)"
                                   : "`sudo setcap cap_perfmon=ep PROGRAM`, or run as root";
}

/* How to lower the paranoid level. A machine of the lab is booted anew for every command. */
static void say_lower(struct text *text, const struct refusal *refusal, int level)
{
    if (refusal->now.lab)
        text_printf(text,
                    "boot it with paranoid=%d, as in --via lab:aarch64,paranoid=%d,user=nobody",
                    level, level);
    else
        text_printf(text, "`sudo sysctl kernel.perf_event_paranoid=%d`", level);
}

static bool needs_core_pmu(const struct event *event)
{
    return event->kind == EVENT_HARDWARE || event->kind == EVENT_CACHE ||
           event->kind == EVENT_RAW || event->kind == EVENT_PFM;
}

/* Would ":u" open? PMUs outside the cores refuse every filter. */
static bool takes_modes(const struct refusal *refusal)
{
    const struct event *event = refusal->event;
    char pmu[EVENT_NAME_MAX + 1] = "";
    if (event->kind != EVENT_PMU || event->attr.type <= PERF_TYPE_BREAKPOINT ||
        !strchr(event->name, '/')) /* only a core PMU's alias goes without slashes */
        return true;
    snprintf(pmu, sizeof(pmu), "%.*s", (int)strcspn(event->name, "/"), event->name);
    return pmu_is_core(refusal->view, pmu);
}

/* Does it happen inside the kernel? Then ":u" would open, and nearly always read zero. A system
 * call's own tracepoint is the exception: it takes the caller's mode for its own. */
static bool happens_in_kernel(const struct event *event)
{
    const struct perf_event_attr *attr = &event->attr;
    if (attr->type == PERF_TYPE_SOFTWARE)
        return attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
               attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
               attr->config == 11 /* PERF_COUNT_SW_CGROUP_SWITCHES, since 5.13 */;
    return event->kind == EVENT_TRACEPOINT && strncmp(event->name, "syscalls:", 9) != 0;
}

static bool filters_modes(const struct perf_event_attr *attr)
{
    return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv || attr->exclude_idle ||
           attr->exclude_guest || attr->exclude_host;
}

/* As doctor says it: the sentence without its dot, and each setting. */
static void put_offer(struct text *text, const struct event_view *view)
{
    const char *words = view->vpmu;
    text_printf(text, "%c%.*s", toupper((unsigned char)*words), (int)strlen(words + 1) - 1,
                words + 1);
    for (const char *at = view->vpmu_fix ? view->vpmu_fix : "", *joint = ". To change that: "; *at;
         joint = "; or ") {
        const int length = (int)strcspn(at, "\n");
        text_printf(text, "%s%.*s", joint, length, at);
        at += length + (at[length] == '\n');
    }
}

static void say_no_pmu(struct text *text, const struct refusal *refusal)
{
    const struct situation *now = &refusal->now;
    if (now->virtual || now->hypervisor) {
        text_printf(text,
                    "the CPU's counters are not visible: this is a virtual machine%s%s whose "
                    "hypervisor does not pass a PMU on. ",
                    now->hypervisor ? " on " : "", now->hypervisor ? now->hypervisor : "");
        if (refusal->view->vpmu && !now->lab)
            put_offer(text, refusal->view);
        else if (now->turn_on)
            text_printf(text, "%s%s", now->has_none ? "" : "To change that: ", now->turn_on);
        else
            text_puts(text,
                      "Turn it on there if it has one to offer (QEMU/KVM: -cpu host,pmu=on; "
                      "VMware: vpmc.enable; Firecracker has none; cloud: a bare-metal instance)");
    } else {
        text_puts(text, "the operating system has no driver for this CPU's PMU, or it is switched "
                        "off: look for \"Performance Events\" in dmesg, load the PMU's module, and "
                        "check that the firmware has not disabled it");
    }
    text_puts(text, ". Software events, tracepoints and breakpoints work without a PMU");
}

static void say_not_found(struct text *text, const struct refusal *refusal)
{
    if (needs_core_pmu(refusal->event) && !refusal->now.core_pmu)
        say_no_pmu(text, refusal);
    else if (needs_core_pmu(refusal->event))
        text_puts(text, "this CPU's PMU has no such event");
    else if (refusal->event->kind == EVENT_UPROBE)
        text_puts(text, "the file or the place in it is not there any more");
    else
        text_puts(text, "the operating system does not know this event (built without it, or the "
                        "tracepoint's number is not in use)");
}

static void say_filtered(struct text *text, const struct refusal *refusal)
{
    const struct situation *now = &refusal->now;
    /* Where the operating system never heard of it, no filter hides it. */
    const bool filtered =
        now->seccomp && !(refusal->error == ENOSYS && now->paranoid == PARANOID_UNKNOWN);
    text_printf(text, "the system call perf_event_open is not allowed at all: %s",
                event_forbidden_words(refusal->error, filtered, now->container));
    if (refusal->error != ENOSYS && !filtered)
        text_printf(text, ": %s", grant(refusal));
}

static void say_not_permitted(struct text *text, const struct refusal *refusal)
{
    if (refusal->event->kind == EVENT_BREAKPOINT && !refusal->now.seccomp)
        text_puts(text, "a breakpoint on an address of the kernel needs root: give an address of "
                        "your own process, or run as root");
    else
        say_filtered(text, refusal);
}

/* perf_event_paranoid: 2 keeps the kernel's share from users, 1 allows it, and some distributions
 * know 3 and 4, which refuse everything. */
/* The permission is looked at before the PMU is: what is not there is denied first. */
static void say_denied(struct text *text, const struct refusal *refusal)
{
    const struct situation *now = &refusal->now;
    const struct event *event = refusal->event;
    if (needs_core_pmu(event) && !now->core_pmu && now->pmus_listed) {
        say_no_pmu(text, refusal);
        if (now->paranoid != PARANOID_UNKNOWN)
            text_printf(text,
                        ". (kernel.perf_event_paranoid is %d, which would refuse this event to "
                        "ordinary users even then)",
                        now->paranoid);
    } else if (event->kind == EVENT_UPROBE) {
        text_printf(text, "uprobes need CAP_PERFMON whatever the paranoid level is: %s",
                    grant(refusal));
    } else if (now->capable && now->seccomp) {
        say_filtered(text, refusal);
    } else if (now->capable) {
        text_puts(text, "a security module (SELinux, AppArmor, lockdown) forbids it although the "
                        "capability is there: see the audit log");
    } else if (now->paranoid > 2) {
        text_printf(
            text, "kernel.perf_event_paranoid is %d, which refuses every event to ordinary users: ",
            now->paranoid);
        say_lower(text, refusal, 2);
        text_printf(text, " (1 to count the kernel too), or %s", grant(refusal));
    } else if (now->paranoid == 2 && !event->attr.exclude_kernel) {
        text_printf(
            text,
            "kernel.perf_event_paranoid is 2, which hides what happens inside the kernel from "
            "ordinary users: %s",
            happens_in_kernel(event) || !takes_modes(refusal) ? "" : "count user mode only (:u), ");
        say_lower(text, refusal, 1);
        text_printf(
            text, ", or %s%s", grant(refusal),
            happens_in_kernel(event)
                ? ". Counted for user mode alone it would read zero: it happens in the kernel"
                : "");
    } else {
        char level[16] = "unknown";
        if (now->paranoid != PARANOID_UNKNOWN)
            snprintf(level, sizeof(level), "%d", now->paranoid);
        text_printf(
            text,
            "this event is not for ordinary users (kernel.perf_event_paranoid is %s): ", level);
        say_lower(text, refusal, -1);
        text_printf(text, ", or %s", grant(refusal));
    }
}

static void say_invalid(struct text *text, const struct refusal *refusal)
{
    const struct event *event = refusal->event;
    const struct perf_event_attr *attr = &event->attr;
    if (event->kind == EVENT_BREAKPOINT)
        text_printf(text,
                    "the CPU cannot watch this place: the address must be a multiple of the "
                    "length, the length 1, 2, 4 or 8%s; x86 cannot count reads alone (use rw)",
                    attr->bp_type == 4 /* HW_BREAKPOINT_X */ ? " (for execution leave it out)"
                                                             : "");
    else if (event->kind == EVENT_PMU && filters_modes(attr) && !takes_modes(refusal))
        text_puts(text, "this PMU cannot tell processor modes apart and refuses the filter: leave "
                        "the modifiers out; the count then covers everything");
    else if (event->kind == EVENT_UPROBE)
        text_puts(text, "no probe can stand there: it must be the first byte of an instruction in "
                        "executable code of a file that can be mapped");
    else if (event->kind == EVENT_TRACEPOINT)
        text_puts(text, "the tracepoint is not there any more, or takes no counter");
    else if (event->kind == EVENT_PMU)
        text_puts(text,
                  "the PMU does not accept this combination of fields for a thread's counter "
                  "(uncore PMUs count whole CPUs only): compare the PMU's format folder in sysfs");
    else
        text_puts(text, "the PMU does not accept this event with these modifiers: try it without "
                        "modifiers; a raw code may have reserved bits set");
}

static void say_no_room(struct text *text, const struct refusal *refusal)
{
    if (refusal->event->kind == EVENT_BREAKPOINT)
        text_puts(text, "all of the CPU's breakpoint registers are in use (x86 has 4): close a "
                        "debugger or other breakpoint events, or count fewer places at once");
    else
        text_puts(text, "there is no counter left for it: count fewer events at once");
}

static void say_busy(struct text *text, const struct refusal *refusal)
{
    char watchdog[16] = "";
    view_read_text(refusal->view, watchdog, sizeof(watchdog), "/proc/sys/kernel/nmi_watchdog");
    text_printf(text, "something else holds the PMU for itself (another profiler, a hypervisor%s",
                atoi(watchdog) > 0 ? ", or the NMI watchdog, which is on): end it, or `sudo sysctl "
                                     "kernel.nmi_watchdog=0`"
                                   : "): end it");
}

static void say_too_many_files(struct text *text, const struct refusal *refusal)
{
    text_printf(text, "%s: raise the limit with `ulimit -n`, or count fewer events at once",
                refusal->error == EMFILE ? "this process has no file descriptor left"
                                         : "the system has no file descriptor left");
}

static void say_no_device(struct text *text, const struct refusal *refusal)
{
    if (needs_core_pmu(refusal->event) && !refusal->now.core_pmu)
        say_no_pmu(text, refusal);
    else
        text_puts(
            text,
            "the PMU is not there on this CPU (taken offline, or a feature this model lacks)");
}

static void say_unsupported(struct text *text, const struct refusal *refusal)
{
    if (needs_core_pmu(refusal->event) && !refusal->now.core_pmu)
        say_no_pmu(text, refusal);
    else
        text_puts(text, "the PMU cannot do what the event asks for (modes, precision or "
                        "interrupts): try it without modifiers");
}

static void say_too_new(struct text *text, const struct refusal *refusal)
{
    (void)refusal;
    text_puts(text, "the event needs a newer operating system than this one");
}

static void say_no_memory(struct text *text, const struct refusal *refusal)
{
    (void)refusal;
    text_puts(text, "the operating system has no memory left for it");
}

static const struct {
    int error;
    void (*say)(struct text *text, const struct refusal *refusal);
} sayings[] = {
    {ENOENT, say_not_found}, {EACCES, say_denied},         {EPERM, say_not_permitted},
    {ENOSYS, say_filtered},  {EINVAL, say_invalid},        {ENOSPC, say_no_room},
    {EBUSY, say_busy},       {EMFILE, say_too_many_files}, {ENFILE, say_too_many_files},
    {ENODEV, say_no_device}, {ENXIO, say_no_device},       {EOPNOTSUPP, say_unsupported},
    {E2BIG, say_too_new},    {ENOMEM, say_no_memory},
};

void event_open_reason(const struct event_view *view, const struct event *event, int error,
                       char *reason, size_t size)
{
    struct refusal refusal = {.view = view, .event = event, .error = error};
    AUTO_TEXT struct text text = {0};
    if (event->kind == EVENT_PAPI) {
        snprintf(reason, size,
                 "it is a preset of PAPI, and PAPI alone can open it: count it with --path "
                 "papi-low or papi-high");
        return;
    }
    if (event->source) { /* not the operating system's to open: it was asked before */
        snprintf(reason, size, "%s", event->source->reason);
        return;
    }
    situation_collect(view, &refusal.now);
    for (size_t i = 0; i < sizeof(sayings) / sizeof(sayings[0]); i++) {
        if (sayings[i].error == error)
            sayings[i].say(&text, &refusal);
    }
    if (!text.length)
        text_printf(&text, "perf_event_open failed: %s", strerror(error));
    snprintf(reason, size, "%s", text_string(&text));
}
