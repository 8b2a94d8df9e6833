/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The fields a validation depends on, and the words of /proc/cpuinfo for them. Only what every user
 * of the machine can read belongs here, or root and others would store under different names. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "lib/machine-words.h"

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
