/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Source valgrind: runs the harness under Valgrind's tools. They count whole programs and know no
 * window, so the window is called once and twice: the difference is one pass, with what calling it
 * costs, and the same difference of the specimen `null` is that cost. Valgrind is deterministic, so
 * both are exact. Only the tools that the asked classes need are run. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "decode.h"
#include "probe/sources/program.h"
#include "probe/sources/source.h"
#include "probe/sources/valgrind-output.h"
#include "specimens/specimen.h"

/* --- What Valgrind can count, and from which tool it comes --- */

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

#define NONE (-1)
#define ONE(column)                                                                                \
    {                                                                                              \
        column, NONE, NONE                                                                         \
    }
#define TWO(first, second)                                                                         \
    {                                                                                              \
        first, second, NONE                                                                        \
    }

/* A NULL name ends it. */
static const struct valgrind_class valgrind_classes[] = {
    {"instructions", TOOL_BBV, ONE(VALGRIND_INSTRUCTIONS), NONE, false, false, false},
    {"instructions-raw", TOOL_BBV, ONE(VALGRIND_INSTRUCTIONS_RAW), NONE, false, false, false},
    {"loads", TOOL_LACKEY, ONE(VALGRIND_LOADS), NONE, true, false, false},
    {"stores", TOOL_LACKEY, ONE(VALGRIND_STORES), NONE, true, false, false},
    {"cond-branches", TOOL_CACHE, ONE(VALGRIND_CONDITIONAL), NONE, true, true, false},
    {"cond-branches-taken", TOOL_LACKEY, ONE(VALGRIND_TAKEN), NONE, true, true, false},
    {"cond-branches-not-taken", TOOL_LACKEY, ONE(VALGRIND_CONDITIONAL), VALGRIND_TAKEN, true, true,
     false},
    {"indirect-branches", TOOL_CACHE, ONE(VALGRIND_INDIRECT), NONE, false, false, false},
    {"branch-misses", TOOL_CACHE, ONE(VALGRIND_MISPREDICTED), NONE, false, false, false},
    {"l1d-misses", TOOL_CACHE, TWO(VALGRIND_D1_LOAD_MISSES, VALGRIND_D1_STORE_MISSES), NONE, false,
     false, true},
    {"l1d-load-misses", TOOL_CACHE, ONE(VALGRIND_D1_LOAD_MISSES), NONE, false, false, true},
    {"l1i-load-misses", TOOL_CACHE, ONE(VALGRIND_I1_MISSES), NONE, false, false, true},
    {"llc-load-misses", TOOL_CACHE, ONE(VALGRIND_LL_LOAD_MISSES), NONE, false, false, true},
    {"l2-misses",
     TOOL_CACHE_L2,
     {VALGRIND_LL_LOAD_MISSES, VALGRIND_LL_STORE_MISSES, VALGRIND_LL_CODE_MISSES},
     NONE,
     false,
     false,
     true},
    {"dtlb-misses", TOOL_TLB, TWO(VALGRIND_D1_LOAD_MISSES, VALGRIND_D1_STORE_MISSES), NONE, false,
     false, true},
    {"dtlb-load-misses", TOOL_TLB, ONE(VALGRIND_D1_LOAD_MISSES), NONE, false, false, true},
    {"itlb-load-misses", TOOL_TLB, ONE(VALGRIND_I1_MISSES), NONE, false, false, true},
    {NULL, TOOL_COUNT, {NONE, NONE, NONE}, NONE, false, false, false},
};

static const struct valgrind_class *valgrind_class_find(const char *name)
{
    for (const struct valgrind_class *class = valgrind_classes; class->name; class ++)
        if (strcmp(class->name, name) == 0)
            return class;
    return NULL;
}

/* ----------------------------------------------------------------------------------------------
 * Caches and TLBs in cachegrind's words: bytes, ways, bytes of a line. It simulates what has a
 * power of two of sets; a TLB is a cache whose lines are pages, every entry able to hold any. */

