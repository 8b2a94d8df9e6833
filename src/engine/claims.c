/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A paper's findings for a person: what could be decided in full, the rest by the reason. */
#include "engine/claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "output/field.h"
#include "output/json.h"
#include "output/table.h"

static const char refused[] = " cannot be opened";
static const char in_vain[] = "that proves nothing: "; /* what follows is why */

static void put_estimate(const struct finding *finding, struct text *out)
{
    if (!finding->has_estimate || !isfinite(finding->estimate))
        return;
    char estimate[32], low[32], high[32];
    /* Adding 0 takes the sign off a zero. */
    snprintf(estimate, sizeof(estimate), "%.3g", finding->estimate + 0.0);
    snprintf(low, sizeof(low), "%.3g", finding->low + 0.0);
    snprintf(high, sizeof(high), "%.3g", finding->high + 0.0);
    text_printf(out, ", %s", estimate);
    bool wide = strcmp(low, estimate) != 0 || strcmp(high, estimate) != 0;
    if (wide && isfinite(finding->low) && isfinite(finding->high))
        text_printf(out, " (%s to %s)", low, high);
    text_printf(out, " %s", finding->unit ? finding->unit : "");
}

static const char *reason_of(const struct finding *finding)
{
    return finding->why.count ? reasons_text(&finding->why) : finding->reason;
}

/* The first clause that says what was found, with what is joined to it. */
static void put_first_reason(const struct finding *finding, struct text *out)
{
    const struct reasons *why = &finding->why;
    size_t end = finding->aside + 1 < why->count ? finding->aside + 1 : why->count;
    while (end < why->count && why->list[end].joint == JOINT_NONE)
        end++;
    const size_t begin = finding->aside < end ? finding->aside : 0;
    reasons_put(&(struct reasons){why->list + begin, end - begin}, out);
}

/* Up to the first semicolon or full stop between words; what the figures are in was said above. */
static void put_first_clause(const char *reason, struct text *out)
{
    static const char *const units[] = {"in instructions", "counted by its clock"};
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        const char *behind = strstr(reason, "; ");
        if (behind && strncmp(reason, units[i], strlen(units[i])) == 0)
            reason = behind + strlen("; ");
    }
    size_t length = 0;
    while (reason[length] &&
           !((reason[length] == ';' || reason[length] == '.') && reason[length + 1] == ' '))
        length++;
    text_append(out, reason, length);
}

/* The reason for which an event cannot be opened stands elsewhere already. */
static void put_reason(const struct finding *finding, struct text *out)
{
    const char *reason = reason_of(finding), *known = strstr(reason, refused);
    text_append(out, reason, known ? (size_t)(known - reason) + strlen(refused) : strlen(reason));
}

static void put_finding(const struct finding *finding, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "%s ", finding->id);
    if (finding->verdict != FINDING_UNTESTABLE)
        text_printf(&words, "%s: ", finding->claim);
    text_puts(&words, finding_verdict_names[finding->verdict]);
    if (finding->verdict != FINDING_UNTESTABLE)
        put_estimate(finding, &words);
    text_puts(&words, finding->verdict == FINDING_UNTESTABLE ? ": "
                      : reason_of(finding)[0]                ? ". "
                                                             : "");
    put_reason(finding, &words);
    section_put_words(text_string(&words), style, out);
}

/* "Z1 holds as far as tested, 207 times: the error of …". What does not hold as the paper says
 * keeps its reason: it is what a reader asks for. */
static void put_terse(const struct finding *finding, bool brief, const struct style *style,
                      struct text *out)
{
    AUTO_TEXT struct text words = {0};
    bool partly = finding->verdict == FINDING_HOLDS &&
                  (finding->partly || strstr(finding->reason, "not tested"));
    text_printf(&words, "%s %s", finding->id, finding_verdict_names[finding->verdict]);
    text_puts(&words, partly ? " as far as tested" : "");
    put_estimate(finding, &words);
    text_printf(&words, ": %s", finding->claim);
    if (finding->verdict != FINDING_HOLDS && reason_of(finding)[0]) {
        text_puts(&words, brief ? ". Here: " : ". ");
        if (brief && finding->why.count)
            put_first_reason(finding, &words);
        else if (brief)
            put_first_clause(finding->reason, &words);
        else
            put_reason(finding, &words);
    }
    section_put_words(text_string(&words), style, out);
}

