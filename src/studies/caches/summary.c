/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of caches. */
#include <math.h>
#include <string.h>

#include "engine/told.h"
#include "output/field.h"
#include "output/figure.h"
#include "studies/caches/parts.h"

static void put_bytes(double bytes, struct text *out)
{
    char words[NUMBER_SIZE];
    number_bytes((uint64_t)bytes, words, sizeof(words));
    text_puts(out, words);
}

static double claimed_of(const struct caches_row *row)
{
    return row->claim ? (double)row->claim->bytes : 0;
}

static double measured_of(const struct caches_row *row)
{
    return row->bytes.known ? (double)row->bytes.value : 0;
}

static void lead(const void *kept, struct lead *sentences)
{
    const struct caches_report *report = &((const struct caches_run *)kept)->report;
    for (const struct caches_row *row = report->rows; row < report->rows + report->row_count;
         row++) {
        AUTO_TEXT struct text sentence = {0};
        const double claimed = claimed_of(row), size = measured_of(row);
        if (claimed <= 0 && size <= 0)
            continue;
        /* "L1 data", "TLB 2 of huge pages" */
        if (row->tlb)
            text_printf(&sentence, "TLB %u%s: ", row->level,
                        strcmp(row->type, "tlb-huge") == 0 ? " of huge pages" : "");
        else
            text_printf(&sentence, "L%u %s: ", row->level, row->type);
        /* "48 KiB, as the machine claims.", "between 44 KiB and 52 KiB, where the 48 KiB lie that
         * the machine claims.", or that there is nothing. */
        const double low = size > 0 ? size : (double)row->low,
                     high = size > 0 ? size : (double)row->high;
        const bool found = low > 0 && high > 0, agrees = claimed >= low && claimed <= high;
        if (!found)
            text_puts(&sentence, "no size could be measured");
        if (found && size <= 0)
            text_puts(&sentence, "between ");
        if (found)
            put_bytes(low, &sentence);
        if (found && size <= 0) {
            text_puts(&sentence, " and ");
            put_bytes(high, &sentence);
        }
        if (claimed > 0 && found && agrees && size > 0) {
            text_puts(&sentence, ", as the machine claims");
        } else if (claimed > 0) {
            text_puts(&sentence, !found    ? "; the machine claims "
                                 : !agrees ? ", not the "
                                           : ", where the ");
            put_bytes(claimed, &sentence);
            text_puts(&sentence, !found    ? ""
                                 : !agrees ? " that the machine claims"
                                           : " lie that the machine claims");
        }
        text_putc(&sentence, '.');
        told_say(sentences, text_string(&sentence));
    }
}

/* Of so many digits as a line has room for. */
static void put_brief(double bytes, struct text *out)
{
    const double value = bytes / 1024;
    figure_put_number(out, value >= 1024 ? value / 1024 : value);
    text_puts(out, value >= 1024 ? " MiB" : " KiB");
}

static void put_line(const void *kept, const struct style *style, struct text *out)
{
    const struct caches_report *report = &((const struct caches_run *)kept)->report;
    AUTO_TEXT struct text words = {0};
    for (const struct caches_row *row = report->rows; row < report->rows + report->row_count;
         row++) {
        if (row->tlb)
            continue;
        /* "L1 48 KiB as claimed", "L2 2 MiB, seen 1.3 MiB", "L3 32 MiB, not seen" */
        const double claimed = claimed_of(row), measured = measured_of(row);
        text_printf(&words, "%sL%u ", words.length ? "; " : "", row->level);
        if (claimed > 0)
            put_brief(claimed, &words);
        else
            text_puts(&words, "not claimed");
        if (measured > 0 && measured == claimed) {
            text_puts(&words, " as claimed");
        } else if (measured > 0) {
            text_puts(&words, ", seen ");
            put_brief(measured, &words);
        } else if (row->low && row->high) {
            text_puts(&words, ", seen ");
            put_brief((double)row->low, &words);
            text_puts(&words, " to ");
            put_brief((double)row->high, &words);
        } else {
            text_puts(&words, ", not seen");
        }
    }
    if (words.length)
        told_put_line("caches", text_string(&words), 2, style, out);
}

static const void *cache_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct caches_report *report = &((const struct caches_run *)item)->report;
    for (size_t i = 0; i < report->row_count; i++)
        if (!report->rows[i].tlb && !index--)
            return &report->rows[i];
    return NULL;
}

GETTER(get_claimed, struct caches_row,
       item->claim ? value_count(item->claim->bytes) : value_absent(NULL))

static const struct field line_fields[] = {
    {"level", AT(struct caches_row, level), "1, 2 …"},
    {"type", AT(struct caches_row, type), "data or unified"},
    {"claimed_bytes", GET(FIELD_COUNT, get_claimed), "by the machine", UNIT_BYTES, .nonzero = true},
    {"measured_bytes", AT(struct caches_row, bytes.value), "its size", UNIT_BYTES,
     .known = KNOWN(struct caches_row, bytes.known), .nonzero = true},
    {"low_bytes", AT(struct caches_row, low), "it lies between this …", UNIT_BYTES,
     .nonzero = true},
    {"high_bytes", AT(struct caches_row, high), "… and this", UNIT_BYTES, .nonzero = true},
};
static const struct fields line_table = FIELDS("run.cache", "how large a cache is", line_fields);
static const struct field line = {"caches", LIST_BY(cache_at, &line_table), "of `assay caches`",
                                  .nullable = true};

/* What a cache was measured to have; sure where nearly all halves of the processes agree, to the
 * percent. */
static void compare(const struct compared *compared, const void *kept)
{
    const struct caches_report *report = &((const struct caches_run *)kept)->report;
    for (const struct caches_row *row = report->rows; row < report->rows + report->row_count;
         row++) {
        const struct {
            const char *key;
            const struct caches_value *value;
        } figures[] = {
            {"measured_bytes", &row->bytes}, {"line_bytes", &row->line}, {"ways", &row->ways}};
        for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
            const struct caches_value *value = figures[i].value;
            if (!value->known)
                continue;
            AUTO_TEXT struct text words = {0}, what = {0};
            text_printf(&words, "%llu", (unsigned long long)value->value);
            text_printf(&what, "level %u %s, %s", row->level, row->type, figures[i].key);
            const struct compare_word word = {.word = words.bytes,
                                              .unsure = !(round(100 * value->confidence) >= 95)};
            told_word(compared, text_string(&what), &word);
        }
    }
}

/* It is said of every level. */
static const char *lacks(const void *kept)
{
    const struct caches_report *report = &((const struct caches_run *)kept)->report;
    return report->row_count && !report->rows[0].bytes.known
               ? reasons_text(&report->rows[0].bytes.why)
               : NULL;
}

const struct study_told caches_told = {
    .title = "How large the caches are",
    .lead = lead,
    .line = {&line, 5, put_line},
    .part = {.turn = 1, 9, 30, 0, 2, 2, .rank = 5, .lacks = lacks},
    .compared = {.say = compare},
};
