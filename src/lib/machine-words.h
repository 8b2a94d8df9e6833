/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What makes two machines differ for counting, and how each of these is recognised: the words of
 * files and the rules behind the facts. Shared by who describes a machine in full (src/machine) and
 * by who only asks whether a passport is of this one, so that both always say the same. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* --- the fields of the fingerprint --- */

struct machine_field {
    const char *key;   /* the fact */
    const char *label; /* for people */
};
#define MACHINE_FIELDS 12
extern const struct machine_field machine_fields[MACHINE_FIELDS];

/* What is known under the key of a fact; NULL: nothing. Valid until the next call. */
typedef const char *machine_value(void *context, const char *key);

/* 16 hexadecimal digits over all fields. */
void machine_fields_name(machine_value *value, void *context, char name[17]);

/* --- /proc/cpuinfo --- */

/* One word of it, and the fact it becomes. The first row that has a value wins. */
struct cpuinfo_word {
    const char *word;
    const char *key;
};
#define CPUINFO_WORDS 20
extern const struct cpuinfo_word cpuinfo_words[CPUINFO_WORDS];

/* arm64 names no model: the common ones by implementer and part. */
struct arm_core {
    const char *implementer, *part, *name;
};
extern const struct arm_core arm_cores[]; /* ends with name NULL */

/* --- hypervisor and emulation --- */

/* Files that show which hypervisor is below. */
struct machine_place {
    const char *key, *path;
};
extern const struct machine_place hypervisor_places[]; /* ends with key NULL */

/* A fact's value contains a word: then it is this hypervisor (or none: metal in a cloud). */
struct machine_sign {
    const char *key, *word, *id;
};

/* The id of the hypervisor, "none", "unknown", or NULL where nothing can tell. Asks for
 * cpuid.hypervisor, cpu.guest_flag and hypervisor_places. *found: the sign that decided; NULL:
 * CPUID or its absence did. */
const char *machine_hypervisor(machine_value *value, void *context,
                               const struct machine_sign **found);

/* How we know that a program interprets this CPU; NULL: nothing points to it. Asks for the fields
 * above, emulated.declared, emulated.by and hypervisor_places. */
const char *machine_emulation(machine_value *value, void *context);

/* --- CPUID --- */

/* What the x86 instruction says of a hypervisor. Fills signatures with the names that the
 * hypervisor leaves hold ("KVMKVMKVM", several joined with commas when one hypervisor poses as
 * another), "" on bare metal. 0, or -ENOTSUP where the ISA has no such instruction. */
int cpuid_hypervisor(char *signatures, size_t size);

/* FNV-1a, 64 bits: names things the same on every machine; no protection against forgery. */

#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME  UINT64_C(0x00000100000001b3)

/* Goes on from `hash` (start with FNV_OFFSET). */
static inline uint64_t fnv1a(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ byte[i]) * FNV_PRIME;
    return hash;
}