#define GEOMETRY_WORDS 3

struct cache {
    const char *option; /* of cachegrind */
    const char *key;    /* of the specimen's parameters */
    uint64_t bytes, ways, line;
    uint64_t usual_bytes; /* where its size makes no difference */
    bool needed;
};

static bool is_power_of_two(uint64_t number)
{
    return number && !(number & (number - 1));
}

static bool possible(const struct cache *cache)
{
    uint64_t way = cache->ways * cache->line;
    return cache->bytes && cache->ways && is_power_of_two(cache->line) && cache->line >= 16 &&
           cache->ways <= cache->bytes && cache->bytes % way == 0 &&
           is_power_of_two(cache->bytes / way);
}

static int put(const struct specimen *specimen, struct cache cache, char word[64],
               struct failure *failure)
{
    /* What a specimen that does not ask for its size misses there is the same in any. */
    if (!possible(&cache) && (!cache.needed || !specimen_takes(specimen, cache.key))) {
        cache.bytes = cache.usual_bytes;
        cache.ways = 8;
        cache.line = 64;
    }
    if (!cache.bytes)
        return geometry_require(specimen->name, cache.key, 0, failure);
    if (!possible(&cache))
        return fail_with(failure, -ENOTSUP,
                         "cachegrind simulates caches with a power of two of sets, not %s = %llu "
                         "bytes in %llu ways of lines of %llu: give others as %s/%s=BYTES,"
                         "%s_ways=WAYS/",
                         cache.key, (unsigned long long)cache.bytes, (unsigned long long)cache.ways,
                         (unsigned long long)cache.line, specimen->name, cache.key, cache.key);
    snprintf(word, 64, "--%s=%llu,%llu,%llu", cache.option, (unsigned long long)cache.bytes,
             (unsigned long long)cache.ways, (unsigned long long)cache.line);
    return 0;
}

/* Was a class whose name begins so asked for? */
static bool asked(uint32_t needed, const char *start)
{
    for (unsigned index = 0; valgrind_classes[index].name; index++)
        if ((needed >> index & 1) &&
            strncmp(valgrind_classes[index].name, start, strlen(start)) == 0)
            return true;
    return false;
}

/* ----------------------------------------------------------------------------------------------
 * One execution of the harness under one of Valgrind's tools: its words, its log through a pipe,
 * the file it leaves. */

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

#define TAIL_BYTES 16384u      /* of the log: what a tool says at the end is shorter */
#define OUTPUT_MAX (64u << 20) /* bytes of a file */
#define LEAST_FD   20          /* for the log, out of the way of what harnesses use */
#define CACHEGRIND                                                                                 \
    {                                                                                              \
        {"--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes"}, "--cachegrind-out-file",     \
            cachegrind_read                                                                        \
    }
#define WORDS_MOST 16

/* How each tool is started and read. */
static const struct {
    const char *words[4];
    const char *file; /* the option that names the file it writes; NULL: it writes none */
    int (*read)(const char *text, size_t length, uint64_t counts[VALGRIND_COLUMN_COUNT],
                struct failure *failure);
} tools[TOOL_COUNT] = {
    [TOOL_BBV] = {{"--tool=exp-bbv", "--instr-count-only=yes"}, "--bb-out-file", bbv_read},
    [TOOL_LACKEY] = {{"--tool=lackey", "--detailed-counts=yes"}, NULL, lackey_read},
    [TOOL_CACHE] = CACHEGRIND,
    [TOOL_CACHE_L2] = CACHEGRIND,
    [TOOL_TLB] = CACHEGRIND,
    [TOOL_TRACE] = {{"--tool=lackey", "--trace-mem=yes", "--basic-counts=no"}, NULL, NULL},
};

/* One instruction a block. Across instructions Valgrind follows jumps, unrolls loops, folds
 * conditions it can foresee and leaves out loads whose result nobody uses; within one it does
 * not. */
static const char unoptimised[] = "--vex-guest-max-insns=1";

