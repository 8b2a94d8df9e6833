/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: what passports (docs/passport.md) say of an event, for this machine or for one
 * that is described. trust-scan.c reads JSON, machine-words.c tells machines apart, trust.c reads
 * passports and chooses the one that answers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "assay.h"
#include "base/failure.h"
#include "lib/machine-words.h"

/* ----------------------------------------------------------------------------------------------
 * Reads JSON (RFC 8259) piece by piece in fixed memory. Strict: whatever is no
 * JSON is refused with the place where it ceased to be. The reader takes what it knows and skips
 * the rest, which is checked all the same. Every function returns 0 or -EINVAL (-EIO where reading
 * failed), and repeats its first failure from then on. */

#define SCAN_DEPTH 16         /* of objects and arrays in each other */
#define SCAN_MOST  (4u << 20) /* bytes of a document */
#define SCAN_KEY   64         /* bytes of a key; longer ones are known to nobody */

struct trust_scan {
    /* --- set by who begins --- */
    const char *name; /* of the document, for sentences */
    int fd;           /* -1: the bytes are all there is */
    struct failure *failure;
    const char *bytes; /* what was read and where it ends */
    size_t size;
    /* --- inside --- */
    size_t at, taken; /* in bytes; before them */
    unsigned line, column;
    unsigned depth;
    int error;
    char buffer[4096];
};

/* Of a file, from its beginning; of bytes in memory. */
void scan_begin_file(struct trust_scan *scan, const char *name, int fd, struct failure *failure);
void scan_begin_bytes(struct trust_scan *scan, const char *name, const char *bytes, size_t size,
                      struct failure *failure);

/* Takes the value that stands next, by one of the functions below. */
typedef int scan_member(struct trust_scan *scan, void *context, const char *key);
typedef int scan_element(struct trust_scan *scan, void *context);

int scan_object(struct trust_scan *scan, scan_member *member, void *context);
int scan_array(struct trust_scan *scan, scan_element *element, void *context);
/* As much as fits of a string, terminated, no character cut in two. cut may be NULL. */
int scan_string(struct trust_scan *scan, char *out, size_t size, bool *cut);
/* The same, or null: then *present is false. */
int scan_string_or_null(struct trust_scan *scan, char *out, size_t size, bool *present);
int scan_skip(struct trust_scan *scan);
/* Nothing but white space may follow. */
int scan_end(struct trust_scan *scan);

/* Fails here, with document and place in front of the words. */
int scan_fail(struct trust_scan *scan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- The fields that tell whether a passport is of this machine --- */

#define TRUST_VALUE 1024 /* bytes of a value; longer ones are cut */

struct trust_machine {
    bool known[MACHINE_FIELDS];
    char value[MACHINE_FIELDS][TRUST_VALUE]; /* as machine_fields; "" where not known */
};

/* What no file can say, for machines that are not here. */
struct trust_live {
    const char *isa, *signatures; /* of CPUID; NULL: there is none */
    const char *declared, *by;    /* ASSAY_EMULATED, ASSAY_EMULATOR; NULL: not set */
};

/* Reads them anew; what cannot be read is not known. root: "", or a recorded tree, which goes with
 * live; NULL: the machine itself is asked. */
void trust_machine_read(const char *root, const struct trust_live *live,
                        struct trust_machine *machine);

/* The place of a key among the fields, or -1. */
int trust_field(const char *key);
/* NULL: not known. */
const char *trust_machine_get(const struct trust_machine *machine, int field);
void trust_machine_set(struct trust_machine *machine, int field, const char *value);
/* The fingerprint, as src/machine makes it. */
void trust_machine_name(const struct trust_machine *machine, char name[17]);

/* Has it the same CPU, emulated or not as this one? Then what was found there may hold here. */
bool trust_machine_same_cpu(const struct trust_machine *then, const struct trust_machine *now);
/* How many fields differ, and which: "kernel 6.1.0 -> 6.18.0, microcode 0x1 -> 0x2", as far as it
 * fits. The build of another kernel is not worth a word. */
size_t trust_machine_difference(const struct trust_machine *then, const struct trust_machine *now,
                                char *text, size_t size);

/* --- Passports --- */

#define PASSPORT_SCHEMA "assay/passport/1"

/* What a passport says of an event under one name. */
struct passport_entry {
    bool found;
    int64_t validated; /* seconds since 1970 */
    struct assay_trust_verdict trust;
};

struct passport {
    struct trust_machine machine; /* it is of */
    struct passport_entry entry;  /* of the event, under the very name that was asked for */
};

/* Reads a whole passport, for what it says of one event. 0, -EINVAL, or -EIO. */
int passport_read(struct trust_scan *scan, const char *event, struct passport *passport);

struct trust_question {
    const char *folder; /* in which passports are */
    const char *event;
    const struct trust_machine *machine;
    int64_t now; /* seconds since 1970 */
};

/* As assay_trust answers, with the sentence in failure. */
int trust_look(const struct trust_question *question, struct assay_trust_verdict *trust,
               struct failure *failure);
