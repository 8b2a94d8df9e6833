/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay validate` measures next: from events, specimens and what visits have cost so far to
 * the cells of the next round. Pure: touches no machine and no store. */
#pragma once

#include "engine/session.h"
#include "engine/wishes.h"
#include "store/store.h"
#include "studies/validate/study.h"
#include "wire/cell.h"

/* A way from code to count. */
struct validate_way {
    const char *path;
    enum pattern pattern;
    const char *opt, *link;
};

#define VALIDATE_WAYS  3u /* the usual one first, then others that must agree with it */
#define VALIDATE_CORES 4u /* types of cores */

/* An event that opens and has a class. */
struct validate_subject {
    const char *name, *class;
    bool user_code;  /* counts what the CPU executes in user mode: what the operating system does
                        in between must not move it */
    bool interrupts; /* is the CPU's: may count at interrupts, which a long cell counts along, and
                        go wrong when the thread leaves its CPU */
    bool brief;      /* the same event under another name gets the whole ladder */
    const char *unfiltered; /* the same event without its mode, which can be counted beside it;
                               NULL: it has none, or that one is refused */
    struct validate_way ways[VALIDATE_WAYS];
    size_t way_count;
    /* The first is where it is measured (-1: anywhere), the others one CPU of each further type of
     * core. */
    int32_t cpus[VALIDATE_CORES];
    size_t cpu_count;
    uint32_t runs; /* of a process where the source says how many; 0: as the plan thinks */
    /* --- learnt from what was measured --- */
    bool deviates;                 /* more is worth knowing */
    uint64_t zero_to, counts_from; /* reads 0 up to the one N, and counts from the other; 0: no */
};

struct validate_specimen {
    const struct catalogue_specimen *known;
    const char *name;     /* with parameters */
    bool stored, decoded; /* the store has it, and the opcodes of its code */
};

#define VALIDATE_NO_SPECIMEN SIZE_MAX

struct validate_places {
    size_t *list, count; /* of cells */
};

struct validate_plan {
    struct validate_subject *subjects;
    size_t subject_count;
    struct validate_specimen *specimens;
    size_t specimen_count;
    const char *interrupts; /* the event that counts interrupts; NULL: none can be had */
    bool full;              /* no limits of cost */
    uint32_t runs;          /* of a point; 0: a hundred, or twenty where they are dear */
    /* --- as it goes on --- */
    /* Each is for one cell, of which all processes are visited in the next portion: its place is
     * that of its cell. They have no price for the wishes, because what does not fit is not wished
     * for. */
    struct wishes *wishes;
    struct validate_about {
        size_t subject, specimen; /* indices; a null cell has no specimen */
    } * about;                    /* [count] */
    size_t count;
    /* The cells of each event and of each specimen, behind them of those that are not known: plans
     * have thousands of cells, and are asked for one event's over and over. NULL: there is none. */
    struct validate_places *of_subject, *of_specimen;
};

/* The event that a cell is for; NULL: it is none of the plan's, or there is no such cell. */
const struct validate_subject *validate_subject_at(const struct validate_plan *plan, size_t at);
/* How many cells an event has. */
size_t validate_cells_of(const struct validate_plan *plan, size_t subject);

/* How much of the budget one round may take. */
enum validate_share {
    SHARE_HALF,  /* of what each event can have: costs are still being learnt */
    SHARE_WHOLE, /* all of it */
    SHARE_REST,  /* whatever is left, to those who come first */
    SHARE_DEAR,  /* the same for rungs that are too dear as long as anything cheaper is wanted */
    SHARE_FIRST, /* whatever it costs: the first look at one event, of a plan that is empty */
    SHARE_COUNT
};

struct validate_round {
    uint64_t budget_ns; /* that is left; UINT64_MAX: no limit */
    uint64_t point_ns;  /* that one point may take at most */
    enum validate_share share;
};

/* Wishes for the next cells, with null cells for every new way. false: nothing more can be had for
 * that share. */
bool validate_next(struct validate_plan *plan, const struct validate_round *round);
/* The cells of a store, which wishes_adopt took over, become the plan's. */
void validate_adopt(struct validate_plan *plan);
/* One of their visits was stored: what it probably took. */
void validate_learn_stored(struct validate_plan *plan, size_t at, uint64_t inside_ns,
                           uint64_t runs);

/* What judging the samples so far says of the events: of those that surprise more is worth
 * knowing. */
void validate_surprises(struct validate_plan *plan, const struct judgements *judgements);

/* ns of what was not measured yet of an event that deviates, beside its ladder: where its cause is
 * not known, that may show it. 0: nothing is left. */
uint64_t validate_wanting(const struct validate_plan *plan, size_t subject);

/* Measures on the next type of core from now on: on the one so far the event got no counter, as an
 * event of another type's PMU never does. */
void validate_next_core(struct validate_subject *subject);

/* The specimen whose count of the class is the ladder, or VALIDATE_NO_SPECIMEN. */
size_t validate_primary(const struct validate_plan *plan, const char *class);

/* Where an event's ladder ended below its top because of what a hit costs. */
struct validate_cap {
    const char *event, *specimen;
    uint64_t n;    /* the highest rung that was measured */
    uint64_t top;  /* the highest there would be */
    double hit_ns; /* of one unit of N; 0: not known */
};
/* False: the whole ladder was measured, or nothing of it. */
bool validate_cap(const struct validate_plan *plan, size_t subject, struct validate_cap *cap);

/* ----------------------------------------------------------------------------------------------
 * What a store says of its specimens, ready to be asked: truths and opcodes of one specimen,
 * evaluated at one N. */

/* One line: base + each * N of something. */
struct known_line {
    char *specimen, *name; /* without parameters; a class or an opcode */
    enum truth_grade grade;
    int64_t base, each, high_base, high_each;
    size_t place; /* in the store */
};

struct known_lines {
    struct known_line *list; /* by specimen, then in the order of the store */
    size_t count;
};

struct known {
    struct known_lines truths, opcodes;
};

int known_load(struct store *store, struct known *known, struct failure *failure);

/* The count of a class; grade TRUTH_NONE where the store has none, or where it leaves 64 bits. */
struct truth known_truth(const struct known *known, const char *specimen, const char *class,
                         uint64_t n);

extern const char *const validate_grade_names[]; /* by enum truth_grade; NULL for TRUTH_NONE */
/* TRUTH_NONE for what is no grade. */
enum truth_grade grade_from_name(const char *name);

/* Every event that the store tells of, with all points and runs measured for it. */
int validate_load(struct store *store, struct case_file *file, struct failure *failure);