struct log {
    int ours, theirs;
    char tail[TAIL_BYTES];
    size_t length;
    struct trace trace;
};

static int log_open(const struct source_visit *visit, struct log *log)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return source_fail(visit, -errno, "cannot make a pipe: %s", strerror(errno));
    log->ours = ends[0];
    log->theirs = fcntl(ends[1], F_DUPFD, LEAST_FD); /* stays open in the harness' tool */
    close(ends[1]);
    if (log->theirs >= 0)
        return 0;
    close(log->ours);
    return source_fail(visit, -errno, "cannot make a pipe: %s", strerror(errno));
}

/* Why the harness did not do its job may stand in the log. */
static int explain(const struct valgrind_run *run, const struct log *log, int result)
{
    static const char unhandled[] = "unhandled instruction";
    const char *found = memmem(log->tail, log->length, unhandled, strlen(unhandled));
    if (!found)
        return result;
    return source_fail(run->visit, -ENOTSUP,
                       "Valgrind does not know an instruction of this code: another source may, or "
                       "a newer Valgrind");
}

static int read_counts(const struct valgrind_run *run, const struct log *log, const char *path,
                       uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    struct failure failure = {0};
    if (tools[run->tool].file) {
        struct stat facts;
        AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0 || fstat(fd, &facts) < 0)
            return source_fail(run->visit, -errno, "Valgrind's %s left no counts: %s",
                               tools[run->tool].words[0] + strlen("--tool="), strerror(errno));
        if (!S_ISREG(facts.st_mode) || facts.st_size > OUTPUT_MAX)
            return source_fail(run->visit, -EBADMSG, "what Valgrind left are no counts");
        size_t length = (size_t)facts.st_size;
        AUTO_FREE char *text = malloc(length + 1);
        if (!text)
            return source_fail(run->visit, -ENOMEM, "out of memory");
        if (read(fd, text, length) != (ssize_t)length)
            return source_fail(run->visit, -EIO, "Valgrind's counts cannot be read");
        unlink(path);
        int result = tools[run->tool].read(text, length, counts, &failure);
        return result < 0 ? source_fail(run->visit, result, "%s", failure.text) : 0;
    }
    int result = run->tool == TOOL_TRACE
                     ? trace_end(&log->trace, &failure)
                     : tools[run->tool].read(log->tail, log->length, counts, &failure);
    if (result < 0)
        return source_fail(run->visit, result, "%s", failure.text);
    if (run->tool == TOOL_TRACE)
        memcpy(counts, log->trace.counts, sizeof(log->trace.counts));
    return 0;
}

/* Valgrind expands % in the names of files. */
static void put_name(struct text *text, const char *path)
{
    for (; *path; path++)
        text_printf(text, *path == '%' ? "%%%%" : "%c", *path);
}

static int start(const struct valgrind_run *run, struct trial *trial, const struct log *log,
                 const char *path)
{
    const char *words[WORDS_MOST];
    size_t count = 0;
    char log_word[32];
    AUTO_TEXT struct text file = {0};
    snprintf(log_word, sizeof(log_word), "--log-fd=%d", log->theirs);
    words[count++] = run->program;
    for (size_t index = 0; tools[run->tool].words[index]; index++)
        words[count++] = tools[run->tool].words[index];
    words[count++] = unoptimised;
    words[count++] = log_word;
    words[count++] = "--child-silent-after-fork=yes";
    if (tools[run->tool].file) {
        text_printf(&file, "%s=", tools[run->tool].file);
        put_name(&file, path);
        words[count++] = text_string(&file);
    }
    for (size_t index = 0; run->geometry[0][0] && index < GEOMETRY_WORDS; index++)
        words[count++] = run->geometry[index];
    words[count] = NULL;
    return trial_start(trial, words, false);
}

