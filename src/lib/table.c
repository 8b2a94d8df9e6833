/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Totals of regions: gathered from calipers, printed as a table, and kept for the process. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "base/text.h"
#include "lib/calipers.h"

/* --- Totals of several calipers as one, where they had the same events on the same path --- */

struct gathered {
    struct gathered *next;
    size_t count; /* events; every row has one total more, for time */
    enum assay_path path;
    uint64_t calipers; /* that were added */
    uint64_t dropped;
    char *names[ASSAY_CALIPERS_MOST];
    char *reasons[ASSAY_CALIPERS_MOST + 1];    /* NULL: it is counted; the last: of the path */
    struct region_total *rows[REGION_FURTHER]; /* by number - 1; NULL: nothing */
};

static bool same_text(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0);
}

static bool fits(const struct gathered *gathered, enum assay_path path, char *const *names,
                 char *const *reasons, size_t count)
{
    if (gathered->count != count || gathered->path != path)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!same_text(gathered->names[i], names[i]))
            return false;
    for (size_t i = 0; i <= count; i++)
        if (!same_text(gathered->reasons[i], reasons[i]))
            return false;
    return true;
}

static void free_one(struct gathered *gathered)
{
    for (size_t i = 0; i < gathered->count; i++)
        free(gathered->names[i]);
    for (size_t i = 0; i <= gathered->count; i++)
        free(gathered->reasons[i]);
    for (size_t i = 0; i < REGION_FURTHER; i++)
        free(gathered->rows[i]);
    free(gathered);
}

static void gathered_free(struct gathered *list)
{
    while (list) {
        struct gathered *next = list->next;
        free_one(list);
        list = next;
    }
}

/* The one for these events, a new one behind the others where there is none; NULL: no memory. */
static struct gathered *find(struct gathered **list, enum assay_path path, char *const *names,
                             char *const *reasons, size_t count)
{
    for (; *list; list = &(*list)->next)
        if (fits(*list, path, names, reasons, count))
            return *list;
    struct gathered *made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    made->count = count;
    made->path = path;
    bool failed = false;
    for (size_t i = 0; i < count; i++) {
        made->names[i] = strdup(names[i]);
        failed = failed || !made->names[i];
    }
    for (size_t i = 0; i <= count; i++) {
        made->reasons[i] = reasons[i] ? strdup(reasons[i]) : NULL;
        failed = failed || (reasons[i] && !made->reasons[i]);
    }
    if (failed) {
        free_one(made);
        return NULL;
    }
    *list = made;
    return made;
}

static struct region_total *row_of(struct gathered *gathered, size_t index)
{
    if (!gathered->rows[index])
        gathered->rows[index] = calloc(gathered->count + 1, sizeof(struct region_total));
    return gathered->rows[index];
}

static int gathered_add(struct gathered **list, const struct assay_calipers *calipers)
{
    char *names[ASSAY_CALIPERS_MOST], *reasons[ASSAY_CALIPERS_MOST + 1];
    for (size_t i = 0; i < calipers->count; i++) {
        names[i] = calipers->events[i].name;
        reasons[i] = calipers->events[i].reason;
    }
    reasons[calipers->count] = calipers->reason;
    struct gathered *gathered = find(list, calipers->path, names, reasons, calipers->count);
    if (!gathered)
        return -ENOMEM;
    gathered->calipers++;
    gathered->dropped += calipers->regions ? calipers->regions->dropped : 0;
    for (uint32_t number = 1; number <= REGION_FURTHER; number++) {
        const struct region_sums *sums = regions_sums(calipers, number);
        struct region_total *row = sums ? row_of(gathered, number - 1) : NULL;
        if (sums && !row)
            return -ENOMEM;
        for (size_t i = 0; sums && i <= calipers->count; i++) {
            struct region_total total;
            region_total_of(calipers, sums, i, &total);
            region_total_add(&row[i], &total);
        }
    }
    return 0;
}

