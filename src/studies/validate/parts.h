/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay validate`: events -> rounds of cells -> samples in a store -> judgement ->
 * show. */
#pragma once

#include "base/text.h"
#include "engine/skips.h"
#include "engine/study.h"
#include "output/json.h"
#include "studies/validate/plan.h"
#include "studies/validate/study.h"

struct validate_options {
    struct study_options study;
    struct string_list source, path, specimen, fail_on;
    bool full;
    struct optional runs;
    int64_t cpu;
};

/* One execution of the command. */
struct validating {
    struct studying studying;
    uint64_t judging_ms;  /* that judging took the last time */
    uint64_t prepared_ms; /* that passed before measuring could begin */
    /* --- the plan --- */
    struct tried_events candidates; /* events that are to get a verdict, opened or not */
    bool few; /* only events that were named, not everything the machine lists */
    struct validate_plan plan;
    unsigned rounds, learnt; /* that were measured, and after which the samples were looked at */
    /* --- what came of it --- */
    struct case_file file;
    struct judgements judgements;
    struct finding findings[VALIDATE_FINDINGS];
    char passport[4096]; /* the file that was written; "": none */
    struct validate_earlier {
        char *event, *verdict, *validated;
    } * earlier; /* what the passport says of events that were refused now */
    size_t earlier_count;
};

/* An event whose cause was not found, and the budget that holds what was not looked at for it. */
struct validate_search {
    const char *event;
    double budget_s;
};
/* false: there is no such event at that place, or no more of them. */
bool validate_search(const struct validating *run, size_t index, struct validate_search *search);

static inline const struct validate_options *validate_asked(const struct validating *run)
{
    return (const struct validate_options *)run->studying.options;
}

/* What was found joins the machine's passport (docs/passport.md). That it cannot be written is a
 * remark, and changes nothing else. */
void validate_put_passport(struct validating *run);

/* --- entries of the driver (engine/study.h) --- */

/* Everything that judging needs goes into the store before the first sample, so that it can be
 * judged again where the machine is not. */
int validate_put(void *kept, struct failure *failure);
/* An unfinished run: its cells, and what they cost. */
int validate_go_on(void *kept, struct failure *failure);
/* Rounds, until nothing more is worth its cost. */
int validate_measure(void *kept);
json_t *validate_figures(const void *kept);
/* For people: the table and what stands below it. */
void validate_put_report(const void *kept, const struct style *style, struct text *out);

/* --- what is described as fields (fields.c) --- */

struct field;
extern const struct field validate_results;
extern const struct fields validate_analysis, passport_table;
/* An event in the passport, of a judgement and the moment of its run; and that access to it was
 * refused, with the facts of the machine. */
extern const struct fields passport_entry_table, passport_refusal_table;
struct passport_refusal {
    const struct judgement *judgement;
    const char *moment;
};

/* ----------------------------------------------------------------------------------------------
 * What the latest runs of `assay validate` on a machine say of its events, for commands that show
 * events or their counts. */

#define LATEST_RUNS 8 /* that are looked at: one of a few events leaves others to earlier ones */

struct latest_run {
    struct case_file file;
    struct judgements judgements;
    int64_t age_s;    /* seconds since that run began */
    char started[32]; /* and when that was: 2026-11-15T19:35:27Z */
};

struct latest_verdicts {
    struct latest_run runs[LATEST_RUNS]; /* the newest first */
    size_t count;                        /* 0: nothing is known */
};

/* Judges the machine's latest stores of that command. A store is kept by the machine's fingerprint,
 * so that one of another kernel, microcode or hypervisor is not found. One that cannot be used is
 * passed over, which is said unless --quiet. */
void latest_verdicts_load(const char *fingerprint, const struct common_options *common,
                          struct latest_verdicts *latest);
/* The newest of those that say most (verdict_weight) of the event under this very name; NULL: it
 * was not validated. *age_s is that of its run. */
const struct judgement *latest_verdict(const struct latest_verdicts *latest, const char *name,
                                       int64_t *age_s);

/* ----------------------------------------------------------------------------------------------
 * What is known of an event's trust on a machine, for commands that show counts: from the latest
 * runs of `assay validate` there, else from the passport of the same CPU under another kernel,
 * microcode or hypervisor, which is stale. */

struct known_trust {
    char event[128];      /* the name it was validated under, which is the one asked for */
    char verdict[24];     /* "exact" … as verdict_names; "unknown": never validated */
    char cause[32];       /* of a verdict that is not good; "" */
    char note[512];       /* in words; where nothing is known: what to do */
    int64_t age_s;        /* since it was validated; -1: unknown */
    uint64_t longest_ns;  /* the longest window it counted right in; 0: not trusted, or not known */
    bool reads_zero;      /* unjudged, and it read 0 in every run there */
    bool stale;           /* it was the same CPU, but not the same machine … */
    char difference[256]; /* … and what differs: "kernel 6.1.0 -> 6.18.0"; "" */
};

/* 0, or -ENOENT where nothing is known of the event (verdict "unknown"). Never fails otherwise: a
 * passport that cannot be read is as good as none, and the note says so. opens: it can be counted
 * now; that it could not be opened once, or that access was refused, is no verdict then. */
int trust_of(const struct latest_verdicts *latest, const struct facts *machine, const char *event,
             bool opens, struct known_trust *known);
