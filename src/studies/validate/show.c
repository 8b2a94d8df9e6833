/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of `assay validate`: verdicts, and below them where ladders ended, how much was
 * disturbed, which of several events of a class is best, the paper's findings, and what to do. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "engine/claims.h"
#include "cli/deliver.h"
#include "cli/unfinished.h"
#include "studies/validate/parts.h"
#include "show/number.h"
#include "show/utf8.h"
#include "show/wrap.h"

#define NAMES_SHOWN 6u /* of a list that --all has in full */

/* --- disturbed runs --- */

static size_t count_runs(const struct validating *validating)
{
    size_t runs = 0;
    for (size_t i = 0; i < validating->judgements.count; i++)
        runs += validating->judgements.list[i].runs;
    return runs;
}

static void put_disturbed(const struct validating *validating, const struct style *style,
                          struct text *out)
{
    size_t runs = count_runs(validating), disturbed = 0;
    for (size_t i = 0; i < validating->judgements.count; i++)
        disturbed += validating->judgements.list[i].disturbed;
    if (!runs)
        return;
    AUTO_TEXT struct text words = {0};
    char all[NUMBER_SIZE], some[NUMBER_SIZE];
    number_count(runs, all, sizeof(all));
    number_count(disturbed, some, sizeof(some));
    text_printf(&words, "%s runs", all);
    if (disturbed)
        text_printf(&words,
                    ", %s of them (%.2g %%) disturbed: the system's own account shows more page "
                    "faults or context switches than the code makes; judged apart",
                    some, 100.0 * (double)disturbed / (double)runs);
    else
        text_puts(&words, ", none of them disturbed");
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 2, style->width);
}

/* --- several events of a class --- */

static const struct judgement *ranked(const struct judgements *judgements, const char *class,
                                      unsigned rank, size_t *at)
{
    for (; *at < judgements->count; (*at)++) {
        const struct judgement *judgement = &judgements->list[*at];
        if (judgement->rank == rank && judgement->verdict > VERDICT_DEAD &&
            judgement->evidence->class && strcmp(judgement->evidence->class, class) == 0)
            return judgement;
    }
    return NULL;
}

static void put_class(const struct judgements *judgements, const char *class,
                      const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "best for %s: ", class);
    unsigned last = 0; /* rank shown; equals are a choice */
    const char *first = NULL;
    bool several = false; /* events, not only modes of one */
    for (unsigned rank = 1; rank <= judgements->count; rank++) {
        size_t at = 0;
        const struct judgement *judgement;
        while ((judgement = ranked(judgements, class, rank, &at))) {
            const char *name = judgement->evidence->event;
            several |= first && !validate_same_base(first, name);
            first = first ? first : name;
            text_puts(&words, !last ? "" : last == rank ? " or " : ", then ");
            text_put_clean(&words, name);
            last = rank;
            at++;
        }
    }
    if (several)
        wrap(out, text_string(&words), 0, 2, style->width);
}

static void put_ranking(const struct validating *validating, const struct style *style,
                        struct text *out)
{
    const struct judgements *judgements = &validating->judgements;
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        bool first = judgement->rank && judgement->evidence->class;
        for (size_t j = 0; j < i && first; j++)
            first = !judgements->list[j].rank || !judgements->list[j].evidence->class ||
                    strcmp(judgements->list[j].evidence->class, judgement->evidence->class) != 0;
        if (first)
            put_class(judgements, judgement->evidence->class, style, out);
    }
}

/* --- what to do --- */

static size_t count_verdict(const struct validating *validating, enum verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < validating->judgements.count; i++)
        count += validating->judgements.list[i].verdict == verdict;
    return count;
}

static bool is_wrong(const struct judgement *judgement)
{
    return judgement->verdict == VERDICT_DEAD || judgement->verdict == VERDICT_BIASED ||
           judgement->verdict == VERDICT_NOISY;
}

/* "Do not believe these events as named: a, b and 3 more." */
static void put_wrong(const struct validating *validating, struct text *out)
{
    size_t wrong = 0;
    for (size_t i = 0; i < validating->judgements.count; i++) {
        const struct judgement *judgement = &validating->judgements.list[i];
        if (!is_wrong(judgement) || (wrong++ >= NAMES_SHOWN && !validating->options->all))
            continue;
        text_puts(out, wrong > 1 ? ", " : "Not to be believed as named: ");
        text_put_clean(out, judgement->evidence->event);
    }
    if (wrong > NAMES_SHOWN && !validating->options->all)
        text_printf(out, " and %zu more", wrong - NAMES_SHOWN);
    text_puts(out, wrong ? "; the table says why. " : "");
}

static void put_advice(const struct validating *validating, const struct style *style,
                       struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (!validating->complete)
        unfinished_put("validate", store_path(validating->store), &validating->options->common,
                       &words);
    put_wrong(validating, &words);
    if (!validating->options->all && count_runs(validating))
        text_puts(&words, "--all shows each specimen, --json every figure. ");
    if (count_verdict(validating, VERDICT_UNSUPPORTED))
        text_puts(&words, "`assay doctor` says what keeps events from being opened.");
    if (!words.length)
        return;
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 0, style->width);
}

static void put_skips(const struct validating *validating, const struct style *style,
                      struct text *out)
{
    if (validating->options->all)
        skips_put(&validating->skips, style, out);
    else if (validating->skips.count) {
        AUTO_TEXT struct text words = {0};
        size_t count = validating->skips.count;
        text_puts(&words, "left out (--all says why): ");
        for (size_t i = 0; i < count && i < NAMES_SHOWN; i++) {
            text_puts(&words, i ? ", " : "");
            text_put_clean(&words, validating->skips.list[i].what);
        }
        if (count > NAMES_SHOWN)
            text_printf(&words, " and %zu more", count - NAMES_SHOWN);
        wrap(out, text_string(&words), 0, 2, style->width);
    }
}

void validate_put_report(const struct validating *validating, const struct style *style,
                         struct text *out)
{
    validate_put_table(validating, style, out);
    validate_put_unsupported(validating, style, out);
    validate_put_caps(validating, style, out);
    put_disturbed(validating, style, out);
    put_ranking(validating, style, out);
    /* Where nothing was measured, what that was not held against is no news. */
    if (count_runs(validating) || validating->options->all) {
        put_skips(validating, style, out);
        const struct claims claims = {.list = validating->findings,
                                      .count = VALIDATE_FINDINGS,
                                      .paper = "microbenchmarks",
                                      .all = validating->options->all,
                                      .few = validating->few};
        claims_put(&claims, style, out);
    }
    put_advice(validating, style, out);
    text_putc(out, '\n');
    deliver_put_machine(validating->facts, style, out);
    text_printf(out, "seed %" PRIu64 ", %.1f s, samples in ", validating->seed,
                validating->seconds);
    text_put_clean(out, store_path(validating->store));
    text_putc(out, '\n');
}

void validate_put_nothing(const struct validating *validating, struct text *out)
{
    if (count_runs(validating))
        return;
    text_puts(out, "nothing was measured");
    if (validating->options->from || validating->complete)
        text_puts(out, "; the report says why");
    else
        text_printf(out,
                    ": the budget of %g s ended first, and looking at the machine alone took %g s. "
                    "--budget %" PRIu64 "s is enough for a first result",
                    (double)validating->budget / 1000, (double)validating->prepared_ms / 1000,
                    1 + (2 * validating->prepared_ms + 999) / 1000);
}
