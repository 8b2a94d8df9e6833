/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a study is: an entry with functions; and the one way through all of them. A machine is
 * reached and measured by a plan, or stored runs are opened; what is stored is loaded, judged and
 * shown. What goes wrong on that way is said here, once, with its exit code. */
#pragma once

#include <jansson.h>

#include "engine/command.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/session.h"
#include "engine/skips.h"
#include "engine/wishes.h"
#include "store/store.h"

/* First member of the options of every study; a study that lacks one of them leaves it zero. */
struct study_options {
    struct common_options common;
    const char *store;
    const char *from;         /* one stored run is judged again */
    struct string_list froms; /* or several together */
    bool resume, all;
    uint64_t budget; /* ms; 0: nobody said */
    struct seed seed;
};

/* One execution of a study; first member of what each keeps of its own. */
struct studying {
    const struct command *command;
    const struct study_options *options; /* with --resume: as the run began, but for what may be
                                            given anew */
    const struct study_options *given;   /* on this command line */
    const struct study_options *begun;   /* with --resume: by the run; else `given` */
    size_t argument_count;
    const char *const *arguments; /* with --resume: those that the run began with */
    int64_t started;              /* monotonic ms */
    uint64_t seed, budget;        /* budget: ms; 0: no limit */
    /* --- the machine; stored runs have neither session nor catalogue --- */
    struct session *session;
    const struct catalogue *catalogue;
    const struct facts *facts; /* what it said of itself, now or when it was measured */
    struct facts stored_facts;
    char fingerprint[33];
    bool once; /* nobody can go on with this run later; the study says so in prepare */
    /* --- what is measured --- */
    struct wishes wishes;
    bool idle;           /* nothing can be measured: there will be no store */
    struct store *store; /* NULL: nothing was measured; of several the first */
    const char *stored;  /* its file; it outlives the store */
    bool complete;       /* every visit of the plan has ended */
    /* --- what is told --- */
    struct skips skips;
    char *refusal;  /* why there is nothing to judge or to tell people, where that has an exit code
                       of its own */
    double seconds; /* that it all took */
};

/* The end of a report for people: how to go on with a run that has not ended, then `more`, where
 * else there is something to read (NULL: nowhere); and what the report rests on. */
void studying_put_end(const struct studying *studying, const char *study, const char *more,
                      const struct style *style, struct text *out);

/* What those that show several studies together ask of one: run, report and compare. What it has
 * nothing to say of is left zero; kept is what it keeps, judged. In engine/told.h are words that
 * studies share. */
struct compared;
struct compared_factor;
struct study_trust {
    char event[128];      /* the name it was judged under */
    char verdict[24];     /* "exact" … */
    bool judged, refused; /* the verdict says something; it says that it could not be opened */
    bool reads_zero;      /* it says nothing, but that it never read anything but 0 */
    int64_t age_s;        /* since then; -1: unknown */
    bool stale;           /* it was the same CPU, but not the same machine … */
    char difference[256]; /* … and what differs: "kernel 6.1.0 -> 6.18.0"; "" */
};
/* One event on a page: its verdict, and the way of counting it that errs least. */
struct study_verdict {
    const char *event, *verdict, *cause, *note; /* cause NULL: none */
    bool measured;                              /* the verdict is one of counts */
    const char *path, *pattern;                 /* NULL: no way is any good */
    double adds; /* that way, to every count; 0: nothing, or unknown */
};
struct lead; /* engine/told.h */
struct study_told {
    const char *title; /* of its section in a report; NULL: the command's name */
    /* What came out, in a few sentences. */
    void (*lead)(const void *kept, struct lead *lead);
    /* Its line in the summary of a run: as data, and for people. field NULL: it has none. */
    struct study_line {
        const struct field *field; /* the same as data, of what the study keeps: nullable */
        unsigned place;            /* among the lines, from 1 on; each has its own */
        void (*put)(const void *kept, const struct style *style, struct text *out);
    } line;
    /* As a part of `run`: when it is its turn, from 1 on; 0: it is none. */
    struct study_part {
        unsigned turn;
        /* How parts share time: what it would like, in s. emulated_s 0: it is no use there. */
        unsigned quick_s, full_s, emulated_s;
        unsigned least_s, emulated_least_s; /* with less it says nothing */
        /* The lower, the more it matters: kept longer where the time does not hold all, and told
         * before others. Each has its own; that of rank 0 is always tried. */
        unsigned rank;
        unsigned quick_flag; /* s below which it gets --quick; 0: it has no such option */
        /* Why nothing was measured, where its rows say so rather than what is left out. */
        const char *(*lacks)(const void *kept);
    } part;
    /* What of it can be held against other machines (engine/compared.h). */
    struct study_compared {
        /* What it says, as words. What papers claim is taken without it. */
        void (*say)(const struct compared *compared, const void *kept);
        /* What its stores hold. NULL: windows and whole programs, by their events. */
        int (*load)(struct store *store, const struct compared *compared, struct failure *failure);
        const char *instead;  /* why its runs are not compared, and what can be; NULL: they are */
        const char *together; /* the claim that needs several machines, judged together */
        /* … and is about the machine as a factor: what each factor explains, and the same as JSON.
         */
        size_t (*factors)(const void *kept, struct compared_factor **list);
        json_t *(*factors_json)(const void *kept);
        bool timed; /* what its claims estimate are ratios of times */
        bool ticks; /* it tells how long the ticks of a machine's counter are */
    } compared;
    /* Where it judges events: what its latest runs on a machine say of one, for lists of them. */
    struct study_trusted {
        const void *(*load)(const char *fingerprint, const struct common_options *common);
        bool (*say)(const void *loaded, const struct facts *machine, const char *event, bool opens,
                    struct study_trust *trust); /* false: nothing is known */
        /* The verdicts of a run, what must not be trusted first. Returns how many. */
        size_t (*verdicts)(const void *kept, struct study_verdict **list);
    } trusted;
};

