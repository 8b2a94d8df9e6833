/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay caches` found, for a person: a line for each level with what is claimed beside what
 * was measured, and below it in words why something is missing. */
#include <inttypes.h>
#include <stdio.h>

#include "studies/caches/parts.h"

static void add_size(struct table *table, enum tone tone, uint64_t bytes)
{
    char text[NUMBER_SIZE] = "-";
    if (bytes)
        number_bytes(bytes, text, sizeof(text));
    table_add(table, bytes ? tone : TONE_DIM, text);
}

/* Agrees with the claim, where there is one. */
static enum tone tone_of(const struct caches_value *value, uint64_t claim)
{
    if (!value->known)
        return TONE_DIM;
    return !claim ? TONE_STRONG : value->value == claim ? TONE_GOOD : TONE_WARN;
}

static void add_number(struct table *table, const struct caches_value *value, uint64_t claim)
{
    char text[NUMBER_SIZE] = "-";
    if (value->known)
        number_count(value->value, text, sizeof(text));
    table_add(table, tone_of(value, claim), text);
}

/* Each reason once: "size: …; line and ways: …". */
static void put_reasons(const struct caches_row *row, struct text *out)
{
    const struct {
        const char *what;
        const struct caches_value *value;
    } values[] = {
        {row->tlb ? "reach" : "size", &row->bytes}, {"line", &row->line}, {"ways", &row->ways}};
    size_t count = row->tlb ? 1 : 3;
    bool said[3] = {false};
    for (size_t i = 0; i < count; i++) {
        if (values[i].value->known || said[i])
            continue;
        text_printf(out, "%s%s", out->length ? "; " : "", values[i].what);
        for (size_t j = i + 1; j < count; j++)
            if (!values[j].value->known &&
                reasons_equal(&values[i].value->why, &values[j].value->why)) {
                said[j] = true;
                text_printf(out, ", %s", values[j].what);
            }
        text_puts(out, ": ");
        reasons_put(&values[i].value->why, out);
    }
}

static void add_row(struct table *table, const struct caches_row *row)
{
    const struct caches_claim none = {0};
    const struct caches_claim *claim = row->claim ? row->claim : &none;
    AUTO_TEXT struct text reasons = {0};
    char confidence[16] = "-", ticks[16] = "-";
    put_reasons(row, &reasons);
    if (row->bytes.known)
        snprintf(confidence, sizeof(confidence), "%.0f %%", 100 * row->bytes.confidence);
    if (row->ticks > 0)
        snprintf(ticks, sizeof(ticks), "%.1f", row->ticks);
    table_add(table, TONE_PLAIN, row->name);
    add_size(table, TONE_PLAIN, claim->bytes);
    if (caches_is_bracketed(row)) {
        char low[NUMBER_SIZE], high[NUMBER_SIZE];
        number_bytes(row->low, low, sizeof(low));
        number_bytes(row->high, high, sizeof(high));
        table_addf(table, TONE_PLAIN, "%s to %s", low, high);
    } else
        add_size(table, tone_of(&row->bytes, claim->bytes),
                 row->bytes.known ? row->bytes.value : 0);
    table_add(table, row->bytes.known ? TONE_PLAIN : TONE_DIM, confidence);
    add_number(table, &row->line, claim->line);
    add_number(table, &row->ways, claim->ways);
    table_add(table, TONE_PLAIN, ticks);
    table_add(table, TONE_DIM, text_string(&reasons));
}

static void put_table(const struct caches_report *report, const struct style *style,
                      struct text *out)
{
    static const struct column columns[] = {
        {.title = "level"},
        {.title = "claimed", .right = true},
        {.title = "measured", .right = true},
        {.title = "confidence", .right = true},
        {.title = "line", .right = true},
        {.title = "ways", .right = true},
        {.title = "ticks", .right = true},
        {.title = "", .wraps = true},
    };
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    for (size_t i = 0; i < report->row_count; i++)
        add_row(&table, &report->rows[i]);
    table_put(&table, style, out);
    table_free(&table);
}

static void put_pages(const struct caches_page_effect *pages, const struct style *style,
                      struct text *out)
{
    char bytes[NUMBER_SIZE];
    number_bytes(pages->bytes, bytes, sizeof(bytes));
    text_putc(out, '\n');
    if (pages->known)
        section_printf(style, out,
                       "page size: one load a page over %s takes %.1f ticks on ordinary pages, "
                       "%.1f on huge ones",
                       bytes, pages->small, pages->huge);
    else
        section_printf(style, out, "page size: %s", reasons_text(&pages->why));
}

void caches_put_report(const void *kept, const struct style *style, struct text *out)
{
    const struct caches_run *run = kept;
    AUTO_TEXT struct text unfinished = {0};
    put_table(&run->report, style, out);
    put_pages(&run->report.pages, style, out);
    if (!run->unfit)
        section_put_words("measured: the largest ring that still fits; for a TLB the memory it "
                          "reaches. confidence: the share of random halves of the runs that agree. "
                          "ticks: of a step that finds its line there.",
                          style, out);
    if (!run->studying.complete) {
        caches_put_unfinished(run, &unfinished);
        section_printf(style, out, "not finished: %s", text_string(&unfinished));
    }
    skips_put(&run->studying.skips, style, out);
    text_putc(out, '\n');
    deliver_put_machine(run->studying.facts, style, out);
    if (run->studying.stored) {
        text_printf(out, "seed %" PRIu64 ", samples in ", run->studying.seed);
        text_put_clean(out, run->studying.stored);
        text_putc(out, '\n');
    }
}
