/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a command is: its words, its options as a table, its code. Help, man page and completion
 * come from the table. One file each in src/commands, or the
 * study.c of a study, registered by one line in src/commands/meson.build.
 *
 * The folder:
 *
 *     command.h, options.c    what a command is; its words -> its options
 *     study.h, study.c        what a study is; the one way through all of them
 *     portions.c              how a study spends its time on what it wishes for
 *     session.h, .c, peer.h   the conversation with a probe
 *     catalogue.c, code.c     what the probe can do; the code of a specimen
 *     session-run.c           visits out, samples in
 *     via/                    transports: how a probe is reached
 *     run-store.h, .c         the store of a command that measures, new or resumed
 *     wishes.h, .c            which wishes a budget holds, in which order; pure
 *     gather.h, .c            runs what a store still lacks, with progress and signals
 *     loading.h, .c           the reader of samples, and what all loaders do alike
 *     predict.h, .c           what a count should be
 *     executed.h, .c, command-line.h, .c
 *                             commands of a person, and what they executed
 *     findings.h, .c          findings, estimates, numbers in sentences; pure
 *     compared.h, .c          what studies lay before the judge of comparisons; pure
 *     told.h, .c              the words of studies in reports, runs and comparisons
 *     finish.h, .c            hands over what a study found
 *     claims.h, .c, skips.h, .c
 *                             findings and what was left out, alike in every study */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct retold;
struct study;
struct text;

enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_LACKING = 3, /* the machine lacks what was asked */
    EXIT_VERDICT = 4, /* --fail-on */
    EXIT_INTERRUPTED = 130,
};

enum option_type {
    OPTION_FLAG,     /* bool */
    OPTION_STRING,   /* const char * */
    OPTION_U64,      /* uint64_t; accepts 1000000, 1e6, 0x10 and 1_000_000 */
    OPTION_I64,      /* int64_t */
    OPTION_DURATION, /* uint64_t milliseconds: 500ms, 60s, 5m, 1h; a bare number is seconds */
    OPTION_BUDGET,   /* the same, but not 0, which stands for a budget that nobody gave */
    OPTION_LIST,     /* struct string_list: may be repeated, and commas split */
    OPTION_FILES,    /* struct string_list: may be repeated, taken as they are */
    OPTION_SEED,     /* struct seed: numbers as for U64 */
    OPTION_OPTIONAL, /* struct optional: numbers as for U64 */
    OPTION_TYPES = 0xf,
    /* What an option of a study is there for, beside its type. */
    OPTION_MEASURES = 0x10, /* makes no sense with --from */
    OPTION_BEGINS = 0x20,   /* may not be given with --resume: it is as the run began */
    OPTION_STAYS = 0x40,    /* with --resume it is as the run began, unless given anew */
};

struct seed {
    bool given; /* false: the command draws one */
    uint64_t value;
};

/* A number that the command chooses where nobody gives one. */
struct optional {
    bool given;
    uint64_t value;
};

struct string_list {
    const char **items;
    size_t count;
};

struct option_spec {
    char letter;          /* 0: none */
    const char *name;     /* "event" */
    unsigned type;        /* enum option_type */
    const char *argument; /* "EVENT" in help; NULL for flags */
    const char *help;     /* one sentence, without a full stop; help adds the default to it */
    size_t offset;        /* into the command's options struct */
    const char *initial;  /* default as text, shown in help; NULL: zero */
    /* Those that it takes, or the usual ones, for completion; ends with NULL. "FILE", "DIR" and
     * "on|off" say that themselves. */
    const char *const *words;
    bool only; /* no others */
};
#define ONE_OF(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Rows that commands which measure have in common. */
#define OPTION_ROW_STORE(offset)                                                                   \
    {                                                                                              \
        0, "store", OPTION_STRING | OPTION_MEASURES, "FILE",                                       \
            "keep the samples in FILE, which must not exist yet; without it in the state folder",  \
            (offset), NULL                                                                         \
    }
