/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of `assay validate`: verdicts, and below them where ladders ended, how much was
 * disturbed, which of several events of a class is best, the paper's findings, and what to do. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/deliver.h"
#include "cli/validate.h"
#include "show/number.h"
#include "show/shell.h"
#include "show/utf8.h"
#include "show/wrap.h"
#include "study/mode.h"

/* --- ladders that ended early --- */

static void put_time(double ns, struct text *out)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    char number[NUMBER_SIZE];
    size_t unit = 0;
    while (unit < 3 && ns >= 1000) {
        ns /= 1000;
        unit++;
    }
    number_significant(ns, 2, number, sizeof(number));
    text_printf(out, "%s %s", number, units[unit]);
}

static void put_caps(const struct validating *validating, const struct style *style,
                     struct text *out)
{
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < validating->study.subject_count; i++) {
        struct validate_cap cap;
        char n[NUMBER_SIZE];
        if (!validate_cap(&validating->study, &validating->plan, i, &cap))
            continue;
        number_count(cap.n, n, sizeof(n));
        text_puts(&words, words.length ? "; " : "ladders capped by cost: ");
        text_put_clean(&words, validating->subjects[i].name);
        text_printf(&words, " at N = %s", n);
        if (cap.hit_ns > 0) {
            text_puts(&words, " (one hit of ");
            text_append(&words, cap.specimen, strcspn(cap.specimen, "/"));
            text_puts(&words, " costs ");
            put_time(cap.hit_ns, &words);
            text_putc(&words, ')');
        }
    }
    if (!words.length)
        return;
    text_puts(&words, ". --full lifts this, a larger --budget raises it.");
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 2, style->width);
}

/* --- disturbed runs --- */

