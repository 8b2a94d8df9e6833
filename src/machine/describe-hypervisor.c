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
#include "lib/cpuid-hypervisor.h"
#include "lib/machine-words.h"
#include "machine/describe.h"

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
    for (const struct machine_place *place = hypervisor_places; place->key; place++)
        view_read(view, facts, place->key, place->path);
    read_acpi_maker(view, facts);
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
    gather_signs(view, facts);
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