/* A study, as the driver sees it. Functions get what the study keeps, which begins with struct
 * studying; those that return int and get a failure return 0 or a negative errno with the sentence,
 * which decides the exit code. NULL: there is nothing to do. They are called in this order. */
struct study {
    size_t size;              /* of what it keeps */
    const char *no_arguments; /* to who gives arguments: "clocks are named with --clock"; NULL:
                                 there are some */
    const char *begins;       /* what --resume takes from the run, where no list tells: "the command
                                 and what says how it is executed"; NULL: the options by name */
    /* --- measuring --- */
    /* The command line alone; with --resume and --from, too. */
    int (*check)(void *kept, struct failure *failure);
    /* --resume, the store is open: what it knew that options do not say. */
    int (*recall)(void *kept, struct failure *failure);
    /* A new run: what the machine has of what is asked for. */
    int (*find)(void *kept, struct failure *failure);
    /* ms; 0: no limit. NULL: what the options say. */
    uint64_t (*budget)(const void *kept);
    /* From options and machine to what is wished for. */
    int (*prepare)(void *kept, struct failure *failure);
    /* What a new store holds before the first sample. */
    int (*put)(void *kept, struct failure *failure);
    /* --resume: the plan is made; cells of the store become its own. */
    int (*adopt)(void *kept, struct failure *failure);
    /* An exit code, after saying why. */
    int (*measure)(void *kept);
    /* --- judging --- */
    /* --from: may this one be judged together with those before it? */
    int (*accept)(void *kept, const char *path, const struct store_info *info,
                  struct failure *failure);
    int (*load)(void *kept, struct store *store, struct failure *failure);
    int (*judge)(void *kept, struct failure *failure);
    /* --- telling --- */
    /* That nothing was measured, and why; NULL: something was. */
    const char *(*nothing)(const void *kept);
    /* Adds what --fail-on names; the gate is asked where it was given. */
    void (*gate)(const void *kept, struct gate *gate);
    void (*put_report)(const void *kept, const struct style *style, struct text *out);
    json_t *(*results)(const void *kept);
    json_t *(*analysis)(const void *kept);
    const struct skips *(*skipped)(const void *kept); /* NULL: the skips */
    struct {
        size_t offset, count;
    } findings; /* of papers, in what it keeps; count 0: it judges none */
    json_t *(*figures)(const void *kept);
    bool unseeded; /* nothing is drawn: there is no seed */
    bool whole;    /* a run that was interrupted is not judged: half of it says nothing */
    /* Standard output is another's: without -o the report goes to standard error. NULL: never. */
    bool (*aside)(const void *kept);
    /* The exit code of what would end with this one. */
    int (*end)(const void *kept, int status);
    void (*release)(void *kept); /* what is no memory */
    const struct study_told *told;
};

/* What is told of a command; NULL: it is no study, or says nothing. */
static inline const struct study_told *told_of(const struct command *command)
{
    return command && command->study ? command->study->told : NULL;
}

/* Runs it with options that were parsed; an exit code. */
int study_run(const struct command *command, void *options, int argument_count, char **arguments);

/* For the entry `adopt`: the cells of the store become those of the wishes, where the plan agrees.
 */
int study_adopt(void *kept, struct failure *failure);

/* How a study spends its time on what it wishes for: one look at everything, which tells what
 * visits cost; then portions that each hold some processes of all, so that whatever disturbs for a
 * while disturbs all alike. After each the plan is settled anew by what time is left. Functions
 * that return int return EXIT_DONE, or the exit code after saying why. */
struct pacing {
    const char *all;                /* what the portions are of, for progress: "all tours" */
    const char *const *stage_names; /* what wishes are there for */
    unsigned stages;                /* how many of these; what the time did not hold is a skip */
    const char *unit;               /* "tour": what a wish is to people */
    const char *longer;             /* how to get more time: "give a larger --budget" */
    uint64_t reserve;               /* ms for judging at the end */
    uint32_t portions;
    bool dearest_last; /* within a look: prices differ a thousandfold */
    bool keeps; /* visits that the time does not hold wait for --resume, instead of being struck */
    bool quiet; /* no progress: it would stand in what a command writes */
    const struct gather_beside *beside; /* as in struct gathering */
    /* Called before the first visit, after every portion, and when all has ended. NULL: nobody has
     * anything to do then. */
    int (*between)(void *kept);
    /* Called when every goal that the time holds is reached: opens what was held back until then,
     * false: there is no more. NULL: all is open from the beginning. */
    bool (*further)(void *kept);
    /* [stages] Stages are measured one after the other, each in at most so many percent of the time
     * that is left then, and only what that holds as a whole; the rest of the time goes to what was
     * left out. NULL: all of them together. */
    const unsigned *shares;
    /* The turn of such a stage begins: may add its wishes. */
    int (*begin)(void *kept, unsigned stage);
    wishes_put *put; /* what the store gets with each cell; NULL: nothing */
};

/* The exit code of a command that would end with `status`: one that passes on the status of another
 * has codes of its own beyond those. */
int study_status(const struct studying *studying, int status);

/* For the entry `measure`: an exit code, after saying why. */
int study_measure(struct studying *studying, const struct pacing *pacing);