#define OPTION_ROW_RESUME(offset)                                                                  \
    {                                                                                              \
        0, "resume", OPTION_FLAG | OPTION_MEASURES, NULL,                                          \
            "go on with an unfinished run as it began: that of --store, else the latest of this "  \
            "machine",                                                                             \
            (offset), NULL                                                                         \
    }
#define OPTION_ROW_FROM(offset)                                                                    \
    {                                                                                              \
        0, "from", OPTION_STRING, "FILE",                                                          \
            "judge the run stored in FILE again, without touching a machine", (offset), NULL       \
    }

/* What to say to those who try an option that only other commands have. */
struct option_hint {
    const char *option; /* "store"; a single letter is "p" of -p */
    const char *hint;   /* a sentence without a full stop */
};

/* Options every command has, but --via those that stay here; first member of each command's own
 * options struct. */
struct common_options {
    bool help;
    bool json, csv, markdown;
    bool quiet;
    const char *output; /* -o FILE; NULL: stdout */
    const char *via;    /* NULL for commands that stay here */
    int argc;           /* the whole command line as it was given, set by main for records of it */
    char **argv;
    struct retold *retold; /* where the result is kept; NULL: it is shown */
};

struct exit_meaning {
    int code;
    const char *meaning;
};

/* Rows of most commands; run_store_exit is the rule for files. */
#define EXIT_ROW_FAILED                                                                            \
    {                                                                                              \
        EXIT_FAILED, "failed; also: a file is damaged, or may not be read"                         \
    }
#define EXIT_ROW_USAGE                                                                             \
    {                                                                                              \
        EXIT_USAGE, "the command line is wrong, or names a file that is not there"                 \
    }

/* What stands together in `assay --help`, in this order. */
enum command_group {
    GROUP_ALL,
    GROUP_MACHINE,
    GROUP_STUDY,
    GROUP_PROGRAM,
    GROUP_STORED,
};

struct field;
struct fields;

struct command {
    const char *name;
    enum command_group group;
    const char *summary;                  /* one line in `assay --help` */
    const char *synopsis;                 /* "[options] [GLOB]" */
    const char *description;              /* paragraphs */
    void (*put_listed)(struct text *out); /* what stands at "%s" in them; NULL: there is none */
    const char *examples; /* lines "assay measure …" each with a "# comment" line before it */
    const struct option_spec *options; /* beyond the common ones; ends with name NULL */
    const struct option_hint *hints;   /* ends with option NULL; NULL: none */
    const struct exit_meaning *exits;  /* ends with meaning NULL; NULL: those of most commands */
    bool stays_here;                   /* reaches no other machine: has no --via */
    /* It runs another command: the first word that is no option begins that, and exit codes below
     * 125 are that one's, so that a wrong command line ends with 125. */
    bool passes_on;
    size_t options_size;       /* sizeof the options struct, which starts with common_options */
    const struct study *study; /* NULL: it is none, and `run` is its code */
    /* What its results are, of what it keeps (output/field.h): a list, by options with rows of
     * other tables instead; and the analysis. NULL: none. */
    const struct field *results;
    const struct fields *const *(*instead)(void); /* ends with NULL */
    const struct fields *analysis;
    const struct field *csv;     /* the columns of --csv where scripts know others; NULL: results */
    const struct fields *leaves; /* the JSON of a file for other programs; NULL: there is none */
    /* arguments: what is left after the options. Returns an exit code. */
    int (*run)(void *options, int argument_count, char **arguments);
};

extern const struct command *const command_registry[]; /* generated; ends with NULL */
const struct command *command_find(const char *name);

/* How often SIGINT, SIGTERM or SIGHUP asked to stop: at 1 a run ends between two processes, at 2 it
 * breaks off at once, a third ends the controller without further ado. */
extern volatile int interrupted;
