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

static bool is_of_counts(const char *verdict)
{
    const int known = verdict_from_name(verdict);
    return known >= 0 && verdict_is_of_counts((enum verdict)known);
}

/* Of an event that opens, that it does not is not so any more. */
static bool holds(const char *verdict, const char *cause, bool opens)
{
    return !(cause && strcmp(cause, cause_names[CAUSE_PERMISSION]) == 0) &&
           !(opens && strcmp(verdict, verdict_names[VERDICT_UNSUPPORTED]) == 0);
}

int trust_of(const struct latest_verdicts *latest, const struct facts *machine, const char *event,
             bool opens, struct known_trust *known)
{
    *known = (struct known_trust){.verdict = "unknown", .age_s = -1};
    int64_t age_s = 0;
    const struct judgement *judgement = latest ? latest_verdict(latest, event, &age_s) : NULL;
    if (judgement &&
        !holds(verdict_names[judgement->verdict], cause_names[judgement->cause], opens))
        judgement = NULL;
    if (judgement)
        from_judgement(judgement, age_s, known);
    /* Where stores have nothing by counts, the passport may. */
    if (judgement && verdict_is_of_counts(judgement->verdict))
        return 0;
    struct assay_trust_verdict trust;
    struct failure failure = {0};
    int error = machine_trust(machine, event, &trust, &failure);
    if (error == 0 && !holds(trust.verdict, trust.cause, opens))
        error = fail_with(&failure, -ENOENT, "access was refused when it was validated: %.400s",
                          trust.note);
    if (judgement && (error < 0 || !is_of_counts(trust.verdict)))
        return 0;
    COPY(known->note, error < 0 ? failure.text : trust.note);
    if (error < 0)
        return -ENOENT;
    COPY(known->event, trust.event);
    COPY(known->verdict, trust.verdict);
    COPY(known->cause, trust.cause);
    COPY(known->difference, trust.difference);
    known->age_s = trust.age_s;
    known->stale = trust.stale;
    return 0;
}