/* --- those that say nothing here --- */

/* Findings in a row: "A1 to A4, A8, A9". */
struct run_of_ids {
    struct text words;
    size_t last;      /* index of the latest, + 1 */
    const char *open; /* id that ends the latest range, not yet written … */
    size_t length;    /* … and how many such there are */
};

static void close_range(struct run_of_ids *ids)
{
    if (ids->open)
        text_printf(&ids->words, "%s%s", ids->length > 1 ? " to " : ", ", ids->open);
    ids->open = NULL;
    ids->length = 0;
}

static void add_id(struct run_of_ids *ids, size_t index, const char *id)
{
    if (ids->words.length && ids->last == index) {
        ids->open = id;
        ids->length++;
    } else {
        close_range(ids);
        text_printf(&ids->words, "%s%s", ids->words.length ? ", " : "", id);
    }
    ids->last = index + 1;
}

/* The event in "first level: NAME cannot be opened: why". */
static void put_refused_event(const struct finding *finding, struct text *out)
{
    const char *reason = reason_of(finding), *end = strstr(reason, refused), *start = end;
    while (start > reason && start[-1] != ' ')
        start--;
    size_t length = (size_t)(end - start);
    for (const char *at = text_string(out); *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, ",") == length && strncmp(at, start, length) == 0)
            return;
    text_puts(out, out->length ? ", " : "");
    text_append(out, start, length);
}

/* What is the same in the reasons of several findings. */
static const char *common_reason(const struct finding *finding)
{
    const char *reason = reason_of(finding), *vain = strstr(reason, in_vain);
    if (vain)
        return vain + strlen(in_vain);
    if (strstr(reason, refused))
        return refused;
    if (strstr(reason, "no event that counts"))
        return "no event of the machine that counts what they are about was measured";
    return reason;
}

static void put_common_reason(const struct claims *claims, const struct finding *finding,
                              struct text *out)
{
    if (claims->curt && !claims->all)
        put_first_clause(common_reason(finding), out);
    else
        text_puts(out, common_reason(finding));
}

static bool is_alike(const struct claims *claims, const struct finding *left,
                     const struct finding *right)
{
    AUTO_TEXT struct text one = {0};
    AUTO_TEXT struct text other = {0};
    put_common_reason(claims, left, &one);
    put_common_reason(claims, right, &other);
    return left->id && left->verdict == FINDING_UNTESTABLE &&
           strcmp(text_string(&one), text_string(&other)) == 0;
}

/* All that cannot be tested for the reason of the one at `first`, unless they were told before. */
static void put_alike(const struct claims *claims, size_t first, const struct style *style,
                      struct text *out)
{
    const struct finding *findings = claims->list, *leader = &findings[first];
    struct run_of_ids ids = {0};
    AUTO_TEXT struct text events = {0};
    for (size_t i = 0; i < first; i++)
        if (is_alike(claims, &findings[i], leader))
            return;
    for (size_t i = first; i < claims->count; i++)
        if (is_alike(claims, &findings[i], leader)) {
            add_id(&ids, i, findings[i].id);
            if (common_reason(leader) == refused)
                put_refused_event(&findings[i], &events);
        }
    close_range(&ids);
    text_puts(&ids.words, " not testable here: ");
    if (common_reason(leader) == refused)
        text_printf(&ids.words, "cannot be opened: %s", text_string(&events));
    else
        put_common_reason(claims, leader, &ids.words);
    section_put_words(text_string(&ids.words), style, out);
    text_free(&ids.words);
}

