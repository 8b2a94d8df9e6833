/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay caches` found, as JSON (docs/json). */
#include <math.h>

#include "base/text.h"
#include "studies/caches/parts.h"

static json_t *rounded(double value)
{
    return json_real(round(value * 100) / 100);
}

/* A size in bytes, or null with the reason. */
static void put_size(json_t *object, const char *key, uint64_t value, const char *reason)
{
    if (value)
        json_object_set_new(object, key, json_count(value));
    else
        json_absent(object, key, reason);
}

static void put_ticks(json_t *object, const char *key, double ticks, const char *reason)
{
    if (ticks > 0)
        json_object_set_new(object, key, rounded(ticks));
    else
        json_absent(object, key, reason);
}

static void put_value(json_t *object, const char *key, const char *confidence,
                      const struct caches_value *value)
{
    if (value->known) {
        json_object_set_new(object, key, json_count(value->value));
        json_object_set_new(object, confidence, rounded(value->confidence));
    } else {
        json_absent(object, key, value->reason);
        json_absent(object, confidence, value->reason);
    }
}

static json_t *row_json(const struct caches_row *row)
{
    static const char unclaimed[] = "the machine claims nothing of it";
    const char *unseen = row->bytes.known ? "no rise in latency was seen" : row->bytes.reason;
    json_t *object = json_object();
    json_object_set_new(object, "level", json_integer(row->level));
    json_object_set_new(object, "type", json_text(row->type));
    put_size(object, "claimed_bytes", row->claim ? row->claim->bytes : 0, unclaimed);
    put_value(object, "measured_bytes", "confidence", &row->bytes);
    put_size(object, "low_bytes", row->low, unseen);
    put_size(object, "high_bytes", row->high,
             row->low ? "latency still rises at the largest ring" : unseen);
    put_size(object, "claimed_line_bytes", row->claim ? row->claim->line : 0, unclaimed);
    put_value(object, "line_bytes", "line_confidence", &row->line);
    put_size(object, "claimed_ways", row->claim ? row->claim->ways : 0, unclaimed);
    put_value(object, "ways", "ways_confidence", &row->ways);
    put_ticks(object, "ticks", row->ticks, unseen);
    put_ticks(object, "next_ticks", row->after, unseen);
    return object;
}

json_t *caches_results_json(const struct caches_report *report)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report->row_count; i++)
        json_array_append_new(list, row_json(&report->rows[i]));
    return list;
}

json_t *caches_analysis_json(const struct caching *caching)
{
    const struct caches_page_effect *pages = &caching->report.pages;
    json_t *analysis = json_object();
    if (caching->store)
        json_object_set_new(analysis, "store", json_text(store_path(caching->store)));
    else
        json_absent(analysis, "store", "nothing was measured");
    json_object_set_new(analysis, "complete", json_boolean(caching->complete));
    if (!caching->complete) {
        AUTO_TEXT struct text unfinished = {0};
        caches_put_unfinished(caching, &unfinished);
        json_object_set_new(analysis, "complete_reason", json_text(text_string(&unfinished)));
    }
    json_object_set_new(analysis, "page_bytes", json_count(caches_page(caching->facts)));
    if (!pages->known) {
        json_absent(analysis, "pages", pages->reason);
        return analysis;
    }
    json_t *effect = json_object();
    json_object_set_new(effect, "bytes", json_count(pages->bytes));
    json_object_set_new(effect, "ticks", rounded(pages->small));
    json_object_set_new(effect, "huge_ticks", rounded(pages->huge));
    json_object_set_new(analysis, "pages", effect);
    return analysis;
}
