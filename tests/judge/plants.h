/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lies planted in the counts of one event, each with a size, and what the judge should say of
 * them. Knows samples, not the judge: nothing of its analysis is used here. */
#pragma once

#include "clean.h"
#include "studies/validate/study.h"

/* What a plant is about to change. */
struct planting {
    struct random *random;
    const struct evidence *evidence;
    const struct noise *noise; /* that the counts were drawn with; NULL: they are recorded */
    double size;               /* in the plant's own unit */
    double share;              /* of runs, where only some are hit */
    double after_ns;           /* windows that are shorter are counted right */
    const char *opcode;        /* the one that is miscounted */
    const char *class;         /* the one that is counted instead */
    const struct point *null;  /* a null cell; NULL: there is none */
};

/* The count of a run as the lying counter reports it, not yet rounded; may also change the times of
 * the run. */
typedef double plant_count(const struct planting *planting, const struct point *point,
                           struct evidence_run *run, double count);

#define CAUSE_BIT(cause)     (1u << (cause))
#define VERDICT_BIT(verdict) (1u << (verdict))

struct plant {
    const char *name;
    plant_count *count;
    double smallest, largest; /* of its size, drawn evenly in the logarithm */
    double share_low, share_high;
    bool is_whole;      /* its size is a whole number */
    unsigned causes;    /* any of these is right; CAUSE_NONE among them: it need not be named */
    unsigned verdicts;  /* any of these is right */
    const char *events; /* names of countables with blanks between; "": any */
    bool is_linear;     /* twice the size, twice the error: fit for a power curve */
    bool needs_opcode;
    bool needs_mixes; /* code in which the classes differ */
    bool needs_twin;
    bool needs_core_types;
    bool is_harmless; /* by the definition of the verdicts no fault: it must not be found */
    enum world world; /* the one it can be told in; WORLD_USUAL: in any */
    bool is_quiet;    /* only where counts have no noise but disturbed runs */
    bool is_of_length;
    bool is_local;     /* shows in few points, or runs, and has no more shape than that */
    bool of_cycles;    /* what is said of the PMU's other event is looked at … */
    bool leaks_cycles; /* … whose mode filters nothing, either */
    const char *code;  /* the note says so, whatever the verdict; NULL: the verdict is enough */
};
extern const struct plant plants[];
extern const size_t plant_count_of_all;
const struct plant *plant_find(const char *name);

/* Draws a size and what else the plant needs; opcode stays NULL where none can be told from
 * others. */
void planting_draw(struct random *random, const struct plant *plant,
                   const struct evidence *evidence, struct planting *planting);
/* Plants it; points_hit: how many points got an error of at least their noise. Returns its size in
 * units of the noise: the largest, over all points, of the root mean square of what a run gets
 * wrong, by the noise of the point. */
double plant_lie(const struct plant *plant, const struct planting *planting,
                 struct evidence *evidence, size_t *points_hit);
/* Standard deviation of a quiet run's count at this point, before a lie: that of the distribution
 * it was drawn from, or of the recorded runs without those that the account saw disturbed; at least
 * that of rounding to whole counts, 1 / sqrt(12). */
double point_noise(const struct planting *planting, const struct point *point);
/* Did the operating system's account see more than the code does? */
bool run_is_seen_disturbed(const struct point *point, const struct evidence_run *run);
/* Is the truth known to the count? What stays within limits is no error. */
bool point_shows_errors(const struct point *point);
