/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Gathers what explains a refused event: paranoid level, PMUs, hypervisor, seccomp, capabilities,
 * containers. Only reads files below the view, so that recorded machines explain themselves too. */
#include "events/situation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/capability.h>

#include "base/cleanup.h"
#include "events/form.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* since Linux 5.8 */
#endif

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

/* The first user namespace maps every number to itself. */
static bool in_user_namespace(const struct event_view *view)
{
    char map[64];
    unsigned long inside, outside, count;
    return view_read_text(view, map, sizeof(map), "/proc/self/uid_map") == 0 &&
           !(sscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3 && inside == 0 &&
             outside == 0 && count >= UINT32_MAX);
}

static void read_status(const struct event_view *view, struct situation *situation)
{
    char status[4096];
    if (view_read_text(view, status, sizeof(status), "/proc/self/status") < 0)
        return;
    situation->seccomp = status_value(status, "\nSeccomp:", 10) != 0;
    unsigned long long effective = status_value(status, "\nCapEff:", 16);
    situation->namespaced = in_user_namespace(view);
    situation->capable =
        !situation->namespaced && (effective >> CAP_PERFMON & 1 || effective >> CAP_SYS_ADMIN & 1);
}

/* The lab's machines name themselves, as src/lab/archive.c writes it. */
static bool is_lab(const struct event_view *view)
{
    char text[256];
    return view_read_text(view, text, sizeof(text), "/etc/os-release") == 0 &&
           (strncmp(text, "ID=assay-lab\n", 13) == 0 || strstr(text, "\nID=assay-lab\n"));
}

void situation_collect(const struct event_view *view, struct situation *situation)
{
    char text[64];
    *situation = (struct situation){.paranoid = PARANOID_UNKNOWN};
    if (view_read_text(view, text, sizeof(text), "/proc/sys/kernel/perf_event_paranoid") == 0)
        situation->paranoid = atoi(text);
    situation->core_pmu =
        view_each_entry(view, PMU_FOLDER, look_for_core_pmu, (void *)(uintptr_t)view) == 1;
    situation->pmus_listed = view_exists(view, PMU_FOLDER "/software");
    situation->virtual = is_virtual(view);
    name_hypervisor(view, situation);
    if (!situation->hypervisor)
        recognise_firecracker(view, situation);
    if (!situation->turn_on && is_virtual_board(view))
        situation->turn_on = "start it with a PMU (QEMU: no pmu=off behind -cpu, and for an "
                             "emulated CPU -icount shift=0; assay's lab: without pmu=off)";
    read_status(view, situation);
    situation->lab = is_lab(view);
    situation->container = view_exists(view, "/.dockerenv") ||
                           view_exists(view, "/run/.containerenv") ||
                           view_exists(view, "/run/systemd/container");
}
