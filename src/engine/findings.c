/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compares figures with the marks of claims, joins the clauses of reasons, writes numbers. */
#include "engine/findings.h"

#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const finding_verdict_names[] = {
    [FINDING_HOLDS] = "holds",
    [FINDING_FAILS] = "does not hold",
    [FINDING_INCONCLUSIVE] = "inconclusive",
    [FINDING_UNTESTABLE] = "not testable here",
};

static struct finding blank(const struct claiming *claiming, const struct claim *claim)
{
    struct finding finding = {.id = claim->id,
                              .claim = claim->text,
                              .paper = claiming->paper,
                              .verdict = FINDING_UNTESTABLE,
                              .unit = claim->unit};
    snprintf(finding.figure, sizeof(finding.figure), "%s", claim->figure);
    return finding;
}

void findings_judge(const struct claiming *claiming, struct finding *findings)
{
    const size_t machines = claiming->machines > 1 ? claiming->machines : 1;
    AUTO_MEMORY enum finding_verdict *verdicts = memory_new(machines, sizeof(*verdicts));
    for (size_t i = 0; i < claiming->count; i++) {
        const struct claim *claim = &claiming->claims[i];
        size_t decides = 0;
        findings[i] = blank(claiming, claim);
        if (!claim->rule)
            continue;
        for (size_t machine = 0; machine < machines && claiming->turn && !claim->together;
             machine++) {
            struct finding asked = findings[i];
            claiming->turn(claiming->facts, machine);
            claim->rule(claim, claiming->facts, &asked);
            verdicts[machine] = asked.verdict;
            if (verdict_graver(asked.verdict, verdicts[decides]))
                decides = machine;
        }
        if (claiming->turn && !claim->together)
            claiming->turn(claiming->facts, decides);
        if (claiming->before && !claim->together)
            claiming->before(claiming->facts, verdicts, &findings[i]);
        claim->rule(claim, claiming->facts, &findings[i]);
        if (claiming->after && !claim->together)
            claiming->after(claiming->facts, verdicts, &findings[i]);
    }
}

int reason_first_sentence(const char *reason)
{
    const char *end = strstr(reason, ". ");
    return (int)(end ? (size_t)(end - reason) : strlen(reason));
}

void finding_add(struct finding *finding, const char *format, ...)
{
    size_t used = strlen(finding->reason);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->reason + used, sizeof(finding->reason) - used, format, arguments);
    va_end(arguments);
}

bool verdict_graver(enum finding_verdict one, enum finding_verdict other)
{
    static const int gravity[] = {[FINDING_UNTESTABLE] = 0,
                                  [FINDING_HOLDS] = 1,
                                  [FINDING_INCONCLUSIVE] = 2,
                                  [FINDING_FAILS] = 3};
    return gravity[one] > gravity[other];
}

/* A shift of this many half widths puts four of five intervals beyond the mark: (1.96 + 0.84) /
 * 1.96. */
#define SHIFT_SEEN 1.43

static struct estimate estimate_of(double value, double low, double high)
{
    return (struct estimate){.verdict = FINDING_INCONCLUSIVE,
                             .value = value,
                             .low = low,
                             .high = high,
                             .detectable = SHIFT_SEEN * (high - low) / 2};
}

struct estimate estimate_at_least(double value, double low, double high, double least)
{
    struct estimate estimate = estimate_of(value, low, high);
    if (low >= least)
        estimate.verdict = FINDING_HOLDS;
    else if (high < least)
        estimate.verdict = FINDING_FAILS;
    return estimate;
}

struct estimate estimate_below(double value, double low, double high, double most)
{
    struct estimate estimate = estimate_of(value, low, high);
    if (high < most)
        estimate.verdict = FINDING_HOLDS;
    else if (low >= most)
        estimate.verdict = FINDING_FAILS;
    return estimate;
}

struct estimate estimate_within(double value, double low, double high, double most)
{
    struct estimate estimate = estimate_of(value, low, high);
    if (low >= -most && high <= most)
        estimate.verdict = FINDING_HOLDS;
    else if (low > most || high < -most)
        estimate.verdict = FINDING_FAILS;
    return estimate;
}

void estimate_report(const struct estimate *estimate, struct finding *finding)
{
    finding->verdict = estimate->verdict;
    finding->has_estimate =
        isfinite(estimate->value) && isfinite(estimate->low) && isfinite(estimate->high);
    finding->estimate = finding->has_estimate ? estimate->value : 0;
    finding->low = finding->has_estimate ? estimate->low : 0;
    finding->high = finding->has_estimate ? estimate->high : 0;
    finding->detectable = finding->has_estimate ? estimate->detectable : 0;
}

void finding_clause(struct finding *finding, const char *format, ...)
{
    char clause[NOTE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(clause, sizeof(clause), format, arguments);
    va_end(arguments);
    size_t used = strlen(finding->reason);
    /* The first is kept at any length: a cut one says more than none. */
    if (length <= 0 || (used > 0 && used + 2 + (size_t)length >= sizeof(finding->reason)))
        return;
    finding_add(finding, "%s%s", used > 0 ? "; " : "", clause);
}

void note_add(char note[NOTE_SIZE], const char *format, ...)
{
    char sentence[NOTE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    size_t used = strlen(note);
    /* The first is kept at any length: a cut sentence says more than none. */
    if (length < 0 || (used > 0 && used + 1 + (size_t)length >= NOTE_SIZE))
        return;
    if (used > 0)
        note[used++] = ' ';
    snprintf(note + used, NOTE_SIZE - used, "%s", sentence);
}
