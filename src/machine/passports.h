/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Passports (docs/passport.md) of machines that are described by facts, for the controller: what
 * libassay asks of the machine itself, it is told. */
#pragma once

#include <stdbool.h>

#include "assay.h"
#include "machine/facts.h"

/* What passports in the user's folder say of an event on the machine of these facts. As assay_trust
 * answers, with the sentence in failure. */
int machine_trust(const struct facts *facts, const char *event, struct assay_trust_verdict *trust,
                  struct failure *failure);

/* The fields that a passport says of its machine. */
struct passport_field {
    const char *key, *label, *value; /* value NULL: not known */
};
/* The field at that place, from 0; false behind the last. */
bool machine_passport_field(const struct facts *facts, size_t place, struct passport_field *field);
/* The name of the schema that is written and read. */
const char *machine_passport_schema(void);
