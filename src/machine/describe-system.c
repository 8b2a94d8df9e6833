/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The surroundings as the machine describes them: hypervisor, emulation, container, operating
 * system. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events/event.h"
#include "lib/machine-words.h"
#include "machine/check.h"

/* ----------------------------------------------------------------------------------------------
 * The table of hypervisors, and of monitors (Firecracker runs on KVM, as do many clouds) that
 * differ from their hypervisor in what they offer. Pure data. */

/* Ends with id NULL. */
static const struct hypervisor hypervisors[] = {
    {"kvm", "KVM", "KVM passes the counters through when the machine is started so.",
     "on the host, QEMU: -cpu host,pmu=on\n"
     "on the host, libvirt: <cpu mode='host-passthrough'/> and <pmu state='on'/> in <features>"},
    {"qemu-tcg", "QEMU without KVM",
     "QEMU interprets its instructions, and for x86 it emulates no PMU.",
     "on the host, where /dev/kvm exists: -accel kvm -cpu host,pmu=on"},
    {"vmware", "VMware", "VMware offers counters per virtual machine.",
     "with the machine off, in its .vmx file: vpmc.enable = \"TRUE\"\n"
     "or in its CPU settings: virtualize CPU performance counters"},
    {"xen", "Xen", "Xen offers counters to HVM and PVH guests when booted so.",
     "on Xen's own command line, then reboot the host: vpmu=on"},
    {"virtualbox", "VirtualBox",
     "VirtualBox offers no counters to its guests; nothing inside or outside changes that.", ""},
    {"bhyve", "bhyve",
     "bhyve offers no counters to its guests; nothing inside or outside changes that.", ""},
    {"parallels", "Parallels", "Parallels offers counters per virtual machine.",
     "in the machine's CPU settings, advanced: enable PMU virtualization"},
    {"acrn", "ACRN", "ACRN gives the PMU to a guest only by its scenario file.",
     "in the ACRN configuration, for this VM: vpmu"},
    {"jailhouse", "Jailhouse",
     "Jailhouse hands out whole cores: the PMU belongs to the cell that owns the core.", ""},
    {"hyper-v", "Hyper-V", "Hyper-V offers counters per virtual machine.",
     "on the host, with the machine off: Set-VMProcessor -VMName NAME -Perfmon @(\"pmu\")"},
    {"powervm", "PowerVM", "PowerVM lets partitions use the PMU by a profile setting.",
     "in the partition's profile: allow performance information collection"},
    {"qemu", "QEMU", "QEMU passes the counters through under KVM, and on arm64 emulates them.",
     "on the host, with KVM: -cpu host,pmu=on\n"
     "on the host, emulated arm64: -icount shift=0"},
    {"virt", "a virtual machine (device tree says virt)",
     "its monitor (the device tree says virt) must describe a PMU to it.",
     "on the host, QEMU: -cpu host,pmu=on\non the host, emulated arm64: -icount shift=0"},
    /* monitors */
    {"firecracker", "Firecracker", FIRECRACKER_COUNTERS ".", ""},
    {"microvm", "microVM",
     "its monitor looks like Firecracker, which offers no counters, whatever is set; for hardware "
     "events take bare metal, or KVM under QEMU with pmu=on.",
     ""},
    {"cloud-hypervisor", "Cloud Hypervisor",
     "Cloud Hypervisor passes the counters through where its host has them.", ""},
    {"amazon", "Amazon EC2",
     "EC2 offers counters on .metal instances and on some large sizes of newer types.",
     "choose an instance type ending in .metal"},
    {"google", "Google Compute Engine",
     "Compute Engine offers counters on some machine types (C4, C4A), off by default.",
     "gcloud compute instances create NAME --machine-type=c4-standard-8 "
     "--performance-monitoring-unit=standard"},
    {"azure", "Azure", "Azure offers no counters on most sizes; bare-metal sizes have them.", ""},
    {NULL, NULL, NULL, NULL},
};

const struct hypervisor *hypervisor_find(const char *id)
{
    for (const struct hypervisor *known = hypervisors; id && known->id; known++)
        if (strcmp(known->id, id) == 0)
            return known;
    return NULL;
}

/* ----------------------------------------------------------------------------------------------
 * Which hypervisor runs below, if any, and which monitor or cloud on top of it. The fact
 * `hypervisor` rests only on what every user can read (it is part of the fingerprint);
 * `hypervisor.monitor` may know more when root asks. */

static const struct machine_sign monitors[] = {
    {"acpi.oem", "FIRECK", "firecracker"},
    {"acpi.oem", "CLOUDH", "cloud-hypervisor"},
    {"dmi.vendor", "Amazon EC2", "amazon"},
    {"dmi.product", "Google Compute Engine", "google"},
    {"dmi.chassis", "7783-7084-3265-9085-8269-3286-77", "azure"}, /* Azure's fixed asset tag */
};