static int add_one(struct gathered **list, const struct gathered *more)
{
    struct gathered *gathered = find(list, more->path, more->names, more->reasons, more->count);
    if (!gathered)
        return -ENOMEM;
    gathered->calipers += more->calipers;
    gathered->dropped += more->dropped;
    for (size_t at = 0; at < REGION_FURTHER; at++) {
        struct region_total *row = more->rows[at] ? row_of(gathered, at) : NULL;
        if (more->rows[at] && !row)
            return -ENOMEM;
        for (size_t i = 0; row && i <= more->count; i++)
            region_total_add(&row[i], &more->rows[at][i]);
    }
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Totals of regions as a table for people. Numbers are written without the program's locale, whose
 * comma may be a point. */

#define CELL REGION_SHOWN

enum column { REGION, REGIONS, EVENT, CORRECTED, BAR, MEAN, MINIMUM, MAXIMUM, NOTICED, COLUMNS };

struct row {
    char cells[COLUMNS][CELL];
    char noticed[256]; /* behind the last column, as long as it likes */
};

struct rows {
    struct row *list;
    size_t count;
    bool failed;
};

static const bool to_the_left[COLUMNS] = {[REGION] = true, [EVENT] = true, [NOTICED] = true};

static struct row *new_row(struct rows *rows)
{
    struct row *row = list_add(&rows->list, &rows->count, sizeof(*row));
    rows->failed |= !row;
    return row;
}

/* 1234567 -> 1,234,567 */
static void grouped(uint64_t value, char *text)
{
    char digits[32];
    int length = snprintf(digits, sizeof(digits), "%" PRIu64, value);
    size_t out = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
}

/* Whole numbers and those from 1,000 without decimals, others with three digits that tell
 * something, but no more than six decimals. */
static void number(double value, char *text)
{
    static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    double size = value < 0 ? -value : value;
    if (!(size < 1e18)) { /* nor a number at all */
        snprintf(text, CELL, "-");
        return;
    }
    unsigned decimals = 0;
    if (size < 1000 && size != (double)(uint64_t)size)
        decimals = size >= 100 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 6;
    uint64_t scaled = (uint64_t)(size * (double)tens[decimals] + 0.5);
    for (; decimals && scaled % 10 == 0; decimals--)
        scaled /= 10;
    char whole[CELL];
    grouped(scaled / tens[decimals], whole);
    const char *sign = value < 0 && scaled ? "-" : "";
    if (decimals)
        snprintf(text, CELL, "%s%.40s.%0*" PRIu64, sign, whole, (int)decimals,
                 scaled % tens[decimals]);
    else
        snprintf(text, CELL, "%s%.60s", sign, whole);
}

/* In how many of the regions, and what. */
static void write_noticed(struct row *row, const struct region_total *total)
{
    char words[200], regions[CELL];
    if (!total->noticed_regions)
        return;
    assay_noticed_words(total->noticed, words, sizeof(words));
    grouped(total->noticed_regions, regions);
    size_t used = strlen(row->noticed);
    snprintf(row->noticed + used, sizeof(row->noticed) - used, "%sin %s: %s", used ? "; " : "",
             regions, words);
}

static void write_row(struct rows *rows, const struct gathered *gathered, uint32_t region,
                      size_t index)
{
    const struct region_total *total = &gathered->rows[region - 1][index];
    bool is_time = index == gathered->count;
    if (is_time && total->state == ASSAY_UNSUPPORTED && gathered->count)
        return; /* no clock was read, and something else is told of the region */
    struct row *row = new_row(rows);
    if (!row)
        return;
    if (index == 0) {
        region_shown(region, row->cells[REGION]);
        grouped(total->regions, row->cells[REGIONS]);
    }
    if (is_time)
        snprintf(row->cells[EVENT], CELL, "time (ns)");
    else
        printable_copy(row->cells[EVENT], CELL, gathered->names[index],
                       strlen(gathered->names[index]));
    if (total->state == ASSAY_UNSUPPORTED || total->state == ASSAY_UNSCHEDULED)
        snprintf(row->cells[CORRECTED], CELL, "%s", assay_state_name(total->state));
    else {
        number(total->corrected, row->cells[CORRECTED]);
        number(region_total_uncertainty(total), row->cells[BAR]);
        number(total->corrected / (double)total->regions, row->cells[MEAN]);
        number(is_time ? __builtin_nan("") : total->single.least, row->cells[MINIMUM]);
        number(is_time ? __builtin_nan("") : total->single.most, row->cells[MAXIMUM]);
        if (total->state != ASSAY_COUNTED)
            snprintf(row->noticed, sizeof(row->noticed), "%s", assay_state_name(total->state));
    }
    if (index == 0)
        write_noticed(row, total);
}

/* Characters, not bytes. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void append_row(struct text *text, const struct row *row, const size_t *widths)
{
    size_t last = COLUMNS - 1, pending = 0; /* spaces that only stand where something follows */
    for (size_t i = 0; i < last; i++) {
        size_t spaces = widths[i] - width_of(row->cells[i]);
        pending += i ? 2 : 0;
        if (!to_the_left[i])
            pending += spaces;
        for (; row->cells[i][0] && pending; pending--)
            text_putc(text, ' ');
        text_puts(text, row->cells[i]);
        pending += widths[i] - (row->cells[i][0] ? width_of(row->cells[i]) : 0) -
                   (to_the_left[i] ? 0 : spaces);
    }
    const char *noticed = row->noticed[0] ? row->noticed : row->cells[last];
    for (pending += 2; *noticed && pending; pending--)
        text_putc(text, ' ');
    text_puts(text, noticed);
    text_putc(text, '\n');
}