/* 0, or negative errno with the reason by source_fail. */
static int valgrind_execute(const struct valgrind_run *run, uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    struct trial trial = {.settled = true};
    AUTO_TEXT struct text path = {0};
    AUTO_FREE struct log *log = calloc(1, sizeof(*log));
    text_printf(&path, "%s/valgrind-counts", run->visit->job->folder);
    if (!log || path.failed)
        return source_fail(run->visit, -ENOMEM, "out of memory");
    log->trace.image = run->image;
    /* The job of the visit, but with this specimen, this often, in one run. */
    int result = trial_make(&trial, run->visit);
    if (result >= 0) {
        struct job *job = trial.workspace.job;
        snprintf(job->specimen, sizeof(job->specimen), "%s", run->specimen);
        job->n = run->n;
        job->repeat = run->repeat;
        job->runs = 1;
    }
    if (result == 0)
        result = log_open(run->visit, log);
    if (result == 0) {
        int started = start(run, &trial, log, text_string(&path));
        /* Until the tool has closed its end; keeps the tail. */
        char buffer[65536];
        ssize_t got;
        close(log->theirs);
        while ((got = read(log->ours, buffer, sizeof(buffer))) > 0 || (got < 0 && errno == EINTR)) {
            size_t count = got > 0 ? (size_t)got : 0;
            if (run->tool == TOOL_TRACE)
                trace_feed(&log->trace, buffer, count);
            size_t taken = count < TAIL_BYTES ? count : TAIL_BYTES;
            size_t kept = log->length + taken <= TAIL_BYTES ? log->length : TAIL_BYTES - taken;
            memmove(log->tail, log->tail + log->length - kept, kept);
            memcpy(log->tail + kept, buffer + count - taken, taken);
            log->length = kept + taken;
        }
        close(log->ours);
        result = started < 0 ? started : trial_await(&trial);
        if (started == 0 && result < 0)
            result = explain(run, log, result);
    }
    if (result == 0)
        result = read_counts(run, log, text_string(&path), counts);
    trial_free(&trial);
    return result;
}

/* --- The source: what it needs, which tools serve the asked classes, counting --- */

/* --- what it needs --- */

static int valgrind_usable(const char *kit, char *reason, size_t size)
{
    (void)kit;
    AUTO_FREE char *program = program_find("valgrind");
    if (program_emulated()) {
        snprintf(reason, size,
                 "programs are emulated here, and Valgrind runs those of the machine "
                 "itself; source qemu counts");
        return -EOPNOTSUPP;
    }
    if (program)
        return programs_die(reason, size) ? -EPERM : 0;
    snprintf(reason, size,
             "there is no valgrind on this machine: install it, for example with "
             "`apt-get install valgrind`");
    return -ENOENT;
}

/* --- which tools --- */

typedef uint64_t counts_of_tools[TOOL_COUNT][VALGRIND_COLUMN_COUNT];

struct plan {
    const struct source_visit *visit;
    const char *program;
    const struct specimen *specimen;
    struct specimen_parameters parameters;
    uint32_t classes;       /* asked for, as bits of valgrind_classes */
    bool tools[TOOL_COUNT]; /* to be run */
    bool traced;            /* counts alone would mislead: order comes from a trace */
    bool nothing_repeats;   /* in the specimen, and lackey is run: it counts instructions, too */
    struct image image;     /* of the harness */
};

/* Surely without instructions that Valgrind splits into several? */
static bool is_plain(const struct specimen *specimen)
{
    if (specimen->form != SPECIMEN_CALLED)
        return true;
    return specimen->text_begin &&
           traced_plain((const uint8_t *)specimen->text_begin,
                        (size_t)(specimen->text_end - specimen->text_begin));
}

static enum valgrind_tool tool_for(const struct plan *plan, const struct valgrind_class *class)
{
    if (class->tool == TOOL_BBV && plan->nothing_repeats)
        return TOOL_LACKEY;
    return plan->traced && class->order ? TOOL_TRACE : class->tool;
}

