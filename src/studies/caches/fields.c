/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the results of `assay caches` are. */
#include <math.h>

#include "base/memory.h"
#include "studies/caches/parts.h"

/* ----------------------------------------------------------------------------------------------
 * A row: one level of caches or TLBs. */

/* More digits than these say nothing. */
static struct value hundredths(double value)
{
    return value_real(round(value * 100) / 100);
}

static struct value found(const struct caches_value *value, bool confidence)
{
    if (!value->known)
        return value_because(&value->why);
    return confidence ? hundredths(value->confidence) : value_count(value->value);
}

#define FOUND(member)                                                                              \
    static struct value get_##member(const void *item, const void *context)                        \
    {                                                                                              \
        (void)context;                                                                             \
        return found(&((const struct caches_row *)item)->member, false);                           \
    }                                                                                              \
    static struct value get_##member##_confidence(const void *item, const void *context)           \
    {                                                                                              \
        (void)context;                                                                             \
        return found(&((const struct caches_row *)item)->member, true);                            \
    }
FOUND(bytes)
FOUND(line)
FOUND(ways)

/* Of a level of which nothing was seen. */
static struct value unseen(const struct caches_row *row)
{
    return row->bytes.known ? value_absent("no rise in latency was seen")
                            : value_because(&row->bytes.why);
}

GETTER(get_low, struct caches_row, item->low ? value_count(item->low) : unseen(item))

static struct value get_high(const void *item, const void *context)
{
    (void)context;
    const struct caches_row *row = item;
    if (row->high)
        return value_count(row->high);
    return row->low ? value_absent("latency still rises at the largest ring") : unseen(row);
}

GETTER(get_ticks, struct caches_row, item->ticks > 0 ? hundredths(item->ticks) : unseen(item))

GETTER(get_after, struct caches_row, item->after > 0 ? hundredths(item->after) : unseen(item))

#define CLAIMED .nonzero = true, .absent = "the machine claims nothing of it"
static const struct field claim_bytes_fields[] = {
    {"claimed_bytes", AT(struct caches_claim, bytes), "its size, as the machine claims", UNIT_BYTES,
     CLAIMED, .title = "claimed", .column = true},
};
static const struct fields claim_bytes = FIELDS("caches.claim", NULL, claim_bytes_fields);
static const struct field claim_more_fields[] = {
    {"claimed_line_bytes", AT(struct caches_claim, line), "length of its lines, as claimed",
     UNIT_BYTES, CLAIMED},
    {"claimed_ways", AT(struct caches_claim, ways), "its ways, as claimed", CLAIMED},
};
static const struct fields claim_more = FIELDS("caches.claim-more", NULL, claim_more_fields);

PART(claim_of, struct caches_row, item->claim)

static const char *const types[] = {"data", "unified", "tlb", "tlb-huge"};

GETTER(get_type, struct caches_row, value_text(item->type))

static const struct field row_fields[] = {
    {"level", AT(struct caches_row, level), "1 is nearest to the CPU", .column = true},
    {"type", GET(FIELD_TEXT, get_type),
     "a cache for data, one for data and code, or a TLB: with ordinary pages, with huge ones",
     NAMED(types), .column = true},
    {"", SPLICED_BY(claim_of, &claim_bytes)},
    {"measured_bytes", GET(FIELD_COUNT, get_bytes),
     "the largest ring that still fits; of a TLB, the memory it reaches", UNIT_BYTES, .coded = true,
     .title = "measured", .column = true},
    {"confidence", GET(FIELD_REAL, get_bytes_confidence),
     "the share of random halves of the processes that agree with measured_bytes", .coded = true,
     .column = true},
    {"low_bytes", GET(FIELD_COUNT, get_low),
     "the largest ring that was still as fast as smaller ones: it holds at least this", UNIT_BYTES,
     .coded = true, .title = "at least", .column = true},
    {"high_bytes", GET(FIELD_COUNT, get_high),
     "the ring by which latency has clearly risen: where nobody else uses it, it holds less",
     UNIT_BYTES, .coded = true, .title = "less than", .column = true},
    {"", SPLICED_BY(claim_of, &claim_more)},
    {"line_bytes", GET(FIELD_COUNT, get_line), "length of its lines", UNIT_BYTES, .coded = true,
     .title = "line", .column = true},
    {"line_confidence", GET(FIELD_REAL, get_line_confidence), "of line_bytes", .coded = true},
    {"ways", GET(FIELD_COUNT, get_ways), "lines of a set", .coded = true, .column = true},
    {"ways_confidence", GET(FIELD_REAL, get_ways_confidence), "of ways", .coded = true},
    {"ticks", GET(FIELD_REAL, get_ticks), "of a load that finds its line here", UNIT_TICKS,
     .coded = true, .column = true},
    {"next_ticks", GET(FIELD_REAL, get_after), "of one that does not", UNIT_TICKS, .coded = true},
};
static const struct fields row_table = FIELDS(
    "caches", "one level of caches or TLBs: what is claimed, and what memory shows", row_fields);

static const void *row_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct caches_report *report = &((const struct caches_run *)item)->report;
    return index < report->row_count ? &report->rows[index] : NULL;
}

const struct field caches_results = {"results", LIST_BY(row_at, &row_table)};

/* ----------------------------------------------------------------------------------------------
 * The analysis. */

GETTER(get_small, struct caches_page_effect, hundredths(item->small))

GETTER(get_huge, struct caches_page_effect, hundredths(item->huge))

static const struct field pages_fields[] = {
    {"bytes", AT(struct caches_page_effect, bytes), "that the loads go over, one a page",
     UNIT_BYTES},
    {"ticks", GET(FIELD_REAL, get_small), "of a load, on ordinary pages", UNIT_TICKS},
    {"huge_ticks", GET(FIELD_REAL, get_huge), "the same on huge pages", UNIT_TICKS},
};
static const struct fields pages_table =
    FIELDS("caches.pages", "what the size of pages changes", pages_fields);

static const void *pages_of(const void *item, const void *context)
{
    (void)context;
    const struct caches_page_effect *pages = &((const struct caches_run *)item)->report.pages;
    return pages->known ? pages : NULL;
}

GETTER(no_pages, struct caches_run, value_because(&item->report.pages.why))

GETTER(get_page, struct caches_run, value_count(caches_page(item->studying.facts)))

static struct value get_unfinished(const void *item, const void *context)
{
    (void)context;
    const struct caches_run *run = item;
    struct text unfinished = {0};
    if (run->studying.complete)
        return value_left_out();
    caches_put_unfinished(run, &unfinished);
    return value_text(memory_text(&unfinished));
}

static const struct field analysis_fields[] = {
    {"store", AT(struct caches_run, studying.stored), "file of the samples",
     .absent = "nothing was measured"},
    {"complete", AT(struct caches_run, studying.complete), "was all of the plan measured"},
    {"complete_reason", GET(FIELD_TEXT, get_unfinished),
     "where it was not: what is missing, and the command that goes on", .optional = true},
    {"page_bytes", GET(FIELD_COUNT, get_page), "of the machine's page", UNIT_BYTES},
    {"pages",
     {.kind = FIELD_OBJECT, .part = pages_of, .get = no_pages, .of = &pages_table},
     "what a load costs, one a page over so many bytes, on ordinary and on huge pages",
     .coded = true},
};
const struct fields caches_analysis =
    FIELDS("caches.analysis", "what all levels say together", analysis_fields);
