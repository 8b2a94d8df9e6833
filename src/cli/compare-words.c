/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The verdict of a comparison in a few sentences. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "commands/compare/compare.h"
#include "show/number.h"

#define NAMES_SAID 3u

void compare_put_group(const struct comparing *comparing, const struct compare_group *group,
                       struct text *out)
{
    const struct compare_quantity *quantity = &comparing->file.quantities[group->quantity];
    text_printf(out, "%s of %s", quantity->event, quantity->subject);
}

void compare_put_sides(const struct comparing *comparing, struct text *out)
{
    const size_t count = comparing->file.side_count;
    for (size_t i = 0; i < count; i++) {
        char letter[8];
        compare_letter(i, letter);
        text_printf(out, "%s%s (%s)",
                    i == 0           ? ""
                    : i + 1 == count ? " and "
                                     : ", ",
                    letter, comparing->file.sides[i].label);
    }
}

static void put_compared(const struct comparing *comparing, struct text *out)
{
    text_puts(out, "Compared: ");
    compare_put_sides(comparing, out);
    text_puts(out, comparing->file.side_count > 2 ? "; all are held against A." : ".");
}

static void put_facts(const struct comparing *comparing, struct text *out)
{
    const struct compare_case *file = &comparing->file;
    size_t said = 0, left = 0;
    for (size_t i = 0; i < file->fact_count; i++) {
        if (!comparing->report.fact_differs[i])
            continue;
        if (said == NAMES_SAID) {
            left++;
            continue;
        }
        text_printf(out, "%s%s", said++ ? ", " : "They differ in ", file->facts[i].title);
    }
    if (!said) {
        text_puts(out, "Nothing that the machines say of themselves differs.");
        return;
    }
    if (left)
        text_printf(out, " and %zu more", left);
    text_puts(out, compare_executes_other_code(comparing)
                       ? "; they execute different code, so that counts of instructions are not "
                         "comparable one by one."
                       : ".");
}

static void put_verdicts(const struct comparing *comparing, struct text *out)
{
    const struct compare_report *report = &comparing->report;
    const size_t differ = compare_verdicts_that(report, STANDING_DIFFERS),
                 same = compare_verdicts_that(report, STANDING_SAME),
                 unsure = compare_verdicts_that(report, STANDING_UNSURE);
    size_t said = 0;
    if (!differ && !same && !unsure) {
        text_puts(out, "Nothing was judged on more than one side.");
        return;
    }
    if (!differ)
        text_printf(out, "No verdict differs: %zu agree", same);
    else
        text_printf(out, "%zu verdict%s differ%s and %zu agree", differ, differ == 1 ? "" : "s",
                    differ == 1 ? "s" : "", same);
    if (unsure)
        text_printf(out, "; %zu came out otherwise where a side is unsure, which is no difference",
                    unsure);
    for (size_t i = 0; i < report->verdict_count && said < NAMES_SAID; i++)
        if (report->verdicts[i].standing == STANDING_DIFFERS) {
            const struct compare_claim *claim = &comparing->file.claims[report->verdicts[i].claim];
            text_printf(out, "%s%s (%s)", said++ ? "; " : ". First: ", claim->subject,
                        claim->study);
        }
    text_putc(out, '.');
}

static double share_off(const struct compare_report *report, const struct compare_group *group)
{
    const double ratio = report->effects[group->typical].ratio;
    return isnan(ratio) ? 0 : fabs(log(ratio));
}

/* The group that differs by the largest share. */
static const struct compare_group *farthest(const struct compare_report *report)
{
    const struct compare_group *best = NULL;
    for (size_t i = 0; i < report->group_count; i++) {
        const struct compare_group *group = &report->groups[i];
        if (group->standing == STANDING_DIFFERS &&
            (!best || share_off(report, group) > share_off(report, best)))
            best = group;
    }
    return best;
}

/* "1 event", "2 events". */
static void put_amount(double amount, const char *unit, struct text *out)
{
    char number[NUMBER_SIZE];
    size_t length = strlen(unit);
    number_brief(amount, number, sizeof(number));
    if (strcmp(number, "1") == 0 && length > 2 && unit[length - 1] == 's')
        length--;
    text_printf(out, "%s %.*s", number, (int)length, unit);
}

