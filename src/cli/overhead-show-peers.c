/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What other interfaces cost in units of the bare calls, which stand beside them. */
#include <math.h>
#include <stdio.h>

#include "cli/overhead-show.h"
#include "show/utf8.h"

/* Three digits. */
static void write_ratio(double ratio, char *text, size_t size)
{
    snprintf(text, size, "%.*f", ratio < 10 ? 2 : ratio < 100 ? 1 : 0, ratio);
}

static void put_ratio(const struct overhead_peer *peer, struct text *out)
{
    if (!isfinite(peer->ratio)) {
        text_puts(out, "-");
        return;
    }
    char ratio[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
    write_ratio(peer->ratio, ratio, sizeof(ratio));
    write_ratio(peer->low, low, sizeof(low));
    write_ratio(peer->high, high, sizeof(high));
    text_puts(out, ratio);
    bool wide = strcmp(low, ratio) != 0 || strcmp(high, ratio) != 0;
    if (wide && isfinite(peer->low) && isfinite(peer->high))
        text_printf(out, " (%s to %s)", low, high);
}

static bool same_group(const struct overhead_peer *left, const struct overhead_peer *right)
{
    return left->machine == right->machine && overhead_is_like_meter(left->meter, right->meter) &&
           strcmp(left->bare_path, right->bare_path) == 0;
}

static bool same_task(const struct overhead_peer *left, const struct overhead_peer *right)
{
    return left->machine == right->machine && overhead_same_word(left->path, right->path) &&
           overhead_same_word(left->what, right->what) &&
           overhead_is_like_meter(left->meter, right->meter);
}

static bool is_alike(const struct overhead_peer *left, const struct overhead_peer *right)
{
    return fabs(left->ratio - right->ratio) <= OVERHEAD_TOLD * fabs(left->ratio) ||
           (left->low <= right->high && right->low <= left->high);
}

static bool is_inline(const struct overhead_peer *peer)
{
    return strcmp(peer->bare_path, "perf-syscall") == 0;
}

static bool is_static(const struct overhead_peer *peer)
{
    return overhead_same_word(peer->variant, "static");
}

/* Against calls of libc where both were measured, both modes together, and link modes only where
 * they tell something else; --all has the rest. */
static bool is_shown(const struct overhead_run *run, size_t index)
{
    const struct overhead_report *report = &run->report;
    const struct overhead_peer *peer = &report->peers[index];
    if (run->options->all)
        return true;
    if (overhead_is_half(report, peer->meter))
        return false;
    for (size_t i = 0; i < report->peer_count; i++) {
        const struct overhead_peer *other = &report->peers[i];
        if (i == index || !same_task(other, peer))
            continue;
        if (is_inline(peer) && !is_inline(other))
            return false;
        bool stands_for = is_static(other) == is_static(peer) ? i < index : is_static(other);
        if (stands_for && same_group(other, peer) && is_alike(other, peer))
            return false;
    }
    return true;
}

/* Of a task with one line the link mode is no news. */
static bool has_variants(const struct overhead_run *run, const struct overhead_peer *peer)
{
    const struct overhead_report *report = &run->report;
    for (size_t i = 0; i < report->peer_count; i++)
        if (&report->peers[i] != peer && same_task(&report->peers[i], peer) && is_shown(run, i))
            return true;
    return false;
}

static void add_line(struct table *table, const struct overhead_run *run,
                     const struct overhead_peer *peer)
{
    AUTO_TEXT struct text call = {0};
    AUTO_TEXT struct text ratio = {0};
    char cost[NUMBER_SIZE], bare[NUMBER_SIZE];
    overhead_put_call(peer->path, has_variants(run, peer) ? peer->variant : NULL, &call);
    overhead_cost(peer->cost, cost, sizeof(cost));
    overhead_cost(peer->bare, bare, sizeof(bare));
    put_ratio(peer, &ratio);
    table_add(table, TONE_PLAIN, text_string(&call));
    table_add(table, TONE_PLAIN, peer->what);
    table_add(table, TONE_PLAIN, cost);
    table_add(table, TONE_PLAIN, bare);
    table_add(table, TONE_STRONG, text_string(&ratio));
}

/* In one table: against the same bare calls; without --all, whatever each is held against. */
static bool same_table(const struct overhead_run *run, const struct overhead_peer *left,
                       const struct overhead_peer *right)
{
    if (run->options->all)
        return same_group(left, right);
    return left->machine == right->machine && overhead_is_like_meter(left->meter, right->meter);
}

static void put_group(const struct overhead_run *run, size_t first, const struct style *style,
                      struct text *out)
{
    static const struct column columns[] = {
        {.title = "path"},
        {.title = "for"},
        {.title = "costs", .right = true},
        {.title = "bare", .right = true},
        {.title = "times", .wraps = true},
    };
    const struct overhead_report *report = &run->report;
    const struct overhead_peer *like = &report->peers[first];
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    AUTO_TEXT struct text heading = {0};
    for (size_t i = first; i < report->peer_count; i++)
        if (same_table(run, &report->peers[i], like) && is_shown(run, i))
            add_line(&table, run, &report->peers[i]);
    text_printf(&heading, "Other interfaces against %s, in %s",
                run->options->all ? like->bare_path : "bare calls", overhead_unit(like->meter));
    overhead_put_machine(&run->file, like->machine, &heading);
    section_put_heading(text_string(&heading), style, out);
    table_put(&table, style, out);
    table_free(&table);
}

void overhead_put_peers(const struct overhead_run *run, const struct style *style, struct text *out)
{
    const struct overhead_report *report = &run->report;
    bool any = false;
    for (size_t i = 0; i < report->peer_count; i++) {
        bool leads = is_shown(run, i);
        for (size_t j = 0; j < i && leads; j++)
            leads = !is_shown(run, j) || !same_table(run, &report->peers[i], &report->peers[j]);
        if (leads)
            put_group(run, i, style, out);
        any |= leads;
    }
    if (any)
        section_put_words("bare: the same by perf-read, or by the path named above; of a command, "
                          "it alone. times: with 95 % interval; of calls, the median of the "
                          "ratios within processes where one made both",
                          style, out);
}
