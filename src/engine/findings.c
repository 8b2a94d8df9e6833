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
    size_t length = end ? (size_t)(end - reason) : strlen(reason);
    return (int)(length < 280 ? length : 280);
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

/* ----------------------------------------------------------------------------------------------
 * Writes the sentences of a judgement. */

#define WHOLE_MOST 1e15 /* above this not every digit means something */

/* Groups the digits before the point by threes. */
static void group(const char *plain, char text[FIGURE_SIZE])
{
    size_t digits = strspn(plain, "0123456789"), used = 0;
    for (size_t i = 0; plain[i] && used + 2 < FIGURE_SIZE; i++) {
        if (i > 0 && i < digits && (digits - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = plain[i];
    }
    text[used] = '\0';
}

/* 12.500 says no more than 12.5. */
static void trim(char plain[FIGURE_SIZE])
{
    if (!strchr(plain, '.') || strchr(plain, 'e'))
        return;
    char *end = plain + strlen(plain);
    while (end[-1] == '0')
        end--;
    end[end[-1] == '.' ? -1 : 0] = '\0';
}

static void magnitude(double value, char text[FIGURE_SIZE])
{
    char plain[FIGURE_SIZE];
    if (!isfinite(value) || value >= WHOLE_MOST)
        snprintf(plain, sizeof(plain), "%.3g", value);
    else if (value == floor(value) || value >= 1000)
        snprintf(plain, sizeof(plain), "%.0f", value);
    else
        snprintf(plain, sizeof(plain), value < 0.1 ? "%.2g" : "%.3f", value);
    trim(plain);
    group(plain, text);
}

const char *figure_of(double value, char text[FIGURE_SIZE])
{
    if (value >= 0 || isnan(value)) {
        magnitude(value, text);
        return text;
    }
    return signed_figure(value, text);
}

const char *figure_rounded(double value, int digits, char text[FIGURE_SIZE])
{
    char plain[FIGURE_SIZE], grouped[FIGURE_SIZE];
    const double size = fabs(value);
    if (!(size > 0) || size >= WHOLE_MOST)
        return figure_of(value, text);
    const int decimals = digits - 1 - (int)floor(log10(size));
    if (size < 1)
        snprintf(plain, sizeof(plain), "%.*g", digits, size);
    else
        snprintf(plain, sizeof(plain), "%.*f", decimals > 0 ? decimals : 0, size);
    trim(plain);
    group(plain, grouped);
    snprintf(text, FIGURE_SIZE, "%s%.*s", value < 0 ? "-" : "", FIGURE_SIZE - 2, grouped);
    return text;
}

const char *signed_figure(double value, char text[FIGURE_SIZE])
{
    char rest[FIGURE_SIZE];
    magnitude(fabs(value), rest);
    snprintf(text, FIGURE_SIZE, "%c%.*s", value < 0 ? '-' : '+', FIGURE_SIZE - 2, rest);
    return text;
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