static int plan_make(struct plan *plan, const struct source_visit *visit, const char *program)
{
    struct failure failure = {0};
    plan->visit = visit;
    plan->program = program;
    int result = specimen_parse(visit->job->specimen, &plan->specimen, &plan->parameters, &failure);
    if (result == 0)
        result = image_open(&plan->image, visit->harness, &failure);
    if (result < 0)
        return source_fail(visit, result, "%s", failure.text);
    plan->traced = !is_plain(plan->specimen);
    for (uint32_t index = 0; index < visit->job->counters; index++) {
        const struct valgrind_class *class = valgrind_class_find(source_class(visit, index));
        if (!class)
            return source_fail(visit, -ENOENT, "Valgrind cannot count %s",
                               source_class(visit, index));
        if (class->caches && plan->specimen->text_begin &&
            traced_flushes((const uint8_t *)plan->specimen->text_begin,
                           (size_t)(plan->specimen->text_end - plan->specimen->text_begin)))
            return source_fail(visit, -ENOTSUP,
                               "the code of %s flushes caches, which cachegrind does not simulate",
                               plan->specimen->name);
        plan->classes |= 1u << (class - valgrind_classes);
        plan->tools[tool_for(plan, class)] = true;
    }
    plan->nothing_repeats = plan->tools[TOOL_LACKEY] && !plan->traced;
    if (plan->nothing_repeats)
        plan->tools[TOOL_BBV] = false;
    return 0;
}

/* What a tool counted of a class. */
static uint64_t count_of(const struct plan *plan, const struct valgrind_class *class,
                         counts_of_tools counts)
{
    enum valgrind_tool tool = tool_for(plan, class);
    if (class->tool == TOOL_BBV && tool == TOOL_LACKEY)
        return counts[tool][VALGRIND_INSTRUCTIONS_RAW];
    /* The class of the counts of its tool (or of a trace). */
    uint64_t count = 0;
    for (int index = 0; index < 3 && class->add[index] >= 0; index++)
        count += counts[tool][class->add[index]];
    return class->subtract >= 0 ? count - counts[tool][class->subtract] : count;
}

/* --- counting --- */

static int prepare_run(const struct plan *plan, enum valgrind_tool tool, struct valgrind_run *run)
{
    struct failure failure = {0};
    *run = (struct valgrind_run){
        .visit = plan->visit, .program = plan->program, .tool = tool, .image = &plan->image};
    if (tool != TOOL_CACHE && tool != TOOL_CACHE_L2 && tool != TOOL_TLB)
        return 0;
    /* The options that describe caches to cachegrind, one after the other. needed: classes whose
     * caches must be known, as bits of the table above; the others get something. 0 or negative
     * errno. */
    struct specimen_parameters parameters = plan->parameters;
    uint32_t needed = plan->classes;
    struct specimen_parameters *has = &parameters;
    geometry_complete(has);
    if (plan->specimen->form == SPECIMEN_NULL) /* misses nothing, whatever the caches */
        needed = 0;
    long page = sysconf(_SC_PAGESIZE);
    uint64_t line = tool == TOOL_TLB && page > 0 ? (uint64_t)page : has->line;
    struct cache code = {"I1", "l1i", has->l1i, has->l1i_ways, line, 32768, asked(needed, "l1i")};
    struct cache data = {"D1", "l1d", has->l1d, has->l1d_ways, line, 32768, asked(needed, "l1d")};
    struct cache last = {
        "LL", "llc", has->llc, has->llc_ways, line, 8u << 20, asked(needed, "llc")};
    if (tool == TOOL_CACHE_L2)
        last = (struct cache){"LL", "l2", has->l2, has->l2_ways, line, 8u << 20, needed != 0};
    if (tool == TOOL_TLB) {
        code = (struct cache){"I1", "itlb", has->itlb * line,     has->itlb,
                              line, 32768,  asked(needed, "itlb")};
        data = (struct cache){"D1", "dtlb", has->dtlb * line,     has->dtlb,
                              line, 32768,  asked(needed, "dtlb")};
    }
    int error = put(plan->specimen, code, run->geometry[0], &failure);
    if (error == 0)
        error = put(plan->specimen, data, run->geometry[1], &failure);
    int result = error < 0 ? error : put(plan->specimen, last, run->geometry[2], &failure);
    return result < 0 ? source_fail(plan->visit, result, "%s", failure.text) : 0;
}