void claims_put(const struct claims *claims, const struct style *style, struct text *out)
{
    bool all = claims->all, brief = claims->few && !all;
    bool any = false, tested = false;
    for (size_t i = 0; i < claims->count; i++) {
        any |= claims->list[i].id != NULL;
        tested |= claims->list[i].id && claims->list[i].verdict != FINDING_UNTESTABLE;
    }
    if (!any)
        return;
    if (brief && !tested) {
        section_printf(style, out,
                       "None of the findings on %s can be tested with these events (--all says "
                       "why).",
                       claims->paper);
        return;
    }
    text_printf(out, "\nFindings of the paper on %s%s:\n", claims->paper,
                claims->terse && !all ? " (--all has the reasons)" : "");
    for (size_t i = 0; i < claims->count; i++) {
        const struct finding *finding = &claims->list[i];
        if (!finding->id || (!all && finding->verdict == FINDING_UNTESTABLE))
            continue;
        if (claims->terse && !all)
            put_terse(finding, claims->brief, style, out);
        else
            put_finding(finding, style, out);
    }
    for (size_t i = 0; i < claims->count && !all && !brief; i++)
        if (claims->list[i].id && claims->list[i].verdict == FINDING_UNTESTABLE)
            put_alike(claims, i, style, out);
    if (!brief)
        return;
    /* Of a few events that were named, what they cannot tell is no news. */
    struct run_of_ids ids = {0};
    for (size_t i = 0; i < claims->count; i++)
        if (claims->list[i].id && claims->list[i].verdict == FINDING_UNTESTABLE)
            add_id(&ids, i, claims->list[i].id);
    close_range(&ids);
    if (ids.words.length)
        section_printf(style, out, "%s not testable with these events (--all says why)",
                       text_string(&ids.words));
    text_free(&ids.words);
}

/* --- for programs --- */

/* The sentence of a judge that has no codes yet. */
static const struct reason_words uncoded = {"uncoded", "{sentence}"};

static struct value finding_reason(const void *item, const void *context)
{
    (void)context;
    const struct finding *finding = item;
    struct reasons *why = memory_new(1, sizeof(*why));
    *why = finding->why;
    if (!why->count)
        REASON(why, CLAUSE, &uncoded, finding->reason);
    return value_reasons(why);
}

static struct value figure_of_finding(const struct finding *finding, double figure)
{
    return finding->has_estimate ? value_real(figure) : value_absent(finding->no_estimate);
}

#define ESTIMATED(member)                                                                          \
    static struct value get_##member(const void *item, const void *context)                        \
    {                                                                                              \
        (void)context;                                                                             \
        return figure_of_finding(item, ((const struct finding *)item)->member);                    \
    }
ESTIMATED(estimate)
ESTIMATED(low)
ESTIMATED(high)
ESTIMATED(detectable)

#define UNTOLD .absent = "there is nothing to estimate it from"
static const struct field finding_fields[] = {
    {"id", AT(struct finding, id), "the claim's id in docs/findings.md"},
    {"claim", AT(struct finding, claim), "what the paper says, in one sentence"},
    {"paper", AT(struct finding, paper), "which paper"},
    {"figure", AT(struct finding, figure), "what the paper reports", .nullable = true},
    {"verdict", AT(struct finding, verdict), "what was found here", .names = finding_verdict_names,
     .name_count = FINDING_UNTESTABLE + 1},
    {"estimate", GET(FIELD_REAL, get_estimate), "the figure of this machine", UNTOLD},
    {"low", GET(FIELD_REAL, get_low), "lower end of its 95 % interval", UNTOLD},
    {"high", GET(FIELD_REAL, get_high), "upper end of it", UNTOLD},
    {"detectable", GET(FIELD_REAL, get_detectable),
     "the smallest effect that would be seen in four of five such runs", UNTOLD},
    {"unit", AT(struct finding, unit), "of these four", .nullable = true},
    {"reason", GET(FIELD_REASONS, finding_reason), "what decided"},
};
const struct fields finding_table =
    FIELDS("finding", "a claim of a paper, judged on this machine", finding_fields);

json_t *claims_json(const struct finding *list, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        if (list[i].id)
            json_array_append_new(array, fields_json(&finding_table, &list[i], NULL));
    return array;
}
