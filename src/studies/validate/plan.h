/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay validate` measures next: from events, specimens and what visits have cost so far to
 * the cells of the next round. Pure: touches no machine and no store. */
#pragma once

#include "engine/session.h"
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
    bool interrupts; /* may count at interrupts: a long cell counts these along */
    bool brief;      /* the same event under another name gets the whole ladder */
    struct validate_way ways[VALIDATE_WAYS];
    size_t way_count;
    /* The first is where it is measured (-1: anywhere), the others one CPU of each further type of
     * core. */
    int32_t cpus[VALIDATE_CORES];
    size_t cpu_count;
    uint32_t runs; /* of a process where the source says how many; 0: as the plan thinks */
    /* --- learnt from what was measured (validate_learn) --- */
    bool deviates;                 /* more is worth knowing */
    uint64_t zero_to, counts_from; /* reads 0 up to the one N, and counts from the other; 0: no */
};

struct validate_specimen {
    const struct catalogue_specimen *known;
    const char *name; /* with parameters */
};

struct validate_study {
    struct validate_subject *subjects;
    size_t subject_count;
    const struct validate_specimen *specimens;
    size_t specimen_count;
    const char *interrupts; /* the event that counts interrupts; NULL: none can be had */
    bool full;              /* no limits of cost */
    uint32_t runs;          /* of a point; 0: a hundred, or twenty where they are dear */
};

/* What is known of a cell of the plan besides its factors. */
#define VALIDATE_NO_SPECIMEN SIZE_MAX
struct validate_about {
    size_t subject, specimen; /* indices; a null cell has no specimen */
    uint32_t processes;
    uint32_t visits;             /* that ended */
    uint64_t wall_ns, inside_ns; /* of these visits: from end to end, and with counters enabled */
    uint64_t runs;               /* of these visits */
    /* The cell before it of the same event, and of the same specimen, counted from 1; 0: none. */
    size_t before_of_subject, before_of_specimen;
};

struct validate_plan {
    struct cell *cells; /* plan_append's */
    size_t count;
    struct validate_about *about; /* [cell] */
    /* The last cell of each event and of each specimen, counted from 1: plans have thousands of
     * cells, and are asked for one event's over and over. Made with the first cell. */
    size_t *last_of_subject, *last_of_specimen;
};

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

/* Appends the next cells, with null cells for every new way. Nothing appended: nothing more can be
 * had for that share. -ENOMEM. */
int validate_next(const struct validate_study *study, const struct validate_round *round,
                  struct validate_plan *plan);
/* Takes over a cell of a stored plan; owned by the plan then. */
int validate_adopt(const struct validate_study *study, struct validate_plan *plan,
                   const struct cell *cell, uint32_t processes);
/* What its visits probably took, by what is stored of them. */
void validate_adopt_cost(struct validate_plan *plan, size_t cell, uint32_t visits, uint64_t runs,
                         uint64_t inside_ns);

/* Measures on the next type of core from now on: on the one so far the event got no counter, as an
 * event of another type's PMU never does. */
void validate_next_core(struct validate_subject *subject);

/* The specimen whose count of the class is the ladder, or VALIDATE_NO_SPECIMEN. */
size_t validate_primary(const struct validate_study *study, const char *class);

/* Where an event's chain begins; 0: there is no such cell. */
size_t validate_last_of_subject(const struct validate_plan *plan, size_t subject);

/* Where an event's ladder ended below its top because of what a hit costs. */
struct validate_cap {
    size_t subject;
    const char *specimen;
    uint64_t n;    /* the highest rung that was measured */
    uint64_t top;  /* the highest there would be */
    double hit_ns; /* of one unit of N; 0: not known */
};
/* False: the whole ladder was measured, or nothing of it. */
bool validate_cap(const struct validate_study *study, const struct validate_plan *plan,
                  size_t subject, struct validate_cap *cap);

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

/* TRUTH_NONE for what is no grade. */
enum truth_grade grade_from_name(const char *name);

/* ----------------------------------------------------------------------------------------------
 * The study of events against specimens: what to measure next, and from what was stored to the
 * case that the judge gets. */

/* --- from a store to a case --- */

/* Every event that the store tells of, with all points and runs measured for it. case_release frees
 * it, also after a failure. */
int validate_load(struct store *store, struct case_file *file, struct failure *failure);