/* What a pass with nothing in it costs, learnt once in a session. */
struct kept_pass {
    char key[256];
    uint64_t counts[VALGRIND_COLUMN_COUNT];
};
#define KEPT_MOST ((WORKSPACE_KEPT - sizeof(uint64_t)) / sizeof(struct kept_pass))
struct kept_passes {
    uint32_t count;
    struct kept_pass list[KEPT_MOST];
};
_Static_assert(sizeof(struct kept_passes) <= WORKSPACE_KEPT, "it must fit");

static bool recall(const struct kept_passes *kept, const char *key,
                   uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    for (uint32_t index = 0; kept && index < kept->count && index < KEPT_MOST; index++)
        if (strcmp(kept->list[index].key, key) == 0) {
            memcpy(counts, kept->list[index].counts, sizeof(kept->list[index].counts));
            return true;
        }
    return false;
}

static void remember(struct kept_passes *kept, const char *key,
                     const uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    if (!kept || kept->count >= KEPT_MOST)
        return;
    struct kept_pass *fresh = &kept->list[kept->count];
    snprintf(fresh->key, sizeof(fresh->key), "%s", key);
    memcpy(fresh->counts, counts, sizeof(fresh->counts));
    kept->count++; /* last: a process that is ended before leaves nothing */
}

/* What one more pass through the window adds. */
static int count_pass(const struct plan *plan, enum valgrind_tool tool, const char *specimen,
                      uint64_t n, uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    struct valgrind_run run;
    uint64_t once[VALGRIND_COLUMN_COUNT] = {0};
    int result = prepare_run(plan, tool, &run);
    if (result < 0)
        return result;
    run.specimen = specimen;
    run.n = n;
    run.repeat = 1;
    result = valgrind_execute(&run, once);
    run.repeat = 2;
    if (result == 0)
        result = valgrind_execute(&run, counts);
    for (int column = 0; column < VALGRIND_COLUMN_COUNT; column++)
        counts[column] -= once[column];
    return result;
}

/* The same with nothing in the window. */
static int count_null(const struct plan *plan, enum valgrind_tool tool,
                      uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    char key[sizeof(((struct kept_pass *)0)->key)];
    struct valgrind_run run;
    const struct job *job = plan->visit->job;
    int result = prepare_run(plan, tool, &run);
    if (result < 0)
        return result;
    int length =
        snprintf(key, sizeof(key), "%d %s %s %u %u %s %s %s", tool, job->path, job->opt,
                 job->pattern, job->separate, run.geometry[0], run.geometry[1], run.geometry[2]);
    bool fits = length > 0 && (size_t)length < sizeof(key);
    if (fits && recall(plan->visit->kept, key, counts))
        return 0;
    result = count_pass(plan, tool, "null", 1, counts);
    if (result == 0 && fits)
        remember(plan->visit->kept, key, counts);
    return result;
}

/* specimen NULL: nothing. */
static int count_tools(const struct plan *plan, const char *specimen, uint64_t n,
                       counts_of_tools counts)
{
    int result = 0;
    for (int tool = 0; tool < TOOL_COUNT && result == 0; tool++)
        if (plan->tools[tool])
            result = specimen
                         ? count_pass(plan, (enum valgrind_tool)tool, specimen, n, counts[tool])
                         : count_null(plan, (enum valgrind_tool)tool, counts[tool]);
    return result;
}

static bool asks_taken(const struct plan *plan)
{
    for (unsigned index = 0; valgrind_classes[index].name; index++)
        if ((plan->classes >> index & 1) &&
            strncmp(valgrind_classes[index].name, "cond-branches-", 14) == 0)
            return true;
    return false;
}