static void put_farthest(const struct comparing *comparing, struct text *out)
{
    const struct compare_group *group = farthest(&comparing->report);
    char letter[8];
    if (!group)
        return;
    const struct compare_effect *effect = &comparing->report.effects[group->typical];
    compare_letter(group->side, letter);
    text_puts(out, "; most of all ");
    compare_put_group(comparing, group, out);
    text_printf(out, ", on %s %s by ", letter, effect->shift < 0 ? "less" : "more");
    put_amount(fabs(effect->shift), group->unit, out);
    if (!isnan(effect->ratio))
        text_printf(out, " (%.3g times)", effect->ratio);
}

static void put_quantities(const struct comparing *comparing, struct text *out)
{
    const struct compare_report *report = &comparing->report;
    const size_t differ = compare_groups_that(report, STANDING_DIFFERS),
                 within = compare_groups_that(report, STANDING_WITHIN);
    size_t compared = 0;
    for (size_t i = 0; i < report->group_count; i++)
        compared += report->groups[i].quantities;
    if (!report->group_count) {
        text_puts(out, "Nothing could be compared that was measured on more than one side.");
        return;
    }
    if (!differ)
        text_printf(out, "No quantity differs, of %zu in %zu group%s", compared,
                    report->group_count, report->group_count == 1 ? "" : "s");
    else
        text_printf(out, "%zu of %zu groups of quantities %s", differ, report->group_count,
                    differ == 1 ? "differs" : "differ");
    put_farthest(comparing, out);
    text_puts(out, ". ");
    if (within)
        text_printf(out,
                    "%zu group%s by less than runs of one machine do, as seen between "
                    "processes or assumed. ",
                    within, within == 1 ? " differs" : "s differ");
    if (report->tests)
        text_printf(out,
                    "With %zu tests adjusted by Holm's method, machines that are alike are told "
                    "apart in at most 5 of 100 such comparisons.",
                    report->tests);
    else
        text_puts(out, "Nothing that varies has enough processes for a test.");
}

static void put_deviations(const struct comparing *comparing, struct text *out)
{
    const struct compare_report *report = &comparing->report;
    double worst = -1;
    size_t at = 0;
    for (size_t i = 0; i < report->deviation_count; i++)
        if (report->deviations[i].deviation_percent > worst) {
            worst = report->deviations[i].deviation_percent;
            at = i;
        }
    if (worst < 0)
        return;
    const struct compare_quantity *quantity =
        &comparing->file.quantities[report->deviations[at].quantity];
    if (worst <= 0)
        text_printf(out,
                    "Controlled programs count the same on every side, to the last event (%zu "
                    "counts).",
                    report->deviation_count);
    else
        text_printf(out, "Controlled programs deviate from side to side by up to %.3g %% (%s, %s).",
                    worst, quantity->subject, quantity->event);
}

/* Of the event of which it explains most. */
static const json_t *machine_row(const struct comparing *comparing)
{
    size_t i;
    json_t *row;
    const json_t *anova = compare_anova(comparing), *most = NULL;
    json_array_foreach(anova, i, row)
    {
        const char *factor = json_string_value(json_object_get(row, "factor"));
        const json_t *share = json_object_get(row, "effect_size");
        if (!factor || strcmp(factor, "machine") != 0 || !json_is_number(share))
            continue;
        if (!most ||
            json_number_value(share) > json_number_value(json_object_get(most, "effect_size")))
            most = row;
    }
    return most;
}

static void put_machine(const struct comparing *comparing, struct text *out)
{
    const json_t *row = machine_row(comparing);
    const char *event = json_string_value(json_object_get(row, "event"));
    if (!event)
        return;
    text_printf(out,
                "The machine%s explains at most %.1f %% of the variance of what measuring adds "
                "(%s), and %s beside path and pattern.",
                compare_executes_other_code(comparing) ? ", with the other code that it executes,"
                                                       : "",
                100 * json_number_value(json_object_get(row, "effect_size")), event,
                json_is_true(json_object_get(row, "matters")) ? "matters" : "does not matter");
}

json_t *compare_headline(const struct comparing *comparing)
{
    static void (*const sentences[])(const struct comparing *, struct text *) = {
        put_compared, put_facts, put_verdicts, put_quantities, put_deviations, put_machine};
    json_t *headline = json_array();
    for (size_t i = 0; i < sizeof(sentences) / sizeof(*sentences); i++) {
        AUTO_TEXT struct text sentence = {0};
        sentences[i](comparing, &sentence);
        if (sentence.length)
            json_array_append_new(headline, json_text(text_string(&sentence)));
    }
    return headline;
}