static void append_reason(struct text *text, const char *name, const char *reason)
{
    char shown[1024];
    size_t length = printable_copy(shown, sizeof(shown), reason, strlen(reason));
    for (size_t i = 0; i < length; i++)
        shown[i] = shown[i] == '\n' ? ' ' : shown[i];
    text_printf(text, "%s: %s\n", name, shown);
}

static void append_gathered(struct text *text, const struct gathered *gathered)
{
    static const char *const heads[COLUMNS] = {"region", "regions", "event",   "corrected", "±",
                                               "mean",   "minimum", "maximum", "noticed"};
    struct rows rows = {0};
    struct row *head = new_row(&rows);
    for (size_t i = 0; head && i < COLUMNS; i++)
        snprintf(head->cells[i], CELL, "%s", heads[i]);
    for (uint32_t region = 1; region <= REGION_FURTHER; region++) {
        bool shown = gathered->rows[region - 1] && !region_is_own(region);
        for (size_t i = 0; shown && i <= gathered->count; i++)
            write_row(&rows, gathered, region, i);
    }
    if (rows.count > 1) {
        size_t widths[COLUMNS] = {0};
        for (size_t i = 0; i < rows.count; i++)
            for (size_t column = 0; column < COLUMNS; column++) {
                size_t width = width_of(rows.list[i].cells[column]);
                widths[column] = width > widths[column] ? width : widths[column];
            }
        for (size_t i = 0; i < rows.count; i++)
            append_row(text, &rows.list[i], widths);
    } else
        text_puts(text, "No region with a name has ended.\n");
    text->failed = text->failed || rows.failed;
    free(rows.list);
    char amount[CELL];
    for (size_t i = 0; i < gathered->count; i++)
        if (gathered->reasons[i])
            append_reason(text, gathered->names[i], gathered->reasons[i]);
    grouped(gathered->calipers, amount);
    text_printf(text, "path: %s, calipers: %s\n", assay_path_name(gathered->path), amount);
    if (gathered->reasons[gathered->count])
        append_reason(text, "why not a better one", gathered->reasons[gathered->count]);
    grouped(gathered->dropped, amount);
    if (gathered->dropped)
        text_printf(text,
                    "%s more ended in signal handlers while another was being added, and are not "
                    "in the table\n",
                    amount);
}