static int count_row(struct plan *plan, uint32_t run, counts_of_tools null)
{
    const struct source_visit *visit = plan->visit;
    counts_of_tools counts = {{0}};
    int result = count_tools(plan, visit->job->specimen, visit->job->n, counts);
    if (result < 0)
        return result;
    /* lackey counts every way out of a block as a branch, cachegrind real ones only: where they
     * differ, what was taken is looked up in a trace. */
    if (!plan->traced && asks_taken(plan) && plan->tools[TOOL_LACKEY] && plan->tools[TOOL_CACHE] &&
        counts[TOOL_LACKEY][VALGRIND_CONDITIONAL] - null[TOOL_LACKEY][VALGRIND_CONDITIONAL] !=
            counts[TOOL_CACHE][VALGRIND_CONDITIONAL] - null[TOOL_CACHE][VALGRIND_CONDITIONAL]) {
        plan->traced = true;
        result = count_null(plan, TOOL_TRACE, null[TOOL_TRACE]);
        plan->tools[TOOL_TRACE] = true;
        if (result == 0)
            result = count_pass(plan, TOOL_TRACE, visit->job->specimen, visit->job->n,
                                counts[TOOL_TRACE]);
    }
    if (result < 0)
        return result;
    for (uint32_t index = 0; index < visit->job->counters; index++) {
        const struct valgrind_class *class = valgrind_class_find(source_class(visit, index));
        enum valgrind_tool tool = tool_for(plan, class);
        if (class->bytes && tool == TOOL_TRACE &&
            counts[tool][VALGRIND_UNREADABLE] != null[tool][VALGRIND_UNREADABLE])
            return source_fail(visit, -ENOTSUP,
                               "%s executes code that was made at run time: Valgrind's trace does "
                               "not show which of it are branches",
                               visit->job->specimen);
        int64_t count = (int64_t)(count_of(plan, class, counts) - count_of(plan, class, null));
        if (count < 0)
            return source_fail(visit, -EIO,
                               "a second pass through the window with %s made %" PRId64
                               " fewer %s than one with nothing in it: Valgrind's caches and "
                               "predictors were warmer then. Choose a larger N",
                               visit->job->specimen, -count, class->name);
        source_put(visit, run, index, (uint64_t)count);
    }
    return 0;
}

static int valgrind_count(const struct source_visit *visit)
{
    struct plan plan = {0};
    AUTO_FREE char *program = program_find("valgrind");
    if (!program)
        return source_fail(visit, -ENOENT, "valgrind is gone");
    int result = plan_make(&plan, visit, program);
    if (result == 0) {
        counts_of_tools null = {{0}};
        /* Both accounts of branches, so that they can be compared. */
        if (!plan.traced && asks_taken(&plan))
            plan.tools[TOOL_CACHE] = true;
        result = count_tools(&plan, NULL, 0, null);
        for (uint32_t run = 0; run < plan.visit->job->runs && result == 0; run++) {
            uint64_t begun = monotonic_ns();
            result = count_row(&plan, run, null);
            if (result == 0)
                source_row_done(plan.visit, run, monotonic_ns() - begun);
        }
    }
    image_close(&plan.image);
    return result;
}

static const char *const classes[] = {"instructions",
                                      "instructions-raw",
                                      "loads",
                                      "stores",
                                      "cond-branches",
                                      "cond-branches-taken",
                                      "cond-branches-not-taken",
                                      "indirect-branches",
                                      "branch-misses",
                                      "l1d-misses",
                                      "l1d-load-misses",
                                      "l1i-load-misses",
                                      "llc-load-misses",
                                      "l2-misses",
                                      "dtlb-misses",
                                      "dtlb-load-misses",
                                      "itlb-load-misses",
                                      NULL};

const struct source source_valgrind = {
    .name = "valgrind",
    .summary =
        "Valgrind's tools run the harness: exact counts, and simulated caches and predictors",
    .classes = classes,
    .runs = 1,
    .needs_folder = true,
    .keeps = 1,
    .usable = valgrind_usable,
    .count = valgrind_count,
};
