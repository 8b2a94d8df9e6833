/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of the source valgrind: which executions serve the asked classes, how caches are
 * described to cachegrind, and one execution. */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "probe/sources/lackey-trace.h"
#include "probe/sources/source.h"
#include "probe/sources/valgrind-output.h"
#include "specimens/specimen.h"

/* Ways to run Valgrind, each with columns of its own. */
enum valgrind_tool {
    TOOL_BBV,    /* exp-bbv: instructions, repeated ones once */
    TOOL_LACKEY, /* lackey: loads, stores, branches taken */
    TOOL_CACHE,  /* cachegrind: branches and predictors; caches as the specimen's parameters say */
    TOOL_CACHE_L2, /* the same with the second-level cache in place of the last */
    TOOL_TLB,      /* the same with TLBs as caches: a line is a page */
    TOOL_TRACE,    /* lackey's trace */
    TOOL_COUNT
};

/* A class: the sum of up to three columns of a tool, less another one. */
struct valgrind_class {
    const char *name;
    enum valgrind_tool tool;
    int add[3]; /* columns; -1: none */
    int subtract;
    bool order;  /* misled by instructions that repeat or lock: their code is traced instead */
    bool bytes;  /* and the code itself must be there to be read */
    bool caches; /* as cachegrind simulates them */
};
extern const struct valgrind_class valgrind_classes[]; /* a NULL name ends it */
const struct valgrind_class *valgrind_class_find(const char *name);
/* The class of the counts of its tool (or of a trace). */
uint64_t valgrind_class_count(const struct valgrind_class *class,
                              const uint64_t counts[VALGRIND_COLUMN_COUNT]);

/* The options that describe caches to cachegrind, one after the other. needed: classes whose caches
 * must be known, as bits of the table above; the others get something. 0 or negative errno. */
#define GEOMETRY_WORDS 3
int valgrind_geometry(enum valgrind_tool tool, const struct specimen *specimen,
                      struct specimen_parameters parameters, uint32_t needed,
                      char words[GEOMETRY_WORDS][64], struct failure *failure);

/* One execution of the harness. */
struct valgrind_run {
    const struct source_visit *visit;
    const char *program; /* valgrind */
    enum valgrind_tool tool;
    char geometry[GEOMETRY_WORDS][64];
    const char *specimen;
    uint64_t n;
    uint32_t repeat;
    const struct image *image; /* of the harness, for a trace */
};
/* 0, or negative errno with the reason by source_fail. */
int valgrind_execute(const struct valgrind_run *run, uint64_t counts[VALGRIND_COLUMN_COUNT]);
