/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads and processes of a program that is traced: all of them, from their first instruction to
 * their end, each with what it is about to do. */
#pragma once

#include <sched.h>

#include "probe/command/calls.h"
#include "probe/command/step-code.h"

struct traced {
    pid_t task, process;
    uint32_t number;   /* 0 the first, 1 the next … */
    struct code *code; /* shared by tasks of one address space */
    /* what it was resumed for */
    uint64_t begun; /* where it stood */
    uint64_t here;  /* where it stands, where that was read already */
    bool here_known;
    struct instruction *instruction; /* that it stands on; NULL: not known */
    int passed;                      /* the signal that it got; 0: none */
    bool calling;                    /* inside a system call, or about to make it */
    bool executed;                   /* exec: the stop behind it counts nothing */
    bool returned;                   /* from a call, and stops once more (STEPPED_EXTRA_STOP) */
    struct call call;                /* the last one */
    bool restarting;                 /* it was interrupted, and may be made again */
    struct instruction *made_by;     /* what made it; NULL: not known */
    /* where it may run by its own will: it is held on one CPU for the sake of speed */
    cpu_set_t allowed;
    bool placed; /* it chose a CPU itself, and is left there */
};

struct traced_list {
    struct traced **list;
    size_t count;
    struct traced *last;       /* found last */
    uint64_t tasks, processes; /* that there were */
    struct early {
        pid_t task;
        int status;
    } * early; /* stopped before whoever made them said so */
    size_t early_count;
};

struct traced *traced_find(struct traced_list *tasks, pid_t task);
/* One more; NULL: out of memory. code: taken over. */
struct traced *traced_add(struct traced_list *tasks, pid_t task, pid_t process, struct code *code);
/* It has ended, or become another: gives up its code, and writes what was executed of it when it
 * was the last. */
int traced_leave_code(const struct command_visit *visit, struct traced *traced);
int traced_remove(const struct command_visit *visit, struct traced_list *tasks,
                  struct traced *traced);
/* A stop of a task that nobody knows yet; and whether there was one of it, which is then forgotten.
 */
int traced_note_early(struct traced_list *tasks, pid_t task, int status);
bool traced_take_early(struct traced_list *tasks, pid_t task, int *status);
void traced_free(struct traced_list *tasks);
