/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is left of a damaged store, as a store. What says what was measured (cells, truths, facts)
 * must be what was written, or nothing of the rest means anything; of the processes those are kept
 * whose samples are. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "store/checksum.h"
#include "store/salvage-room.h"

static bool is_detail(const char *table)
{
    return strcmp(table, "executed") == 0 || strcmp(table, "system_call") == 0;
}

int salvage_refuse(const char *name, const char *part, const struct failure *why,
                   struct failure *failure)
{
    char what[200];
    store_damage(why, what, sizeof(what));
    return fail_with(failure, -EBADMSG,
                     "nothing of %.300s can be relied on: %s%s%s. Take a copy that you trust, or "
                     "look at what is left with: sqlite3 FILE .recover",
                     name, part, what[0] ? ": " : "", what);
}

static int too_much(const struct salvaging *salvaging, const char *table, const struct failure *why,
                    struct failure *failure)
{
    char part[80];
    snprintf(part, sizeof(part), "its table %s is damaged", table);
    return salvage_refuse(salvaging->name, part, why, failure);
}

/* A finished store of today says of each table what it should be. */
static int check_by_table(struct salvaging *salvaging, struct failure *failure)
{
    struct store *source = salvaging->source;
    for (const struct checked_table *table = checked_tables; table->name; table++) {
        struct failure why = {0};
        if (table->since > source->schema)
            continue;
        int answer = checksum_holds(source, table, &why);
        if (answer == -EINTR)
            return fail_with(failure, answer, "%s", why.text);
        bool holds = answer == 1;
        if (strcmp(table->name, "visit") == 0)
            salvaging->visits_hold = holds;
        else if (!holds && is_detail(table->name))
            salvaging->details_lost = true;
        else if (!holds)
            return too_much(salvaging, table->name, &why, failure);
    }
    return 0;
}

static int check_tables(struct salvaging *salvaging, struct failure *failure)
{
    struct store *source = salvaging->source;
    AUTO_FREE char *sums = NULL;
    int error = store_get_meta(source, "checksums", &sums, failure);
    if (error || !source->finished || sums)
        return error || !source->finished ? error : check_by_table(salvaging, failure);
    /* An older one has one checksum for all of them. */
    error = checksum_verify(source, failure);
    salvaging->visits_hold = error == 0;
    return error;
}

/* Visits in a collection have no second record to hold against. */
static int check(struct salvaging *salvaging, struct failure *failure)
{
    struct failure none = {0};
    int error = check_tables(salvaging, failure);
    if (!error && salvaging->source->content && !salvaging->source->finished) {
        error = checksum_verify(salvaging->source, failure);
        salvaging->visits_hold = error == 0;
    }
    if (!error && salvaging->source->collection && !salvaging->visits_hold)
        error = too_much(salvaging, "visit", &none, failure);
    return error;
}

static int copy_tables(struct salvaging *salvaging, struct failure *failure)
{
    for (const struct checked_table *table = checked_tables; table->name; table++) {
        struct failure why = {0};
        if (table->since > salvaging->source->schema || strcmp(table->name, "visit") == 0 ||
            (is_detail(table->name) && salvaging->details_lost))
            continue;
        int error = copy_table(salvaging->source, &salvaging->target, table->name, 0, &why);
        if (error == -EBADMSG)
            return too_much(salvaging, table->name, &why, failure);
        if (error)
            return fail_with(failure, error, "%s", why.text);
    }
    return 0;
}

/* The rest says of itself that it is one. */
static int seal(struct salvaging *salvaging, struct failure *failure)
{
    struct store *target = &salvaging->target;
    char what[100];
    snprintf(what, sizeof(what), "%" PRIu64 " of %" PRIu64 " processes were damaged and left out",
             salvaging->lost, salvaging->all);
    int error = store_put_meta(target, "salvaged", what, failure);
    if (!error)
        error = store_execute(target, "DELETE FROM meta WHERE key IN ('checksum', 'checksums')",
                              "write to", failure);
    if (!error && salvaging->source->finished)
        error = checksum_put(target, failure);
    return error;
}

static int begin_target(struct salvaging *salvaging, const char *to, struct failure *failure)
{
    struct store *target = &salvaging->target;
    int fd = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return fail_with(failure, -errno, "cannot make %.300s: %s", to, strerror(errno));
    close(fd);
    int error = connect_new(target, failure);
    if (!error)
        error = store_execute(target, "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF",
                              "write to", failure);
    if (!error)
        error = schema_create_as(target, salvaging->source->schema, failure);
    return error ? error : store_execute(target, "BEGIN IMMEDIATE", "write to", failure);
}

static int save(struct salvaging *salvaging, const char *to, struct failure *failure)
{
    int error = check(salvaging, failure);
    if (!error)
        error = begin_target(salvaging, to, failure);
    if (!error)
        error = copy_tables(salvaging, failure);
    if (!error)
        error = salvage_visits(salvaging, failure);
    if (!error)
        error = seal(salvaging, failure);
    if (!error)
        error = store_execute(&salvaging->target, "COMMIT", "write to", failure);
    return error;
}

int store_salvage(const char *from, const char *to, const struct salvage *salvage,
                  const volatile int *stop, struct failure *failure)
{
    struct salvaging salvaging = {.name = from, .salvage = salvage};
    salvaging.target.path = salvaging.target.file = strdup(to);
    salvaging.target.stop = stop;
    if (!salvaging.target.path)
        return fail_with(failure, -ENOMEM, "out of memory");
    bool began = false;
    int error = store_open_damaged(&salvaging.source, from, false, failure);
    if (!error) {
        salvaging.source->stop = stop;
        connect_limit(salvaging.source, 8);
        error = snapshot_begin(salvaging.source, &began, failure);
    }
    if (!error)
        error = save(&salvaging, to, failure);
    if (salvaging.source)
        snapshot_end(salvaging.source, began);
    store_close(salvaging.source);
    sqlite3_close(salvaging.target.db);
    free(salvaging.target.path);
    return error;
}
