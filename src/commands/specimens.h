/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay events --specimens: what is known of every specimen on a machine, and what decoding its
 * code counts. */
#pragma once

#include "decode/count.h"
#include "engine/command.h"
#include "engine/session.h"

#define SPECIMEN_DECODERS 2 /* those of decode.h */

/* What one decoder makes of one specimen. */
struct decoded_counts {
    bool told;
    struct tallies tallies; /* where told */
    char reason[256];       /* where not */
};

struct listed_specimen {
    const struct catalogue_specimen *specimen;
    struct decoded_counts decoded[SPECIMEN_DECODERS]; /* filled where a count was asked for */
};

struct specimen_list {
    const struct common_options *common;
    const struct catalogue *catalogue;
    const char *glob; /* NULL: all */
    bool counted;     /* for n */
    uint64_t n;
    struct listed_specimen *list;
    size_t count;
};

/* The command; returns an exit code. */
int specimens_run(const struct common_options *common, struct session *session, const char *glob,
                  const struct optional *n);

bool specimens_want(const struct specimen_list *list, const char *name);
/* n was asked for and is none that the specimen can do. */
bool specimens_out_of_range(const struct specimen_list *list,
                            const struct catalogue_specimen *specimen);
/* The truth at n; false where there is none: only limits, n out of range, more than 64 bits. */
bool specimens_predict(const struct specimen_list *list, const struct catalogue_specimen *specimen,
                       const struct catalogue_truth *truth, int64_t *count);
/* What the decoder counts of the class at n; false where it cannot say. */
bool specimens_decoded(const struct specimen_list *list, const struct listed_specimen *listed,
                       size_t decoder, const char *class, int64_t *count);

int specimens_deliver_person(const struct specimen_list *list, int status);
int specimens_deliver_json(const struct specimen_list *list, int status);