/* All of them as a text, which the caller frees; NULL: out of memory. missing: calipers that could
 * not be added. */
static char *table_text(const struct gathered *list, uint64_t missing)
{
    struct text text = {0};
    if (!list)
        text_puts(&text, "No region with a name has ended.\n");
    for (; list; list = list->next) {
        append_gathered(&text, list);
        if (list->next)
            text_putc(&text, '\n');
    }
    if (missing)
        text_printf(&text, "%" PRIu64 " calipers are not in it: out of memory\n", missing);
    return text_take(&text);
}

/* ----------------------------------------------------------------------------------------------
 * What the process keeps of calipers that are closed, and its table: written when asked for, and at
 * the end of the process that wished it, never of its children. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gathered *closed;
static struct gathered *inherited; /* of the parent: never looked at, kept for leak detectors */
static uint64_t lost;              /* calipers that could not be added */
static int at_exit = -1;           /* a descriptor of our own */
static pid_t at_exit_of;           /* the process that asked */

/* The lock may be held by a thread that does not exist here, and the list half written. */
void process_forked(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    inherited = closed;
    closed = NULL;
    lost = 0;
}

void regions_merge(struct assay_calipers *calipers)
{
    if (calipers->regions && !calipers->forked) {
        pthread_mutex_lock(&lock);
        lost += gathered_add(&closed, calipers) < 0;
        pthread_mutex_unlock(&lock);
    }
    regions_free(calipers);
}

/* All that ended or was closed, and what the calling thread has open. */
static char *text_now(void)
{
    struct gathered *all = NULL;
    pthread_mutex_lock(&lock);
    const struct gathered *more = closed;
    int error = 0;
    for (; more && !error; more = more->next)
        error = add_one(&all, more);
    uint64_t missing = lost;
    pthread_mutex_unlock(&lock);
    for (struct assay_calipers *calipers = here_opened(); calipers && !error;
         calipers = calipers->next)
        error = calipers->forked ? 0 : gathered_add(&all, calipers);
    char *text = error < 0 ? NULL : table_text(all, missing);
    gathered_free(all);
    return text;
}

static int write_all(int descriptor, const char *text)
{
    size_t length = strlen(text);
    while (length) {
        ssize_t written = write(descriptor, text, length);
        if (written < 0 && errno != EINTR)
            return set_fail(-errno, "the table of regions cannot be written: %s", strerror(errno));
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

int assay_table(int descriptor)
{
    AUTO_FREE char *text = text_now();
    if (!text)
        return set_fail(-ENOMEM, "out of memory");
    return write_all(descriptor, text);
}

/* A descriptor of our own: the program may close this one, and use its number for something else.
 */
int assay_table_at_exit(int descriptor)
{
    int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (own < 0)
        return set_fail(-errno, "descriptor %d cannot be kept for the table of regions: %s",
                        descriptor, strerror(errno));
    pthread_mutex_lock(&lock);
    int before = at_exit;
    at_exit = own;
    at_exit_of = getpid();
    pthread_mutex_unlock(&lock);
    if (before >= 0)
        close(before);
    return 0;
}

void process_ended(void)
{
    pthread_mutex_lock(&lock);
    int descriptor = at_exit;
    pid_t asked = at_exit_of;
    at_exit = -1;
    pthread_mutex_unlock(&lock);
    if (descriptor >= 0) {
        if (asked == getpid())
            assay_table(descriptor);
        close(descriptor);
    }
    /* Where the library is a part of something that is unloaded, nothing would know of it any
     * more. */
    pthread_mutex_lock(&lock);
    struct gathered *list = closed;
    closed = NULL;
    pthread_mutex_unlock(&lock);
    gathered_free(list);
}
