/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which hypervisor runs below, if any, and which monitor or cloud on top of it. The fact
 * `hypervisor` rests only on what every user can read (it is part of the fingerprint);
 * `hypervisor.monitor` may know more when root asks. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "machine/cpuid-hypervisor.h"
#include "machine/describe.h"
#include "machine/hypervisor.h"

/* A fact's value contains a word: then it is this hypervisor (or none: metal in a cloud). */
struct sign {
    const char *key, *word, *id;
};

/* First match wins; metal instances first, because their vendor also sells virtual ones. */
static const struct sign signs[] = {
    {"xen.type", "xen", "xen"},
    {"dmi.product", ".metal", "none"},
    {"dmi.product", "VMware", "vmware"},
    {"dmi.vendor", "VMware", "vmware"},
    {"dmi.product", "VirtualBox", "virtualbox"},
    {"dmi.vendor", "Parallels", "parallels"},
    {"dmi.product", "KVM", "kvm"},
    {"dmi.vendor", "QEMU", "qemu"},
    {"dmi.vendor", "Xen", "xen"},
    {"dmi.product", "BHYVE", "bhyve"},
    {"dmi.product", "Virtual Machine", "hyper-v"}, /* behind QEMU's and Parallels' of that name */
    {"dmi.vendor", "Amazon EC2", "kvm"},
    {"dmi.product", "Google Compute Engine", "kvm"},
    {"dt.hypervisor", "xen", "xen"},
    {"dt.hypervisor", "kvm", "kvm"},
    {"dt.compatible", "qemu", "qemu"},
    {"dt.compatible", "linux,dummy-virt", "virt"},
    {"dt.model", "qemu", "qemu"},
    {"dt.partition", "", "powervm"},
};

static const struct sign monitors[] = {
    {"acpi.oem", "FIRECK", "firecracker"},
    {"acpi.oem", "CLOUDH", "cloud-hypervisor"},
    {"dmi.vendor", "Amazon EC2", "amazon"},
    {"dmi.product", "Google Compute Engine", "google"},
    {"dmi.chassis", "7783-7084-3265-9085-8269-3286-77", "azure"}, /* Azure's fixed asset tag */
};

static const char *first_sign(const struct sign *list, size_t count, const struct facts *facts,
                              const struct sign **found)
{
    for (size_t i = 0; i < count; i++) {
        const char *value = facts_get(facts, list[i].key);
        if (value && strstr(value, list[i].word)) {
            *found = &list[i];
            return list[i].id;
        }
    }
    return NULL;
}

/* Firmware tables name their maker in bytes 10 to 15 of the header. Root only. */
static void read_acpi_maker(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text table = {0};
    int error = view_text(view, "/sys/firmware/acpi/tables/DSDT", &table);
    if (!error && table.length >= 16)
        facts_setf(facts, "acpi.oem", "%.6s", table.bytes + 10);
    else
        facts_set(facts, "acpi.oem", NULL, error ? -error : EINVAL);
}

static void gather_signs(const struct machine_view *view, struct facts *facts)
{
    char signatures[128];
    int error = view_recorded(view) ? 0 : cpuid_hypervisor(signatures, sizeof(signatures));
    view_live(view, facts, "cpuid.hypervisor", error ? NULL : signatures, -error);
    view_read(view, facts, "xen.type", "/sys/hypervisor/type");
    view_read(view, facts, "dmi.vendor", "/sys/class/dmi/id/sys_vendor");
    view_read(view, facts, "dmi.product", "/sys/class/dmi/id/product_name");
    view_read(view, facts, "dmi.chassis", "/sys/class/dmi/id/chassis_asset_tag");
    view_read(view, facts, "dt.hypervisor", "/proc/device-tree/hypervisor/compatible");
    view_read(view, facts, "dt.compatible", "/proc/device-tree/compatible");
    view_read(view, facts, "dt.model", "/proc/device-tree/model");
    view_read(view, facts, "dt.partition", "/proc/device-tree/ibm,partition-name");
    read_acpi_maker(view, facts);
}

/* CPUID is the hypervisor's own word; NULL when it has none. */
static const char *from_cpuid(const char *signatures)
{
    for (const struct hypervisor *known = hypervisors; known->id; known++)
        if (known->signature && strstr(signatures, known->signature))
            return known->id;
    return NULL;
}

static void decide(struct facts *facts)
{
    const char *signatures = facts_get(facts, "cpuid.hypervisor");
    const struct sign *found = NULL;
    const char *id = signatures ? from_cpuid(signatures) : NULL;
    if (id) {
        facts_set(facts, "hypervisor", id, 0);
        facts_setf(facts, "hypervisor.evidence", "CPUID says %s", signatures);
    } else if (signatures && !signatures[0]) {
        facts_set(facts, "hypervisor", "none", 0);
        facts_set(facts, "hypervisor.evidence", "CPUID names none", 0);
    } else if ((id = first_sign(signs, sizeof(signs) / sizeof(signs[0]), facts, &found))) {
        facts_set(facts, "hypervisor", id, 0);
        facts_setf(facts, "hypervisor.evidence", "%s says %s", found->key,
                   facts_get(facts, found->key));
    } else if (signatures || facts_number(facts, "cpu.guest_flag", 0) == 1) {
        facts_set(facts, "hypervisor", "unknown", 0);
        facts_setf(facts, "hypervisor.evidence", "CPUID says there is one: %s",
                   signatures ? signatures : "unnamed");
    } else if (facts_get(facts, "cpu.guest_flag")) {
        facts_set(facts, "hypervisor", "none", 0);
        facts_set(facts, "hypervisor.evidence", "no sign of one", 0);
    } else {
        facts_set(facts, "hypervisor", NULL, ENODATA);
    }
}

void describe_hypervisor(const struct machine_view *view, struct facts *facts)
{
    gather_signs(view, facts);
    decide(facts);
    const struct sign *found = NULL;
    const char *monitor =
        first_sign(monitors, sizeof(monitors) / sizeof(monitors[0]), facts, &found);
    /* KVM without firmware tables: a microVM, though only root can see whose. */
    const char *id = facts_get(facts, "hypervisor");
    if (!monitor && id && strcmp(id, "kvm") == 0 && !facts_get(facts, "dmi.vendor") &&
        !facts_get(facts, "dt.compatible") && facts_error(facts, "acpi.oem") == EACCES)
        monitor = "microvm";
    if (id && strcmp(id, "none") != 0 && monitor)
        facts_set(facts, "hypervisor.monitor", monitor, 0);
}
