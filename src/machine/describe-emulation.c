/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Is this CPU interpreted by a program? Counts may then be exact, but times, cycles and caches say
 * nothing about any hardware, and results must carry the mark. The fact `emulated` says how we
 * know; it is missing where nothing points to emulation. */
#include <stdlib.h>
#include <string.h>

#include "machine/describe.h"
#include "machine/lab-fix.h"

static bool is(const struct facts *facts, const char *key, const char *expected)
{
    const char *value = facts_get(facts, key);
    return value && strcmp(value, expected) == 0;
}

static bool has(const struct facts *facts, const char *key, const char *word)
{
    const char *value = facts_get(facts, key);
    return value && strstr(value, word);
}

/* QEMU's own RISC-V core gives QEMU's version as architecture id: 0x70200 is 7.2.0. */
static bool riscv_core_of_qemu(const struct facts *facts)
{
    const char *architecture = facts_get(facts, "cpu.model");
    if (!is(facts, "cpu.vendor", "0x0") || !architecture)
        return false;
    unsigned long version = strtoul(architecture, NULL, 16);
    return version >= 0x40000 && version <= 0xffffff && has(facts, "dt.model", "qemu");
}

/* /proc/cpuinfo is the host's under qemu-user: x86 words on a machine that claims another ISA. */
static bool foreign_cpuinfo(const struct facts *facts)
{
    const char *isa = facts_get(facts, "isa");
    bool x86 = isa && (strcmp(isa, "x86_64") == 0 || (isa[0] == 'i' && strstr(isa, "86")));
    return isa && !x86 &&
           (is(facts, "cpu.vendor", "GenuineIntel") || is(facts, "cpu.vendor", "AuthenticAMD"));
}

bool emulated_in_user_mode(const struct facts *facts)
{
    const char *how = facts_get(facts, "emulated");
    return how && strncmp(how, "qemu-user", 9) == 0;
}

static const char *evidence(const struct facts *facts)
{
    if (is(facts, "hypervisor", "qemu-tcg"))
        return "QEMU TCG, says CPUID";
    if (is(facts, "cpu.vendor", "0x00") && is(facts, "cpu.model", "0x051"))
        return "QEMU TCG, says the CPU's part number";
    /* QEMU says so whenever KVM is not below, also on macOS' hypervisor: but it emulates no core of
     * Apple's (0x61). */
    if (is(facts, "isa", "aarch64") && is(facts, "dmi.product", "QEMU Virtual Machine") &&
        !is(facts, "cpu.vendor", "0x61"))
        return "QEMU TCG, says DMI";
    if (riscv_core_of_qemu(facts))
        return "QEMU TCG, says the hart's architecture id";
    if (facts_get(facts, "emulated.by"))
        return "qemu-user: the transport qemu: runs the probe in it";
    if (foreign_cpuinfo(facts))
        return "qemu-user: the program's ISA is not the machine's";
    return NULL;
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
    const char *declared = facts_get(facts, "emulated.declared");
    const char *how = lab_is(facts) ? "QEMU TCG, in assay's lab"
                      : declared    ? "declared by ASSAY_EMULATED"
                                    : evidence(facts);
    if (how)
        facts_set(facts, "emulated", how, 0);
}
