/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From stores and passports to one answer about an event. */
#include "cli/known-trust.h"

#include <errno.h>
#include <stdio.h>

#define COPY(to, from) snprintf(to, sizeof(to), "%s", (from) ? (from) : "")

int trust_of(const struct latest_verdicts *latest, const struct facts *machine, const char *event,
             struct known_trust *known)
{
    *known = (struct known_trust){.verdict = "unknown", .age_s = -1};
    (void)machine;
    int64_t age_s = 0;
    const struct judgement *judgement = latest_verdict(latest, event, &age_s);
    if (!judgement) {
        snprintf(known->note, sizeof(known->note), "not validated here: `assay validate %.200s`",
                 event);
        return -ENOENT;
    }
    COPY(known->event, judgement->evidence->event);
    COPY(known->verdict, verdict_names[judgement->verdict]);
    COPY(known->cause, cause_names[judgement->cause]);
    COPY(known->note, judgement->note);
    known->age_s = age_s;
    return 0;
}