static void put_disturbed(const struct validating *validating, const struct style *style,
                          struct text *out)
{
    size_t runs = 0, disturbed = 0;
    for (size_t i = 0; i < validating->judgements.count; i++) {
        runs += validating->judgements.list[i].runs;
        disturbed += validating->judgements.list[i].disturbed;
    }
    if (!runs)
        return;
    AUTO_TEXT struct text words = {0};
    char all[NUMBER_SIZE], some[NUMBER_SIZE];
    number_count(runs, all, sizeof(all));
    number_count(disturbed, some, sizeof(some));
    text_printf(&words, "%s runs", all);
    if (disturbed)
        text_printf(&words,
                    ", %s of them (%.2g %%) disturbed by what the system's own account saw: judged "
                    "apart",
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

/* Length of the name without its mode. */
static size_t base_length(const char *name)
{
    const char *mode = event_mode(name);
    return mode ? (size_t)(mode - name) - (mode[-1] == ':') : strlen(name);
}

static bool same_base(const char *left, const char *right)
{
    size_t length = base_length(left);
    return length == base_length(right) && strncmp(left, right, length) == 0;
}

static void put_class(const struct judgements *judgements, const char *class,
                      const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "best for %s: ", class);
    size_t shown = 0;
    const char *first = NULL;
    bool several = false; /* events, not only modes of one */
    for (unsigned rank = 1; rank <= judgements->count; rank++) {
        size_t at = 0;
        const struct judgement *judgement;
        while ((judgement = ranked(judgements, class, rank, &at))) {
            const char *name = judgement->evidence->event;
            several |= first && !same_base(first, name);
            first = first ? first : name;
            text_puts(&words, shown++ ? ", then " : "");
            text_put_clean(&words, name);
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

/* --- findings --- */

static void put_estimate(const struct finding *finding, struct text *out)
{
    if (!finding->has_estimate || !isfinite(finding->estimate))
        return;
    text_printf(out, ", %.3g", finding->estimate);
    if (isfinite(finding->low) && isfinite(finding->high))
        text_printf(out, " (%.3g to %.3g)", finding->low, finding->high);
    text_printf(out, " %s", finding->unit ? finding->unit : "");
}

/* Why it cannot be tested; the reason for which an event cannot be opened stands above already. */
static void put_untestable(const struct finding *finding, struct text *out)
{
    static const char opened[] = " cannot be opened";
    const char *known = strstr(finding->reason, opened);
    size_t length =
        known ? (size_t)(known - finding->reason) + strlen(opened) : strlen(finding->reason);
    text_puts(out, ": ");
    text_append(out, finding->reason, length);
}

static void put_finding(const struct finding *finding, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "%s ", finding->id);
    if (finding->verdict != FINDING_UNTESTABLE)
        text_printf(&words, "%s: ", finding->claim);
    text_puts(&words, finding_verdict_names[finding->verdict]);
    if (finding->verdict == FINDING_UNTESTABLE) {
        put_untestable(finding, &words);
    } else {
        put_estimate(finding, &words);
        if (finding->reason[0])
            text_printf(&words, ". %s", finding->reason);
    }
    wrap(out, text_string(&words), 0, 2, style->width);
}

/* Of a few events that were named, what they cannot tell is no news. */
static void put_findings(const struct validating *validating, const struct style *style,
                         struct text *out)
{
    bool brief = validating->few && !validating->options->all;
    AUTO_TEXT struct text rest = {0};
    text_puts(out, "\nFindings of the paper on microbenchmarks:\n");
    for (size_t i = 0; i < VALIDATE_FINDINGS; i++) {
        const struct finding *finding = &validating->findings[i];
        if (!finding->id)
            continue;
        if (brief && finding->verdict == FINDING_UNTESTABLE)
            text_printf(&rest, "%s%s", rest.length ? ", " : "", finding->id);
        else
            put_finding(finding, style, out);
    }
    if (!rest.length)
        return;
    text_puts(&rest, " not testable with these events (--all says why)");
    wrap(out, text_string(&rest), 0, 2, style->width);
}

/* --- what to do --- */

static size_t count_verdict(const struct validating *validating, enum verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < validating->judgements.count; i++)
        count += validating->judgements.list[i].verdict == verdict;
    return count;
}

static void put_advice(const struct validating *validating, const struct style *style,
                       struct text *out)
{
    AUTO_TEXT struct text words = {0};
    size_t wrong = count_verdict(validating, VERDICT_DEAD) +
                   count_verdict(validating, VERDICT_BIASED) +
                   count_verdict(validating, VERDICT_NOISY);
    if (!validating->complete) {
        text_puts(&words, "Not finished: what is missing comes with `assay validate --resume "
                          "--store ");
        text_put_shell(&words, store_path(validating->store));
        deliver_put_via(&validating->options->common, &words);
        text_puts(&words, "`. ");
    }
    if (wrong)
        text_printf(&words, "%zu event%s should not be believed as named. ", wrong,
                    wrong == 1 ? "" : "s");
    if (!validating->options->all)
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
        text_puts(&words, "left out (--all says why): ");
        for (size_t i = 0; i < validating->skips.count; i++) {
            text_puts(&words, i ? ", " : "");
            text_put_clean(&words, validating->skips.list[i].what);
        }
        wrap(out, text_string(&words), 0, 2, style->width);
    }
}

static int show_person(struct validating *validating, int status)
{
    const struct common_options *common = &validating->options->common;
    struct style style = deliver_style(common);
    AUTO_TEXT struct text out = {0};
    validate_put_table(validating, &style, &out);
    validate_put_unsupported(validating, &style, &out);
    put_caps(validating, &style, &out);
    put_disturbed(validating, &style, &out);
    put_ranking(validating, &style, &out);
    put_skips(validating, &style, &out);
    put_findings(validating, &style, &out);
    put_advice(validating, &style, &out);
    text_putc(&out, '\n');
    deliver_put_machine(validating->facts, &style, &out);
    text_printf(&out, "seed %" PRIu64 ", %.1f s, samples in ", validating->seed,
                validating->seconds);
    text_put_clean(&out, store_path(validating->store));
    text_putc(&out, '\n');
    return deliver_text("validate", common, &out, status);
}

static int show_json(struct validating *validating, int status)
{
    struct envelope envelope = {.has_seed = true,
                                .seed = validating->seed,
                                .facts = validating->facts,
                                .fingerprint = validating->fingerprint,
                                .results = validate_results_json(validating),
                                .analysis = validate_analysis_json(validating),
                                .skipped = skips_json(&validating->skips),
                                .findings = validate_findings_json(validating)};
    return deliver_json("validate", &validating->options->common, &envelope, status);
}

/* Did an event get a verdict of --fail-on? */
static bool is_hit(const struct validating *validating)
{
    const struct string_list *names = &validating->options->fail_on;
    for (size_t i = 0; i < names->count; i++)
        if (count_verdict(validating, (enum verdict)verdict_from_name(names->items[i])))
            return true;
    return false;
}

/* Is everything missing that was asked for, or was there something to measure and nothing could
 * be, as on a CPU that is not there? */
static bool is_lacking(const struct validating *validating)
{
    size_t runs = 0;
    for (size_t i = 0; i < validating->judgements.count; i++)
        runs += validating->judgements.list[i].runs;
    if (validating->plan.count && validating->complete)
        return !runs;
    return validating->few &&
           count_verdict(validating, VERDICT_UNSUPPORTED) == validating->judgements.count;
}

int validate_show(struct validating *validating, int status)
{
    if (status == EXIT_DONE && is_hit(validating))
        status = EXIT_VERDICT;
    if (status == EXIT_DONE && is_lacking(validating))
        status = EXIT_LACKING;
    return validating->options->common.json ? show_json(validating, status)
                                            : show_person(validating, status);
}
