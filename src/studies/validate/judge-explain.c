/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks one explanation after the other, and writes what was found as a sentence
 * (docs/causes.md). */
#include "judge/explain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "studies/validate/judge.h"
#include "judge/explaining.h"

void explaining_add(struct explaining *explaining, const struct explanation *explanation,
                    const char *format, ...)
{
    struct explained *explained = explaining->explained;
    if (explained->count == EXPLANATIONS_MOST)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(explaining->sentences[explained->count], SENTENCE_SIZE, format, arguments);
    va_end(arguments);
    explained->list[explained->count++] = *explanation;
}

bool event_is_user_only(const struct evidence *evidence)
{
    const char *mode;
    event_base(evidence->event, &mode);
    if (evidence->kind && strcmp(evidence->kind, "source") == 0)
        return true;
    return strchr(mode, 'u') && !strchr(mode, 'k') && !strchr(mode, 'h');
}

/* The best first: the list is short, and equal ones keep their order. */
static void sort_by_share(struct explaining *explaining)
{
    struct explained *explained = explaining->explained;
    for (size_t i = 1; i < explained->count; i++)
        for (size_t j = i; j > 0 && explained->list[j].share > explained->list[j - 1].share; j--) {
            struct explanation kept = explained->list[j];
            explained->list[j] = explained->list[j - 1];
            explained->list[j - 1] = kept;
            char sentence[SENTENCE_SIZE];
            memcpy(sentence, explaining->sentences[j], SENTENCE_SIZE);
            memcpy(explaining->sentences[j], explaining->sentences[j - 1], SENTENCE_SIZE);
            memcpy(explaining->sentences[j - 1], sentence, SENTENCE_SIZE);
        }
}

/* Whole sentences only, as many as there is room for. */
static void write_note(struct explaining *explaining)
{
    struct explained *explained = explaining->explained;
    size_t length = 0;
    for (size_t i = 0; i < explained->count; i++) {
        size_t more = strlen(explaining->sentences[i]) + (i ? 1 : 0);
        if (length + more >= NOTE_SIZE)
            break;
        snprintf(explained->note + length, NOTE_SIZE - length, "%s%s", i ? " " : "",
                 explaining->sentences[i]);
        length += more;
    }
}

typedef int explanation_part(struct explaining *explaining);

static int ask(struct explaining *explaining, explanation_part *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t before = explaining->explained->count;
        int result = parts[i](explaining);
        /* What was found is taken out of the errors: sum up what remains. */
        if (result == 0 && explaining->explained->count > before)
            result = errors_sum_up(&explaining->errors);
        if (result < 0)
            return result;
    }
    return 0;
}

static int explain_all(struct explaining *explaining)
{
    static explanation_part *const shapes[] = {explain_multiplexing, explain_wrap,
                                               explain_saturation, explain_threshold, explain_lost};
    static explanation_part *const doings[] = {explain_interrupts, explain_regression,
                                               explain_stray_faults, explain_point};
    bool defined = false;
    int result = errors_sum_up(&explaining->errors);
    if (result == 0)
        result = ask(explaining, shapes, sizeof(shapes) / sizeof(*shapes));
    if (result == 0)
        result = explain_definition(explaining, &defined);
    if (result == 0 && !defined)
        result = ask(explaining, doings, sizeof(doings) / sizeof(*doings));
    return result;
}

int explain(const struct judgement *judgement, uint64_t seed, struct explained *explained)
{
    (void)seed; /* nothing is resampled so far */
    *explained = (struct explained){0};
    struct explaining *explaining = calloc(1, sizeof(*explaining));
    if (!explaining)
        return -ENOMEM;
    explaining->explained = explained;
    int result = errors_collect(judgement, &explaining->errors);
    /* An event that never counts has no error to explain: which zero it is says the judge. */
    if (result == 0 && explaining->errors.count && !explaining->errors.all_zero)
        result = explain_all(explaining);
    if (result == 0) {
        sort_by_share(explaining);
        write_note(explaining);
    }
    errors_release(&explaining->errors);
    free(explaining);
    return result;
}
