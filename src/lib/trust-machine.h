/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: the fields that tell whether a passport is of this machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/machine-words.h"

#define TRUST_VALUE 1024 /* bytes of a value; longer ones are cut */

struct trust_machine {
    bool known[MACHINE_FIELDS];
    char value[MACHINE_FIELDS][TRUST_VALUE]; /* as machine_fields; "" where not known */
};

/* What no file can say, for machines that are not here. */
struct trust_live {
    const char *isa, *signatures; /* of CPUID; NULL: there is none */
    const char *declared, *by;    /* ASSAY_EMULATED, ASSAY_EMULATOR; NULL: not set */
};

/* Reads them anew; what cannot be read is not known. root: "", or a recorded tree, which goes with
 * live; NULL: the machine itself is asked. */
void trust_machine_read(const char *root, const struct trust_live *live,
                        struct trust_machine *machine);

/* The place of a key among the fields, or -1. */
int trust_field(const char *key);
/* NULL: not known. */
const char *trust_machine_get(const struct trust_machine *machine, int field);
void trust_machine_set(struct trust_machine *machine, int field, const char *value);
/* The fingerprint, as src/machine makes it. */
void trust_machine_name(const struct trust_machine *machine, char name[17]);

/* Has it the same CPU, emulated or not as this one? Then what was found there may hold here. */
bool trust_machine_same_cpu(const struct trust_machine *then, const struct trust_machine *now);
/* How many fields differ, and which: "kernel 6.1.0 -> 6.18.0, microcode 0x1 -> 0x2", as far as it
 * fits. The build of another kernel is not worth a word. */
size_t trust_machine_difference(const struct trust_machine *then, const struct trust_machine *now,
                                char *text, size_t size);
