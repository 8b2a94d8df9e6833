/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From stores and passports to one answer about an event. */
#include "cli/known-trust.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "machine/passports.h"

#define COPY(to, from) snprintf(to, sizeof(to), "%.*s", (int)sizeof(to) - 1, (from) ? (from) : "")

static void from_judgement(const struct judgement *judgement, int64_t age_s,
                           struct known_trust *known)
{
    COPY(known->event, judgement->evidence->event);
    COPY(known->verdict, verdict_names[judgement->verdict]);
    COPY(known->cause, cause_names[judgement->cause]);
    COPY(known->note, judgement->note);
    known->age_s = age_s;
}

int trust_of(const struct latest_verdicts *latest, const struct facts *machine, const char *event,
             struct known_trust *known)
{
    *known = (struct known_trust){.verdict = "unknown", .age_s = -1};
    int64_t age_s = 0;
    const struct judgement *judgement = latest ? latest_verdict(latest, event, &age_s) : NULL;
    if (judgement)
        from_judgement(judgement, age_s, known);
    /* A run that ended before the event's turn says nothing: the passport may. */
    if (judgement && judgement->verdict != VERDICT_UNJUDGED)
        return 0;
    struct assay_trust_verdict trust;
    struct failure failure = {0};
    int error = machine_trust(machine, event, &trust, &failure);
    if (judgement && (error < 0 || strcmp(trust.verdict, verdict_names[VERDICT_UNJUDGED]) == 0))
        return 0;
    COPY(known->event, trust.event);
    COPY(known->verdict, trust.verdict);
    COPY(known->cause, trust.cause);
    COPY(known->note, error < 0 ? failure.text : trust.note);
    COPY(known->difference, trust.difference);
    known->age_s = trust.age_s;
    known->stale = trust.stale;
    return error < 0 ? -ENOENT : 0;
}
