/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Which hypervisor is below, and is the CPU interpreted? Pure: what is known goes in by a function,
 * so that facts, a recorded tree and the machine itself are judged alike. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/machine-words.h"

const struct machine_place hypervisor_places[] = {
    {"xen.type", "/sys/hypervisor/type"},
    {"dmi.vendor", "/sys/class/dmi/id/sys_vendor"},
    {"dmi.product", "/sys/class/dmi/id/product_name"},
    {"dmi.chassis", "/sys/class/dmi/id/chassis_asset_tag"},
    {"dt.hypervisor", "/proc/device-tree/hypervisor/compatible"},
    {"dt.compatible", "/proc/device-tree/compatible"},
    {"dt.model", "/proc/device-tree/model"},
    {"dt.partition", "/proc/device-tree/ibm,partition-name"},
    {NULL, NULL},
};

/* First match wins; metal instances first, because their vendor also sells virtual ones. */
static const struct machine_sign signs[] = {
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

/* In CPUID's hypervisor leaves. Order matters: a hypervisor that poses as Hyper-V for Windows
 * guests also gives its own signature, so Hyper-V stands last. */
static const struct {
    const char *id, *signature;
} signatures_known[] = {
    {"kvm", "KVMKVMKVM"},          {"qemu-tcg", "TCGTCGTCGTCG"},   {"vmware", "VMwareVMware"},
    {"xen", "XenVMMXenVMM"},       {"virtualbox", "VBoxVBoxVBox"}, {"bhyve", "bhyve bhyve "},
    {"parallels", " lrpepyh  vr"}, {"acrn", "ACRNACRNACRN"},       {"jailhouse", "Jailhouse"},
    {"hyper-v", "Microsoft Hv"},
};

/* CPUID is the hypervisor's own word; NULL when it has none that is known. */
static const char *from_cpuid(const char *signatures)
{
    for (size_t i = 0; i < sizeof(signatures_known) / sizeof(*signatures_known); i++)
        if (strstr(signatures, signatures_known[i].signature))
            return signatures_known[i].id;
    return NULL;
}

static const struct machine_sign *first_sign(machine_value *value, void *context)
{
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
        const char *known = value(context, signs[i].key);
        if (known && strstr(known, signs[i].word))
            return &signs[i];
    }
    return NULL;
}

const char *machine_hypervisor(machine_value *value, void *context,
                               const struct machine_sign **found)
{
    *found = NULL;
    const char *signatures = value(context, "cpuid.hypervisor");
    bool present = signatures != NULL;
    const char *id = signatures ? from_cpuid(signatures) : NULL;
    if (id)
        return id;
    if (signatures && !signatures[0])
        return "none";
    *found = first_sign(value, context);
    if (*found)
        return (*found)->id;
    const char *guest = value(context, "cpu.guest_flag");
    if (present || (guest && guest[0] == '1'))
        return "unknown";
    return guest ? "none" : NULL;
}

/* --- emulation --- */

static bool is(machine_value *value, void *context, const char *key, const char *expected)
{
    const char *known = value(context, key);
    return known && strcmp(known, expected) == 0;
}

/* QEMU's own RISC-V core gives QEMU's version as architecture id: 0x70200 is 7.2.0. */
static bool riscv_core_of_qemu(machine_value *value, void *context)
{
    if (!is(value, context, "cpu.vendor", "0x0"))
        return false;
    const char *architecture = value(context, "cpu.model");
    unsigned long version = architecture ? strtoul(architecture, NULL, 16) : 0;
    if (version < 0x40000 || version > 0xffffff)
        return false;
    const char *model = value(context, "dt.model");
    return model && strstr(model, "qemu");
}

/* /proc/cpuinfo is the host's under qemu-user: x86 words on a machine that claims another ISA. */
static bool foreign_cpuinfo(machine_value *value, void *context)
{
    const char *isa = value(context, "isa");
    bool x86 = isa && (strcmp(isa, "x86_64") == 0 || (isa[0] == 'i' && strstr(isa, "86")));
    return isa && !x86 &&
           (is(value, context, "cpu.vendor", "GenuineIntel") ||
            is(value, context, "cpu.vendor", "AuthenticAMD"));
}

static const char *evidence(machine_value *value, void *context)
{
    if (is(value, context, "hypervisor", "qemu-tcg"))
        return "QEMU TCG, says CPUID";
    if (is(value, context, "cpu.vendor", "0x00") && is(value, context, "cpu.model", "0x051"))
        return "QEMU TCG, says the CPU's part number";
    /* QEMU says so whenever KVM is not below, also on macOS' hypervisor: but it emulates no core of
     * Apple's (0x61). */
    if (is(value, context, "isa", "aarch64") &&
        is(value, context, "dmi.product", "QEMU Virtual Machine") &&
        !is(value, context, "cpu.vendor", "0x61"))
        return "QEMU TCG, says DMI";
    if (riscv_core_of_qemu(value, context))
        return "QEMU TCG, says the hart's architecture id";
    if (value(context, "emulated.by"))
        return "qemu-user: the transport qemu: runs the probe in it";
    if (foreign_cpuinfo(value, context))
        return "qemu-user: the program's ISA is not the machine's";
    return NULL;
}

const char *machine_emulation(machine_value *value, void *context)
{
    if (is(value, context, "emulated.declared", "lab"))
        return "QEMU TCG, in assay's lab";
    return value(context, "emulated.declared") ? "declared by ASSAY_EMULATED"
                                               : evidence(value, context);
}