static const char *find_monitor(const struct facts *facts)
{
    for (size_t i = 0; i < sizeof(monitors) / sizeof(monitors[0]); i++) {
        const char *value = facts_get(facts, monitors[i].key);
        if (value && strstr(value, monitors[i].word))
            return monitors[i].id;
    }
    return NULL;
}

static const char *known(void *facts, const char *key)
{
    return facts_get(facts, key);
}

static void decide(struct facts *facts)
{
    const struct machine_sign *found;
    const char *signatures = facts_get(facts, "cpuid.hypervisor");
    const char *id = machine_hypervisor(known, facts, &found);
    facts_set(facts, "hypervisor", id, ENODATA);
    if (found)
        facts_setf(facts, "hypervisor.evidence", "%s says %s", found->key,
                   facts_get(facts, found->key));
    else if (id && strcmp(id, "unknown") == 0)
        facts_setf(facts, "hypervisor.evidence", "CPUID says there is one: %s",
                   signatures ? signatures : "unnamed");
    else if (id && strcmp(id, "none") == 0)
        facts_set(facts, "hypervisor.evidence", signatures ? "CPUID names none" : "no sign of one",
                  0);
    else if (id)
        facts_setf(facts, "hypervisor.evidence", "CPUID says %s", signatures);
}

void describe_hypervisor(const struct machine_view *view, struct facts *facts)
{
    char signatures[128];
    int error = view_recorded(view) ? 0 : cpuid_hypervisor(signatures, sizeof(signatures));
    view_live(view, facts, "cpuid.hypervisor", error ? NULL : signatures, -error);
    for (const struct machine_place *place = hypervisor_places; place->key; place++)
        view_read(view, facts, place->key, place->path);
    /* Firmware tables name their maker in bytes 10 to 15 of the header. Root only. */
    AUTO_TEXT struct text table = {0};
    error = view_text(view, "/sys/firmware/acpi/tables/DSDT", &table);
    if (!error && table.length >= 16)
        facts_setf(facts, "acpi.oem", "%.6s", table.bytes + 10);
    else
        facts_set(facts, "acpi.oem", NULL, error ? -error : EINVAL);
    decide(facts);
    const char *monitor = find_monitor(facts);
    /* KVM without firmware tables: a microVM, though only root can see whose. */
    const char *id = facts_get(facts, "hypervisor");
    if (!monitor && id && strcmp(id, "kvm") == 0 && !facts_get(facts, "dmi.vendor") &&
        !facts_get(facts, "dt.compatible") && facts_error(facts, "acpi.oem") == EACCES)
        monitor = "microvm";
    if (id && strcmp(id, "none") != 0 && monitor)
        facts_set(facts, "hypervisor.monitor", monitor, 0);
}

/* ----------------------------------------------------------------------------------------------
 * Is this CPU interpreted by a program? Counts may then be exact, but times, cycles and caches say
 * nothing about any hardware, and results must carry the mark. The fact `emulated` says how we
 * know; it is missing where nothing points to emulation. */

bool emulated_in_user_mode(const struct facts *facts)
{
    const char *how = facts_get(facts, "emulated");
    return how && strncmp(how, "qemu-user", 9) == 0;
}

/* What the environment says of this machine; a recorded one says it again. */
static void take_live(const struct machine_view *view, struct facts *facts, const char *key,
                      const char *variable)
{
    const char *value = getenv(variable);
    if (view_recorded(view))
        view_live(view, facts, key, NULL, 0);
    else if (value && value[0] && strcmp(value, "0") != 0)
        facts_set(facts, key, value, 0);
}

void describe_emulation(const struct machine_view *view, struct facts *facts)
{
    take_live(view, facts, "emulated.declared", "ASSAY_EMULATED");
    take_live(view, facts, "emulated.by", "ASSAY_EMULATOR");
    const char *how = machine_emulation(known, facts);
    if (how)
        facts_set(facts, "emulated", how, 0);
}

/* ----------------------------------------------------------------------------------------------
 * Do we stand in a container? Marker files alone do not say (machines are made from container
 * images and keep them), so they count only where a namespace differs from the first one. */

/* A file, a word it holds ("" any content), and whose it is. */
static const struct {
    const char *path, *word, *runtime;
} markers[] = {
    {"/run/.containerenv", "", "podman"},
    {"/.dockerenv", "", "docker"},
    {"/run/systemd/container", "systemd-nspawn", "systemd-nspawn"},
    {"/run/systemd/container", "lxc", "lxc"},
    {"/run/systemd/container", "", "unknown"},
    {"/proc/1/cgroup", "kubepods", "kubernetes"},
    {"/proc/1/cgroup", "docker", "docker"},
    {"/proc/1/cgroup", "libpod", "podman"},
    {"/proc/1/cgroup", "lxc", "lxc"},
    {"/proc/1/cgroup", "containerd", "containerd"},
};

