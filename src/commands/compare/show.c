/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A comparison for people: the verdict, then what it rests on, part by part. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "commands/compare/compare.h"
#include "engine/told.h"
#include "output/figure.h"
#include "output/table.h"

/* ----------------------------------------------------------------------------------------------
 * The verdict of a comparison in a few sentences. */

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
        report_label(i, letter);
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
    text_putc(out, '.');
}

static void put_first_verdicts(const struct comparing *comparing, struct text *out)
{
    const struct compare_report *report = &comparing->report;
    size_t said = 0;
    for (size_t i = 0; i < report->verdict_count && said < NAMES_SAID; i++)
        if (report->verdicts[i].standing == STANDING_DIFFERS) {
            const struct compare_claim *claim = &comparing->file.claims[report->verdicts[i].claim];
            text_printf(out, "%s%s (%s)", said++ ? "; " : "First: ", claim->subject, claim->study);
        }
    text_puts(out, said ? "." : "");
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

static void put_farthest(const struct comparing *comparing, struct text *out)
{
    const struct compare_group *group = farthest(&comparing->report);
    char letter[8];
    if (!group)
        return;
    const struct compare_effect *effect = &comparing->report.effects[group->typical];
    report_label(group->side, letter);
    text_puts(out, "; most of all ");
    compare_put_group(comparing, group, out);
    text_printf(out, ", on %s %s by ", letter, effect->shift < 0 ? "less" : "more");
    /* "1 event", "2 events". */
    char number[NUMBER_SIZE];
    size_t length = strlen(group->unit);
    number_brief(fabs(effect->shift), number, sizeof(number));
    if (strcmp(number, "1") == 0 && length > 2 && group->unit[length - 1] == 's')
        length--;
    text_printf(out, "%s %.*s", number, (int)length, group->unit);

    if (!isnan(effect->ratio))
        text_printf(out, " (%.3g times)", effect->ratio);
}

static void put_quantities(const struct comparing *comparing, struct text *out)
{
    const struct compare_report *report = &comparing->report;
    const size_t differ = compare_groups_that(report, STANDING_DIFFERS);
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
    text_putc(out, '.');
}

static void put_tests(const struct comparing *comparing, struct text *out)
{
    const struct compare_report *report = &comparing->report;
    const size_t within = compare_groups_that(report, STANDING_WITHIN);
    if (!report->group_count)
        return;
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
static const struct compared_factor *machine_row(const struct comparing *comparing)
{
    const struct compare_together *anova = compare_anova(comparing);
    const struct compared_factor *most = NULL;
    for (size_t i = 0; anova && i < anova->factor_count; i++) {
        const struct compared_factor *factor = &anova->factors[i];
        if (factor->machine && isfinite(factor->share) && (!most || factor->share > most->share))
            most = factor;
    }
    return most;
}

static void put_machine(const struct comparing *comparing, struct text *out)
{
    const struct compared_factor *factor = machine_row(comparing);
    if (factor)
        text_printf(
            out,
            "The machine%s explains at most %.1f %% of the variance of what measuring adds "
            "(%s), and %s beside path and pattern.",
            compare_executes_other_code(comparing) ? ", with the other code that it executes," : "",
            100 * factor->share, factor->event, factor->matters ? "matters" : "does not matter");
}

struct lead compare_headline(const struct comparing *comparing)
{
    static const struct {
        void (*first)(const struct comparing *, struct text *);
        void (*rest)(const struct comparing *, struct text *);
    } sentences[] = {
        {put_compared, NULL},        {put_facts, NULL},      {put_verdicts, put_first_verdicts},
        {put_quantities, put_tests}, {put_deviations, NULL}, {put_machine, NULL}};
    struct lead headline = {0};
    for (size_t i = 0; i < sizeof(sentences) / sizeof(*sentences); i++) {
        AUTO_TEXT struct text sentence = {0}, rest = {0};
        sentences[i].first(comparing, &sentence);
        if (!sentence.length)
            continue;
        told_add(&headline.first, text_string(&sentence));
        if (sentences[i].rest)
            sentences[i].rest(comparing, &rest);
        text_printf(&sentence, "%s%s", rest.length ? " " : "", text_string(&rest));
        told_add(&headline.whole, text_string(&sentence));
    }
    return headline;
}

/* --- the report --- */

#define ROWS_SHOWN 40u /* of a table, unless --all */

static void put_left(size_t left, const char *what, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (!left)
        return;
    text_printf(&words, "%zu more %s: --all shows them.", left, what);
    section_put_words(text_string(&words), style, out);
}

/* With its heading, unless it is empty; `left` rows had no place in it. */
static void end_table(struct table *table, const char *heading, size_t left,
                      const struct style *style, struct text *out)
{
    if (table->count) {
        section_put_heading(heading, style, out);
        table_put(table, style, out);
        put_left(left, "of these", style, out);
    }
    table_free(table);
}

static size_t beyond(size_t count, size_t most)
{
    return count > most ? count - most : 0;
}

/* Columns "", A, B …; the last may wrap. */
static void side_columns(const struct comparing *comparing, struct column *columns, size_t first,
                         char (*letters)[8])
{
    for (size_t i = 0; i < comparing->file.side_count; i++) {
        report_label(i, letters[i]);
        columns[first + i] = (struct column){.title = letters[i]};
    }
}

/* --- facts --- */

static void add_fact_rows(const struct comparing *comparing, struct table *table,
                          enum fact_weight weight, bool all)
{
    static const char *const weights[] = {"other code", "machine", "setting"};
    const struct compare_case *file = &comparing->file;
    for (size_t i = 0; i < file->fact_count; i++) {
        const struct compare_fact *fact = &file->facts[i];
        const bool differs = comparing->report.fact_differs[i];
        if (fact->weight != weight || (!differs && (!all || !fact->values[0])))
            continue;
        table_add(table, differs ? TONE_STRONG : TONE_DIM, fact->title);
        table_add(table, weight == WEIGHT_CODE && differs ? TONE_WARN : TONE_DIM,
                  differs ? weights[weight] : "same");
        for (size_t side = 0; side < file->side_count; side++)
            table_add(table, TONE_PLAIN, fact->values[side] ? fact->values[side] : "-");
    }
}

/* --- verdicts --- */

void compare_put_word(const struct compare_word *word, struct text *out)
{
    text_puts(out, word->word);
    if (word->runs)
        text_printf(out, " (%zu of %zu)", word->hits, word->runs);
    else if (word->detail)
        text_printf(out, " (%s)", word->detail);
}

static void add_word(const struct compare_word *word, enum compare_standing standing,
                     struct table *table)
{
    AUTO_TEXT struct text words = {0};
    if (word->word)
        compare_put_word(word, &words);
    table_add(table,
              !word->word                                   ? TONE_DIM
              : !word->runs && standing == STANDING_DIFFERS ? TONE_STRONG
                                                            : TONE_PLAIN,
              word->word ? text_string(&words) : "-");
}

static void put_standing(const struct comparing *comparing, enum compare_standing standing,
                         const char *heading, size_t most, const struct style *style,
                         struct text *out)
{
    const struct compare_report *report = &comparing->report;
    struct column columns[2 + COMPARE_MOST_SIDES] = {{.title = "study"}, {.title = "of"}};
    char letters[COMPARE_MOST_SIDES][8];
    side_columns(comparing, columns, 2, letters);
    struct table table = {.columns = columns, .column_count = 2 + comparing->file.side_count};
    size_t count = 0;
    for (size_t i = 0; i < report->verdict_count; i++) {
        const struct compare_claim *claim = &comparing->file.claims[report->verdicts[i].claim];
        if (report->verdicts[i].standing != standing || count++ >= most)
            continue;
        table_add(&table, TONE_PLAIN, claim->study);
        table_add(&table, TONE_PLAIN, claim->subject);
        for (size_t side = 0; side < comparing->file.side_count; side++)
            add_word(&claim->sides[side], standing, &table);
    }
    end_table(&table, heading, beyond(count, most), style, out);
}

static void show_put_verdicts(const struct comparing *comparing, const struct style *style,
                              struct text *out)
{
    const bool all = comparing->options->all;
    AUTO_TEXT struct text words = {0};
    put_standing(comparing, STANDING_DIFFERS, "Verdicts that differ", all ? SIZE_MAX : ROWS_SHOWN,
                 style, out);
    if (all) {
        put_standing(comparing, STANDING_UNSURE, "Differences that may be chance", SIZE_MAX, style,
                     out);
        put_standing(comparing, STANDING_APART, "Judged on one side only", SIZE_MAX, style, out);
        put_standing(comparing, STANDING_SAME, "Verdicts that agree", SIZE_MAX, style, out);
        return;
    }
    const size_t apart = compare_verdicts_that(&comparing->report, STANDING_APART),
                 unsure = compare_verdicts_that(&comparing->report, STANDING_UNSURE);
    if (!apart && !unsure)
        return;
    if (apart)
        text_printf(&words, "%zu verdicts were given on one side only. ", apart);
    if (unsure)
        text_printf(&words, "%zu came out otherwise, which may be chance. ", unsure);
    text_puts(&words, "(--all shows them.)");
    text_putc(out, '\n');
    section_put_words(text_string(&words), style, out);
}

/* --- quantities --- */

static void put_interval(const struct interval *interval, struct text *out)
{
    if (!isfinite(interval->low) || !isfinite(interval->high)) {
        text_puts(out, "-");
        return;
    }
    figure_put_number(out, interval->low);
    text_puts(out, " to ");
    figure_put_number(out, interval->high);
}

static void add_number(struct table *table, double value)
{
    char text[NUMBER_SIZE];
    number_brief(value, text, sizeof(text));
    table_add(table, TONE_PLAIN, text);
}

/* What a group and a quantity alone have in common: where it lies, how far apart, how clearly. */
#define FIGURE_COLUMNS                                                                             \
    {.title = "A", .right = true}, {.title = "there", .right = true},                              \
        {.title = "shift", .right = true}, {.title = "ratio", .right = true},                      \
        {.title = "delta", .right = true}, {.title = "95 % of delta"},                             \
    {                                                                                              \
        .title = "in"                                                                              \
    }

static void add_figures(const struct compare_effect *effect, double delta,
                        const struct interval *interval, struct table *table)
{
    AUTO_TEXT struct text limits = {0};
    put_interval(interval, &limits);
    add_number(table, effect->first_median);
    add_number(table, effect->median);
    add_number(table, effect->shift);
    if (isnan(effect->ratio))
        table_add(table, TONE_DIM, "-");
    else
        table_addf(table, TONE_PLAIN, "%.3g", effect->ratio);
    table_addf(table, TONE_PLAIN, "%.2f", delta);
    table_add(table, TONE_PLAIN, text_string(&limits));
    table_add(table, TONE_DIM, effect->unit);
}

/* Study, event and subject. */
#define QUANTITY_COLUMNS                                                                           \
    {.title = "study"}, {.title = "event"},                                                        \
    {                                                                                              \
        .title = "of"                                                                              \
    }

static void add_quantity(const struct compare_quantity *quantity, struct table *table)
{
    table_add(table, TONE_PLAIN, quantity->study);
    table_add(table, TONE_PLAIN, quantity->event);
    table_add(table, TONE_PLAIN, quantity->subject);
}

static void add_side(size_t side, struct table *table)
{
    char letter[8];
    report_label(side, letter);
    table_add(table, TONE_PLAIN, letter);
}

static const struct column group_columns[] = {
    QUANTITY_COLUMNS, {.title = "side"}, {.title = "differ", .right = true}, FIGURE_COLUMNS};

static void put_effects(const struct comparing *comparing, const struct style *style,
                        struct text *out)
{
    static const struct column columns[] = {QUANTITY_COLUMNS,  {.title = "with"},
                                            {.title = "side"}, {.title = "is"},
                                            FIGURE_COLUMNS,    {.title = "95 % of shift"}};
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    for (size_t i = 0; i < comparing->report.effect_count; i++) {
        const struct compare_effect *effect = &comparing->report.effects[i];
        const struct compare_quantity *quantity = &comparing->file.quantities[effect->quantity];
        AUTO_TEXT struct text limits = {0};
        if (effect->group == COMPARE_NO_GROUP)
            continue;
        put_interval(&effect->shift_interval, &limits);
        add_quantity(quantity, &table);
        table_add(&table, TONE_PLAIN, quantity->factors);
        add_side(effect->side, &table);
        table_add(&table, effect->standing == STANDING_DIFFERS ? TONE_STRONG : TONE_DIM,
                  compare_standing_names[effect->standing]);
        add_figures(effect, effect->delta, &effect->delta_interval, &table);
        table_add(&table, TONE_PLAIN, text_string(&limits));
    }
    end_table(&table, "Every quantity", 0, style, out);
}

/* Not those that their group does not bear out, which is told of the group. */
static size_t unsure_by_themselves(const struct compare_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->effect_count; i++) {
        const struct compare_effect *effect = &report->effects[i];
        count += effect->standing == STANDING_UNSURE && effect->group != COMPARE_NO_GROUP &&
                 report->groups[effect->group].standing == STANDING_UNSURE;
    }
    return count;
}

/* Each reason once. */
static void put_uncompared(const struct comparing *comparing, const struct style *style,
                           struct text *out)
{
    const struct compare_report *report = &comparing->report;
    AUTO_TEXT struct text words = {0};
    const size_t few = compare_effects_that(report, STANDING_FEW),
                 apart = compare_effects_that(report, STANDING_APART),
                 doubtful = unsure_by_themselves(report);
    for (size_t i = 0; i < report->effect_count; i++) {
        const struct reasons *why = &report->effects[i].why;
        size_t count = 0;
        bool said = false;
        for (size_t j = 0; j < report->effect_count && why->count; j++) {
            const bool same = reasons_equal(&report->effects[j].why, why);
            count += same;
            said |= j < i && same;
        }
        if (why->count && !said)
            text_printf(&words, "%zu quantities cannot be compared: %s. ", count,
                        reasons_text(why));
    }
    if (few)
        text_printf(&words,
                    "%zu quantities have other medians, but too few processes to tell by "
                    "themselves. ",
                    few);
    if (doubtful)
        text_printf(&words,
                    "%zu %s, by so few processes that the interval of how clearly holds none at "
                    "all: measure with more of them. ",
                    doubtful, doubtful == 1 ? "quantity differs" : "quantities differ");
    if (apart)
        text_printf(&words, "%zu quantities were measured on one side only.", apart);
    if (words.length) {
        text_putc(out, '\n');
        section_put_words(text_string(&words), style, out);
    }
}

/* --- machines --- */

static void show_put_deviations(const struct comparing *comparing, const struct style *style,
                                struct text *out)
{
    static const struct column columns[] = {
        {.title = "program"},
        {.title = "event"},
        {.title = "sides", .right = true},
        {.title = "mean", .right = true},
        {.title = "deviation %", .right = true},
        {.title = "farthest %", .right = true},
    };
    const struct compare_report *report = &comparing->report;
    const size_t most = comparing->options->all ? SIZE_MAX : ROWS_SHOWN;
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    size_t count = 0;
    for (size_t i = 0; i < report->deviation_count; i++) {
        const struct compare_deviation *deviation = &report->deviations[i];
        if ((!comparing->options->all && !(deviation->deviation_percent > 0)) || count++ >= most)
            continue;
        const struct compare_quantity *quantity = &comparing->file.quantities[deviation->quantity];
        table_add(&table, TONE_PLAIN, quantity->subject);
        table_add(&table, TONE_PLAIN, quantity->event);
        table_addf(&table, TONE_PLAIN, "%zu", deviation->machines);
        add_number(&table, deviation->mean);
        table_addf(&table, TONE_PLAIN, "%.3g", deviation->deviation_percent);
        table_addf(&table, TONE_PLAIN, "%.3g", deviation->worst_percent);
    }
    end_table(&table, "Controlled programs from side to side (Weaver and McKee)",
              beyond(count, most), style, out);
}

static void add_share(struct table *table, double share)
{
    if (isfinite(share))
        table_addf(table, TONE_PLAIN, "%.1f %%", 100 * share);
    else
        table_add(table, TONE_DIM, "-");
}

static void put_factors(const struct comparing *comparing, const struct style *style,
                        struct text *out)
{
    static const struct column columns[] = {
        {.title = "event"},
        {.title = "factor"},
        {.title = "of variance", .right = true},
        {.title = "within paths", .right = true},
        {.title = "matters"},
    };
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    const struct compare_together *anova = compare_anova(comparing);
    for (size_t i = 0; anova && i < anova->factor_count; i++) {
        const struct compared_factor *factor = &anova->factors[i];
        if (!comparing->options->all && !compare_has_machine(anova, factor->event))
            continue;
        table_add(&table, TONE_PLAIN, factor->event);
        table_add(&table, factor->machine ? TONE_STRONG : TONE_PLAIN, factor->name);
        add_share(&table, factor->share);
        add_share(&table, factor->within);
        table_add(&table, factor->matters ? TONE_STRONG : TONE_DIM, factor->matters ? "yes" : "no");
    }
    end_table(&table, "The machine as a factor of what measuring adds", 0, style, out);
}

static void put_findings(const struct comparing *comparing, const struct style *style,
                         struct text *out)
{
    for (size_t i = 0; i < comparing->finding_count; i++) {
        const struct finding *finding = &comparing->findings[i];
        AUTO_TEXT struct text words = {0};
        text_printf(&words, "%s, %s: %s%s%s", finding->id, finding->claim,
                    finding_verdict_names[finding->verdict], finding->why.count ? ": " : "",
                    reasons_text(&finding->why));
        if (!i)
            section_put_heading("What papers say of several machines", style, out);
        section_put_item(text_string(&words), style, out);
    }
}

void compare_put_report(const void *run, const struct style *style, struct text *out)
{
    const struct comparing *comparing = run;
    const size_t most = comparing->options->all ? SIZE_MAX : ROWS_SHOWN;
    for (size_t i = 0; i < comparing->headline.whole.count; i++)
        section_put_words(comparing->headline.whole.items[i], style, out);
    struct column columns[2 + COMPARE_MOST_SIDES] = {{.title = "fact"}, {.title = "of"}};
    char letters[COMPARE_MOST_SIDES][8];
    side_columns(comparing, columns, 2, letters);
    struct table facts = {.columns = columns, .column_count = 2 + comparing->file.side_count};
    for (int weight = WEIGHT_CODE; weight <= WEIGHT_SETTING; weight++)
        add_fact_rows(comparing, &facts, (enum fact_weight)weight, comparing->options->all);
    end_table(&facts, "What differs between the machines", 0, style, out);

    show_put_verdicts(comparing, style, out);
    const struct compare_report *report = &comparing->report;
    struct table table = {.columns = group_columns,
                          .column_count = sizeof(group_columns) / sizeof(*group_columns)};
    size_t count = 0;
    for (const struct compare_group *group = report->groups;
         group < report->groups + report->group_count; group++)
        if (group->standing == STANDING_DIFFERS && count++ < most) {
            add_quantity(&comparing->file.quantities[group->quantity], &table);
            add_side(group->side, &table);
            if (group->differing)
                table_addf(&table, TONE_STRONG, "%zu of %zu", group->differing, group->quantities);
            else
                table_addf(&table, TONE_PLAIN, "%s of %zu",
                           group->standing == STANDING_DIFFERS ? "all" : "0", group->quantities);
            add_figures(&comparing->report.effects[group->typical], group->delta,
                        &group->delta_interval, &table);
        }

    end_table(&table, "Quantities that differ, each group by the one in the middle",
              beyond(count, most), style, out);

    if (comparing->options->all)
        put_effects(comparing, style, out);
    put_uncompared(comparing, style, out);
    show_put_deviations(comparing, style, out);
    put_factors(comparing, style, out);
    put_findings(comparing, style, out);
    for (size_t i = 0; i < comparing->notes.count; i++) {
        if (!i)
            section_put_heading("To know", style, out);
        section_put_item(comparing->notes.items[i], style, out);
    }
}
