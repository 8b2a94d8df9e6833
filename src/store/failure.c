/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From an SQLite result to a sentence for a person: what happened to which file, and what to do. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "store/handle.h"

#define SALVAGE                                                                                    \
    "Take a copy you trust, or save what is left with: assay merge --salvage -o NEW FILE"

struct explanation {
    int result; /* SQLite's primary result code */
    int error;
    const char *why;
    const char *next;
};

static const struct explanation explanations[] = {
    {SQLITE_FULL, ENOSPC, "the disk is full",
     "What was committed is safe: free some space and go on with --resume"},
    {SQLITE_NOTADB, EBADMSG, "it is not an SQLite database", "Name a file that assay wrote"},
    {SQLITE_CORRUPT, EBADMSG, "the file is damaged", SALVAGE},
    {SQLITE_BUSY, EBUSY, "another program has locked it",
     "Wait for that program to end, or close it, and try again"},
    {SQLITE_LOCKED, EBUSY, "it is locked within this program",
     "This is a defect: please report it"},
    {SQLITE_READONLY, EROFS, "it cannot be written",
     "Check the permissions of the file and its folder, or name another place with --store"},
    {SQLITE_CANTOPEN, EACCES, "the file or one beside it (-journal, -wal, -shm) cannot be opened",
     "Check the permissions of the file and its folder, or copy the store to another place"},
    {SQLITE_PERM, EACCES, "permission is refused", "Check the permissions of the file"},
    {SQLITE_PROTOCOL, EBUSY, "its locks do not work",
     "Put the store on a local file system with --store"},
    {SQLITE_NOLFS, EFBIG, "the file system holds no file this large",
     "Name another place with --store"},
    {SQLITE_TOOBIG, EBADMSG, "it holds a value of an absurd size",
     "The file is damaged, or was not written by assay: take a copy you trust"},
    {SQLITE_MISMATCH, EBADMSG, "a value has the wrong type",
     "The file is damaged, or was not written by assay: take a copy you trust"},
    {SQLITE_CONSTRAINT, EBADMSG, "what is there contradicts what is being written",
     "The file is damaged, or was changed by another program: start a new store"},
    {SQLITE_INTERRUPT, EBADMSG, "checking it takes longer than any sound store would",
     "The file is damaged, or was not written by assay: take a copy you trust"},
    {SQLITE_NOMEM, ENOMEM, "memory ran out", "Close other programs and try again"},
    {SQLITE_IOERR, EIO, "reading or writing the file failed",
     "Check the disk (dmesg says more), or name another place with --store"},
    {SQLITE_ERROR, EBADMSG, "its content does not fit",
     "The file is damaged, or was not written by assay: take a copy you trust"},
};

static const struct explanation *explain(int result, int system_error)
{
    /* A quota or a limit on the size of files comes as a plain I/O error. */
    if (result == SQLITE_IOERR &&
        (system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG))
        result = SQLITE_FULL;
    for (size_t i = 0; i < sizeof(explanations) / sizeof(explanations[0]); i++)
        if (explanations[i].result == result)
            return &explanations[i];
    return NULL;
}

/* The errno behind a failure. SQLite keeps it for the connection, but not where a COMMIT failed:
 * then the database file or its journal has it. */
static int errno_behind(sqlite3 *db)
{
    int error = sqlite3_system_errno(db);
    if (!error)
        sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
    sqlite3_file *journal = NULL;
    if (!error)
        sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
    /* A journal in memory has no file, and nothing to ask. */
    if (journal && journal->pMethods && journal->pMethods->xFileControl)
        journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &error);
    return error;
}

int store_sql_failure(sqlite3 *db, const char *path, const char *doing, struct failure *failure)
{
    if (!db)
        return fail_with(failure, -ENOMEM, "cannot %s %s: memory ran out", doing, path);
    int result = sqlite3_extended_errcode(db);
    /* Asked before the errno: file controls would replace it. */
    char message[256];
    snprintf(message, sizeof(message), "%s", sqlite3_errmsg(db));
    int system_error = errno_behind(db);
    const struct explanation *known = explain(result & 0xff, system_error);
    if (!known)
        return fail_with(failure, -EIO, "cannot %s %s: SQLite says \"%s\" (%d)", doing, path,
                         message, result);
    bool system_tells = system_error && (known->error == ENOSPC || known->error == EIO ||
                                         known->error == EACCES || known->error == EROFS);
    int error = known->error == ENOSPC && system_error ? system_error : known->error;
    return fail_with(failure, -error, "cannot %s %s: %s (%s%s%s). %s.", doing, path, known->why,
                     message, system_tells ? ": " : "", system_tells ? strerror(system_error) : "",
                     known->next);
}

#define DAMAGED " is damaged, or was changed by another program: "
#define ADVICE  ". " SALVAGE

int store_damaged(const char *path, const char *what, struct failure *failure)
{
    return fail_with(failure, -EBADMSG, "the store %.400s" DAMAGED "%s" ADVICE, path, what);
}

void store_damage(const struct failure *failure, char *what, size_t size)
{
    const char *from = strstr(failure->text, DAMAGED);
    from = from ? from + strlen(DAMAGED) : failure->text;
    const char *advice = strstr(from, ADVICE);
    snprintf(what, size, "%.*s", (int)(advice ? advice - from : (ptrdiff_t)strlen(from)), from);
}

bool store_advises_salvage(const struct failure *failure)
{
    return strstr(failure->text, SALVAGE);
}

int visit_damaged(const struct store *store, uint32_t cell, uint32_t process, const char *what,
                  struct failure *failure)
{
    char text[200];
    snprintf(text, sizeof(text), "process %" PRIu32 " of cell %" PRIu32 " %s", process, cell, what);
    return store_damaged(store->path, text, failure);
}
