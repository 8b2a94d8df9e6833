/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What laying a store before a judge has in common, whatever was measured: copies of words, the
 * machine's name, whether two stores were measured by the same harnesses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "machine/facts.h"
#include "store/store.h"

/* "AMD EPYC (x86_64)" */
char *loading_machine_name(const struct facts *facts);

/* Stores of one machine that were measured by different builds of the harnesses cannot be judged
 * together. *kit: of the stores of this machine so far, NULL or "" while none is known; becomes
 * that of `store` then. why: "their windows are different code". -EINVAL after saying so. */
int loading_same_kit(const struct store *store, const char *of_store, char **kit, const char *why,
                     struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * The reader: the samples of a store, run by run, for every study. A visit that did not end well is
 * passed over, and so is what was broken off; a store that holds what cannot have been measured is
 * damaged, which is said here. */

struct read_run {
    size_t place; /* as its cell was given */
    uint32_t process, run, counters;
    const uint64_t *values, *enabled, *running; /* [counters] */
    struct account account;                     /* of the first counter */
};

/* Callbacks return 0, or a negative errno that ends reading; NULL: nobody asks. */
struct reader {
    struct store *store;
    struct failure *failure;
    void *context;
    /* A cell, in rising order of ids: sets where its runs belong; READ_NOT: nowhere. */
    int (*cell)(void *context, const struct stored_cell *stored, size_t *place);
    int (*begin)(void *context, size_t place, uint32_t process);
    int (*run)(void *context, const struct read_run *run);
    int (*end)(void *context, size_t place, uint32_t process);
    bool by_cell; /* in order of cells and processes, rather than as they were visited */
    bool strict;  /* each visit that ended has its runs, and no run lacks a counter */
    const char *run_word, *counter_word; /* in sentences: "look", "column"; NULL: run, counter */
};
#define READ_NOT SIZE_MAX

int reader_read(struct reader *reader);

/* What could not be had when it was measured, each with its reason. */
int reader_each_absence(struct store *store, store_event_each *each, void *context,
                        struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * Which kind of core a CPU is, on machines that have several: kinds are told apart by the PMU that
 * covers them, because that is what an event belongs to. */

/* Writes the PMU's name ("cpu_atom"), or "" where all cores are alike, where the process was not
 * pinned (cpu -1), or where the facts do not tell. */
void core_type(const struct facts *facts, int32_t cpu, char *name, size_t size);

/* The last CPU that a process may run on, by the facts, of the first kind where there are several:
 * the first CPUs serve most interrupts. -1: the facts do not tell. */
int32_t core_last(const struct facts *facts);

/* All of them in rising order; none where the facts do not tell. */
int32_t *core_allowed(const struct facts *facts, size_t *count);

/* ----------------------------------------------------------------------------------------------
 * The mode an event's name asks for, read from the name alone: the controller has no other
 * knowledge of events. */

/* The modifiers at the end of the name ("u" of "instructions:u" and of "cpu/event=0xc0/u"), or
 * NULL when it has none. Points into the name. */
const char *event_mode(const char *name);
/* NAME:u, or pmu/.../u. */
char *event_in_user_mode(const char *name);
/* Does the event count in user mode alone? */
bool event_counts_user_only(const char *name);
/* A processor counts in both modes unless told not to, and what the operating system executes on
 * behalf of a specimen nobody predicts. kind: as the probe lists the event; "" when unknown. */
bool event_counts_beyond_specimen(const char *kind, const char *name);
/* Does it count interrupts that the operating system takes (irq:…, irq_vectors:…)? As a cell's
 * second counter it says which runs were interrupted how often. */
bool event_counts_interrupts(const char *name);

/* ----------------------------------------------------------------------------------------------
 * Short words in a row, joined by commas, as the catalogue gives link modes, levels and sources. */

#define WORD_LIST_WORD 16 /* with its end; longer ones are passed over */

/* The next word of the list, which moves on; false at its end. */
bool word_list_next(const char **list, char word[WORD_LIST_WORD]);
bool word_list_has(const char *list, const char *word);
/* The preferred one where the list has it or has none at all, else its first. */
const char *word_list_prefer(const char *list, const char *preferred, char word[WORD_LIST_WORD]);
