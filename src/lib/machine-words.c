/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What makes two machines differ for counting, and how it is recognised: the fields of the
 * fingerprint, which hypervisor is below, and whether a program interprets the CPU. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/hash.h"
#include "lib/machine-words.h"

/* ----------------------------------------------------------------------------------------------
 * The fields a validation depends on, and the words of /proc/cpuinfo for them. Only what every user
 * of the machine can read belongs here, or root and others would store under different names. */

/* Changing this table orphans every stored validation: append only, with a new schema. */
const struct machine_field machine_fields[MACHINE_FIELDS] = {
    {"isa", "ISA"},
    {"cpu.vendor", "CPU vendor"},
    {"cpu.family", "CPU family"},
    {"cpu.model", "CPU model"},
    {"cpu.variant", "CPU variant"},
    {"cpu.stepping", "CPU stepping"},
    {"cpu.model_name", "CPU"},
    {"cpu.microcode", "microcode"},
    {"kernel.release", "kernel"},
    {"kernel.version", "kernel build"},
    {"hypervisor", "hypervisor"},
    {"emulated", "emulation"},
};

void machine_fields_name(machine_value *value, void *context, char name[17])
{
    uint64_t hash = FNV_OFFSET;
    for (size_t i = 0; i < MACHINE_FIELDS; i++) {
        const char *known = value(context, machine_fields[i].key);
        /* A marker before and a terminator behind each value, so that neither absent and empty nor
         * shifted values look alike. */
        hash = fnv1a(hash, known ? "+" : "-", 1);
        hash = fnv1a(hash, known ? known : "", known ? strlen(known) + 1 : 1);
    }
    snprintf(name, 17, "%016" PRIx64, hash);
}

const struct cpuinfo_word cpuinfo_words[CPUINFO_WORDS] = {
    {"vendor_id", "cpu.vendor"},        /* x86, s390 */
    {"CPU implementer", "cpu.vendor"},  /* arm64 */
    {"mvendorid", "cpu.vendor"},        /* riscv */
    {"cpu family", "cpu.family"},       /* x86 */
    {"CPU architecture", "cpu.family"}, /* arm64 */
    {"CPU Family", "cpu.family"},       /* loongarch */
    {"isa", "cpu.family"},              /* riscv: rv64imafdc... */
    {"model", "cpu.model"},             /* x86 */
    {"CPU part", "cpu.model"},          /* arm64 */
    {"marchid", "cpu.model"},           /* riscv */
    {"CPU variant", "cpu.variant"},     /* arm64 */
    {"stepping", "cpu.stepping"},       /* x86 */
    {"CPU revision", "cpu.stepping"},   /* arm64 */
    {"mimpid", "cpu.stepping"},         /* riscv */
    {"revision", "cpu.stepping"},       /* ppc */
    {"model name", "cpu.model_name"},   /* x86 */
    {"Model Name", "cpu.model_name"},   /* loongarch */
    {"cpu", "cpu.model_name"},          /* ppc */
    {"uarch", "cpu.model_name"},        /* riscv */
    {"microcode", "cpu.microcode"},     /* x86 */
};

const struct arm_core arm_cores[] = {
    {"0x41", "0xd03", "Arm Cortex-A53"},     {"0x41", "0xd05", "Arm Cortex-A55"},
    {"0x41", "0xd07", "Arm Cortex-A57"},     {"0x41", "0xd08", "Arm Cortex-A72"},
    {"0x41", "0xd09", "Arm Cortex-A73"},     {"0x41", "0xd0a", "Arm Cortex-A75"},
    {"0x41", "0xd0b", "Arm Cortex-A76"},     {"0x41", "0xd0c", "Arm Neoverse-N1"},
    {"0x41", "0xd0d", "Arm Cortex-A77"},     {"0x41", "0xd40", "Arm Neoverse-V1"},
    {"0x41", "0xd41", "Arm Cortex-A78"},     {"0x41", "0xd44", "Arm Cortex-X1"},
    {"0x41", "0xd46", "Arm Cortex-A510"},    {"0x41", "0xd47", "Arm Cortex-A710"},
    {"0x41", "0xd48", "Arm Cortex-X2"},      {"0x41", "0xd49", "Arm Neoverse-N2"},
    {"0x41", "0xd4f", "Arm Neoverse-V2"},    {"0x41", "0xd84", "Arm Neoverse-V3"},
    {"0x41", "0xd8e", "Arm Neoverse-N3"},    {"0x46", "0x001", "Fujitsu A64FX"},
    {"0x48", "0xd01", "HiSilicon TSV110"},   {"0x61", "0x022", "Apple M1 Icestorm"},
    {"0x61", "0x023", "Apple M1 Firestorm"}, {"0xc0", "0xac3", "Ampere-1"},
    {"0xc0", "0xac4", "Ampere-1A"},          {NULL, NULL, NULL},
};

/* ----------------------------------------------------------------------------------------------
 * Which hypervisor is below, and is the CPU interpreted? Pure: what is known goes in by a function,
 * so that facts, a recorded tree and the machine itself are judged alike. */

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

/* ----------------------------------------------------------------------------------------------
 * Asks CPUID which hypervisor runs below. On every other ISA: not supported. */

#if defined(__x86_64__) || defined(__i386__)
#define FIRST_LEAF  0x40000000u
#define LEAF_STRIDE 0x100u /* each interface a hypervisor offers starts at a multiple of this */
#define INTERFACES  8u
#define GUEST_BIT   (1u << 31) /* of leaf 1, ECX: a hypervisor is present */

/* The signature of one interface, 12 bytes; false when the leaf holds none. */
static bool read_signature(unsigned leaf, char signature[13])
{
    unsigned highest, words[3];
    __cpuid(leaf, highest, words[0], words[1], words[2]);
    memcpy(signature, words, 12);
    signature[12] = '\0';
    for (size_t i = 0; signature[i]; i++)
        if (!isprint((unsigned char)signature[i]) || signature[i] == ',')
            signature[i] = '?';
    return highest >= leaf && highest < leaf + LEAF_STRIDE && signature[0] != '\0';
}

int cpuid_hypervisor(char *signatures, size_t size)
{
    signatures[0] = '\0';
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & GUEST_BIT))
        return 0;
    for (unsigned i = 0; i < INTERFACES; i++) {
        char signature[13];
        if (!read_signature(FIRST_LEAF + i * LEAF_STRIDE, signature) ||
            strstr(signatures, signature))
            continue;
        size_t used = strlen(signatures);
        if (used + sizeof(signature) + 1 > size)
            break;
        if (used > 0)
            signatures[used++] = ',';
        memcpy(signatures + used, signature, strlen(signature) + 1);
    }
    if (!signatures[0] && size > 8)
        memcpy(signatures, "unnamed", 8); /* present, but shy */
    return 0;
}
#else
int cpuid_hypervisor(char *signatures, size_t size)
{
    (void)size;
    signatures[0] = '\0';
    return -ENOTSUP;
}
#endif
