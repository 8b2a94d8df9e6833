/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: what passports (docs/passport.md) say of an event, for this machine or for one
 * that is described. */
#pragma once

#include <time.h>

#include "lib/trust-machine.h"
#include "lib/trust-scan.h"

#include "assay.h"

#define PASSPORT_SCHEMA "assay/passport/1"

/* What a passport says of an event under one name. */
struct passport_entry {
    bool found;
    int64_t validated; /* seconds since 1970 */
    struct assay_trust_verdict trust;
};

struct passport {
    struct trust_machine machine; /* it is of */
    struct passport_entry entry;  /* of the event, under the very name that was asked for */
};

/* Reads a whole passport, for what it says of one event. 0, -EINVAL, or -EIO. */
int passport_read(struct trust_scan *scan, const char *event, struct passport *passport);

/* In valid UTF-8 that may have been cut to fit: nothing stays that steers a terminal, nor the
 * beginning of a character at its end. */
void trust_make_printable(char *text);

struct trust_question {
    const char *folder; /* in which passports are */
    const char *event;
    const struct trust_machine *machine;
    int64_t now; /* seconds since 1970 */
};

/* As assay_trust answers, with the sentence in failure. */
int trust_look(const struct trust_question *question, struct assay_trust_verdict *trust,
               struct failure *failure);