/* The kernel gives the first namespace of each kind a fixed number (include/linux/proc_ns.h). */
static const struct {
    const char *key, *path, *first;
} namespaces[] = {
    {"process.pid_namespace", "/proc/self/ns/pid", "pid:[4026531836]"},
    {"process.cgroup_namespace", "/proc/self/ns/cgroup", "cgroup:[4026531835]"},
    {"process.user_namespace", "/proc/self/ns/user", "user:[4026531837]"},
};

static const char *find_marker(const struct machine_view *view, const char **path)
{
    AUTO_TEXT struct text content = {0};
    for (size_t i = 0; i < sizeof(markers) / sizeof(markers[0]); i++) {
        if (view_text(view, markers[i].path, &content) < 0)
            continue;
        if (strstr(text_string(&content), markers[i].word)) {
            *path = markers[i].path;
            return markers[i].runtime;
        }
    }
    return NULL;
}

/* 1 when at least one namespace is not the first, 0 when all that are known are, else -1. */
static int in_own_namespace(const struct facts *facts)
{
    int own = -1;
    for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++) {
        const char *answer = facts_get(facts, namespaces[i].key);
        if (answer && strcmp(answer, "own") == 0)
            return 1;
        if (answer)
            own = 0;
    }
    return own;
}

void describe_container(const struct machine_view *view, struct facts *facts)
{
    /* "first" is the machine's own, "own" somebody made for us. */
    for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++) {
        char target[64];
        ssize_t length = readlink(namespaces[i].path, target, sizeof(target) - 1);
        int error = errno;
        target[length < 0 ? 0 : length] = '\0';
        const char *answer = strcmp(target, namespaces[i].first) == 0 ? "first" : "own";
        view_live(view, facts, namespaces[i].key, length < 0 ? NULL : answer, error);
    }
    const char *path = NULL;
    const char *runtime = find_marker(view, &path);
    if (runtime)
        facts_setf(facts, "container.marker", "%s (%s)", path, runtime);
    int own = in_own_namespace(facts);
    if (own == 0)
        facts_set(facts, "container", "none", 0);
    else if (runtime || own == 1)
        facts_set(facts, "container", runtime ? runtime : "unknown", 0);
    else
        facts_set(facts, "container", NULL, ENODATA);
}

/* ----------------------------------------------------------------------------------------------
 * Operating system and memory, and a name by which the same machine is known again after an update.
 * Host name and machine id themselves are not collected: results are made to be shared. */

#define SALT "assay machine 1"

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)", quoted in one of the shell's simple ways. */
static void describe_os(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text release = {0};
    int error = view_text(view, "/etc/os-release", &release);
    if (error)
        error = view_text(view, "/usr/lib/os-release", &release);
    char *save = NULL;
    for (char *line = error ? NULL : strtok_r(release.bytes, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        if (strncmp(line, "PRETTY_NAME=", 12) != 0)
            continue;
        char *value = line + 12;
        size_t length = strlen(value);
        if (length >= 2 && (*value == '"' || *value == '\'') && value[length - 1] == *value) {
            value[length - 1] = '\0';
            value++;
        }
        facts_set(facts, "os.name", value, 0);
        return;
    }
    facts_set(facts, "os.name", NULL, error ? -error : ENOENT);
}

/* 64 of 128 salted bits: enough to recognise, too few to get the id back. */
static void describe_identity(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text id = {0};
    int error = view_text(view, "/etc/machine-id", &id);
    if (error)
        error = view_text(view, "/var/lib/dbus/machine-id", &id);
    size_t length = strspn(text_string(&id), "0123456789abcdef");
    if (error || length < 16) {
        facts_set(facts, "machine.id", NULL, error ? -error : ENODATA);
        return;
    }
    uint64_t hash = fnv1a(fnv1a(FNV_OFFSET, SALT, sizeof(SALT)), text_string(&id), length);
    facts_setf(facts, "machine.id", "%016" PRIx64, hash);
}

void describe_system(const struct machine_view *view, struct facts *facts)
{
    view_read(view, facts, "kernel.release", "/proc/sys/kernel/osrelease");
    view_read(view, facts, "kernel.version", "/proc/sys/kernel/version");
    describe_os(view, facts);
    AUTO_TEXT struct text meminfo = {0};
    int error = view_text(view, "/proc/meminfo", &meminfo);
    const char *line = error ? NULL : strstr(text_string(&meminfo), "MemTotal:");
    unsigned long long kib;
    if (line && sscanf(line, "MemTotal: %llu kB", &kib) == 1)
        facts_setf(facts, "memory.total_kib", "%llu", kib);
    else
        facts_set(facts, "memory.total_kib", NULL, error ? -error : ENOENT);
    char bytes[24];
    snprintf(bytes, sizeof(bytes), "%ld", sysconf(_SC_PAGESIZE));
    view_live(view, facts, "memory.page_bytes", bytes, 0);
    describe_identity(view, facts);
    /* Random, and another after every boot: it tells who runs on the same kernel, nothing more. */
    view_read(view, facts, "boot.id", "/proc/sys/kernel/random/boot_id");
}
