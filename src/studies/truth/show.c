/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a command executed, for people: how many instructions and by whom they were counted, by
 * class, opcode and function, what the count is exact for, and what else became of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "decode/decode.h"
#include "engine/command-line.h"
#include "engine/options.h"
#include "studies/truth/study.h"

#define FEW            20u /* opcodes or functions, unless all are asked for */
#define SENTENCE_WORDS 60u /* columns that a command may take in a sentence */

/* --- the first lines --- */

/* Is it a subject of the kit whose length is known, that ended as it should? */
static bool is_known(const struct truth_run *run, int64_t *instructions)
{
    AUTO_WORDS char **words = NULL;
    struct failure ignored = {0};
    uint64_t n = 0;
    const size_t prefix = strlen(SUBJECT_WORD);
    if (strncmp(run->line, SUBJECT_WORD, prefix) != 0 || run->counted.status != 0)
        return false;
    const int count = words_split(run->line, &words, &ignored);
    const struct catalogue_subject *subject =
        count >= 1 ? catalogue_subject(run->catalogue, words[0] + prefix) : NULL;
    if (!subject || !subject->has_truth || count != 2 || value_u64(words[1], &n) < 0)
        return false;
    return linear_at((struct linear){subject->base, subject->each}, n, instructions);
}

static void put_answer(const struct truth_run *run, const struct style *style, struct text *out)
{
    const struct truth_counted *counted = &run->counted;
    const bool cut = counted->status >= STATUS_TIMEOUT;
    char number[NUMBER_SIZE], ending[160];
    AUTO_TEXT struct text line = {0}, name = {0};
    text_put_clean(&line, run->line);
    text_put_clean(&name, run->name);
    const char *command =
        text_string(utf8_columns(text_string(&line)) <= SENTENCE_WORDS ? &line : &name);
    number_count(counted->instructions, number, sizeof(number));
    command_ending(counted->status, run->timeout, ending, sizeof(ending));
    if (counted->lost)
        section_printf(style, out,
                       "%s: how many instructions is not known, since %s tells them at the end of "
                       "the command, and was killed with it; it %s.",
                       command, counted->source, ending);
    else
        section_printf(style, out, "%s: %s instruction%s%s, counted one by one by %s; it %s.",
                       command, number, counted->instructions == 1 ? "" : "s",
                       cut ? " until its time was over" : "", counted->source, ending);
}

static void put_repetitions(const struct truth_run *run, const struct style *style,
                            struct text *out)
{
    const struct truth_counted *counted = &run->counted;
    const uint64_t repetitions = truth_repetitions(counted);
    char number[NUMBER_SIZE], raw[NUMBER_SIZE];
    if (!repetitions)
        return;
    number_count(repetitions, number, sizeof(number));
    number_count(counted->instructions + repetitions, raw, sizeof(raw));
    section_printf(style, out,
                   "A repeated string instruction counts once, as CPUs count it; with each of its "
                   "%s further repetitions it would be %s.",
                   number, raw);
}

/* A program of the kit whose length is known says whether the source is right. */
static void put_known(const struct truth_run *run, const struct style *style, struct text *out)
{
    const struct truth_counted *counted = &run->counted;
    int64_t known;
    char number[NUMBER_SIZE];
    if (counted->lost || !is_known(run, &known))
        return;
    const bool same = known >= 0 && (uint64_t)known == counted->instructions;
    number_count(known >= 0 ? (uint64_t)known : 0, number, sizeof(number));
    section_printf(style, out, "By its own code it executes %s: %s.", number,
                   same ? "the source is right to the instruction" : "the source is wrong");
}

/* --- tables --- */

static void add_count(struct table *table, const struct truth_sum *sum, uint64_t all)
{
    const char *limit = sum->unsure ? "at least " : "";
    char number[NUMBER_SIZE];
    number_count(sum->count, number, sizeof(number));
    table_addf(table, TONE_STRONG, "%s%s", limit, number);
    if (all)
        table_addf(table, TONE_PLAIN, "%s%.2f", limit, 100 * (double)sum->count / (double)all);
    else
        table_add(table, TONE_PLAIN, "");
}

static void put_classes(const struct truth_run *run, const struct style *style, struct text *out)
{
    static const struct column columns[] = {{"class", false, false, false},
                                            {"instructions", true, false, false},
                                            {"%", true, false, false}};
    const struct truth_counted *counted = &run->counted;
    struct table table = {.columns = columns, .column_count = 3};
    for (size_t i = 0; i < counted->classes.count; i++) {
        const struct truth_sum *class = &counted->classes.list[i];
        /* What it has none of is in the JSON. */
        if (!class->count && !run->studying.given->all)
            continue;
        table_add(&table, TONE_PLAIN, class->name);
        add_count(&table, class, counted->instructions);
    }
    if (table.count) {
        text_putc(out, '\n');
        table_put(&table, style, out);
    }
    table_free(&table);
}

/* The first of them under a heading, and how many are left. */
static void put_sums(const struct truth_run *run, bool functions, const struct style *style,
                     struct text *out)
{
    static const struct column columns[2][4] = {{{"opcode", false, false, false},
                                                 {"instructions", true, false, false},
                                                 {"%", true, false, false},
                                                 {"repetitions", true, false, false}},
                                                {{"instructions", true, false, false},
                                                 {"%", true, false, false},
                                                 {"function", false, false, false},
                                                 {"of", false, true, false}}};
    const struct truth_sums *sums = functions ? &run->counted.functions : &run->counted.opcodes;
    struct table table = {.columns = columns[functions], .column_count = 4};
    size_t shown = 0;
    if (!(functions ? run->by_function : run->by_opcode) || !sums->count)
        return;
    for (; shown < sums->count && (run->studying.given->all || shown < FEW); shown++) {
        const struct truth_sum *sum = &sums->list[shown];
        if (!functions)
            table_add(&table, TONE_PLAIN, sum->name);
        add_count(&table, sum, run->counted.instructions);
        if (functions) {
            const char *slash = strrchr(sum->object, '/');
            const char *object = slash && slash[1] ? slash + 1 : sum->object;
            table_add(&table, TONE_PLAIN, *sum->name ? sum->name : "(no symbol)");
            table_add(&table, TONE_DIM, *object ? object : "(no file)");
        } else {
            char number[NUMBER_SIZE] = "";
            if (sum->repetitions)
                number_count(sum->repetitions, number, sizeof(number));
            table_add(&table, TONE_PLAIN, number);
        }
    }
    section_put_heading(functions ? "By function" : "By opcode", style, out);
    table_put(&table, style, out);
    table_free(&table);
    if (shown < sums->count)
        section_printf(style, out, "and %zu more %s (--all shows them)", sums->count - shown,
                       functions ? "functions" : "opcodes");
}

/* --- how far it can be trusted --- */

static void put_code(const struct truth_run *run, struct text *out)
{
    const struct truth_counted *counted = &run->counted;
    char one[NUMBER_SIZE], other[NUMBER_SIZE];
    if (counted->lost)
        return;
    if (!counted->has_code) {
        text_printf(out,
                    "%s did not tell which code was executed, so there are no classes, opcodes "
                    "and functions; %s. ",
                    counted->source,
                    truth_tells_late(run->counter) ? "with --by function it does, and is far slower"
                                                   : "another --source may");
        return;
    }
    number_count(counted->told, one, sizeof(one));
    number_count(counted->instructions, other, sizeof(other));
    if (!truth_is_covered(run))
        text_printf(out,
                    "Classes, opcodes and functions are of %s of the %s instructions: the code of "
                    "the others was not told. ",
                    one, other);
    if (!counted->classes.count) {
        text_puts(out, "It is more code than can be decoded: there are no classes and opcodes. ");
        return;
    }
    if (run->by_opcode && truth_no_opcodes(run))
        text_puts(out, "Opcodes were " TRUTH_NOT_BY ". ");
    number_count(counted->unknown, one, sizeof(one));
    if (counted->unknown)
        text_printf(out, "No decoder here knows %s of them: they are of no class and opcode. ",
                    one);
    uint64_t unsure = 0;
    for (size_t i = 0; i < counted->classes.count; i++)
        if (counted->classes.list[i].unsure > unsure)
            unsure = counted->classes.list[i].unsure;
    number_count(unsure, one, sizeof(one));
    if (unsure && truth_is_covered(run))
        text_printf(
            out,
            "Where it says \"at least\", up to %s more may be of the class: no decoder here "
            "knows enough of them. ",
            one);
    if (counted->repetitions)
        text_puts(out, "Loads and stores: of a repeated string instruction the first of each. ");
}

static void put_company(const struct truth_counted *counted, struct text *out)
{
    if (counted->tasks <= 1)
        text_puts(out, "One process of one thread");
    else if (counted->processes <= 1)
        text_printf(out, "One process of %llu threads, all counted",
                    (unsigned long long)counted->tasks);
    else
        text_printf(out, "%llu processes with %llu threads, all counted",
                    (unsigned long long)counted->processes, (unsigned long long)counted->tasks);
    if (counted->left)
        text_printf(out, "; %llu that it left behind were ended",
                    (unsigned long long)counted->left);
}

static void put_circumstances(const struct truth_run *run, const struct style *style,
                              struct text *out)
{
    const struct truth_counted *counted = &run->counted;
    AUTO_TEXT struct text words = {0};
    char setting[200], bytes[NUMBER_SIZE];
    number_count(counted->output_bytes, bytes, sizeof(bytes));
    setting_name(run->controls, setting, sizeof(setting));
    put_company(counted, &words);
    text_printf(&words, "; executed %s%s; %.2f s", setting,
                run->controls == CONTROLS_ALL ? ", so that it repeats (--control as-is: as "
                                                "programs usually are)"
                                              : "",
                (double)counted->nanoseconds / 1e9);
    if (counted->output_bytes && !run->shown)
        text_printf(&words, "; %s bytes that it wrote were dropped (--show-output passes them on)",
                    bytes);
    text_puts(&words, ".");
    section_put_words(text_string(&words), style, out);
}

void truth_put_report(const void *kept, const struct style *style, struct text *out)
{
    const struct truth_run *run = kept;
    AUTO_TEXT struct text code = {0};
    if (!run->counter)
        return;
    put_answer(run, style, out);
    if (run->counted.other_path)
        section_printf(style, out, "This is not what it executes without %s: %s.",
                       run->counted.source, run->counted.other_path);
    put_repetitions(run, style, out);
    put_known(run, style, out);
    put_classes(run, style, out);
    put_sums(run, false, style, out);
    put_sums(run, true, style, out);
    text_putc(out, '\n');
    put_code(run, &code);
    if (code.length)
        section_put_words(text_string(&code), style, out);
    if (run->counter->note && *run->counter->note)
        section_printf(style, out, "By %s: %s.", run->counted.source, run->counter->note);
    put_circumstances(run, style, out);
    if (run->counted.rights == RIGHTS_WITHHELD)
        section_put_words("It ran without the rights that its file gives (set-user-ID, "
                          "set-group-ID or capabilities): what is traced or emulated does not "
                          "get them, so it may have done something else. Executed by a user who "
                          "has these rights it needs none of the file's.",
                          style, out);
    for (size_t i = 0; i < run->studying.skips.count;
         i++) /* sources that could not, before the one that could */
        section_printf(style, out, "Not by %s: %s", run->studying.skips.list[i].what,
                       run->studying.skips.list[i].reason);
    deliver_put_machine(run->studying.facts, style, out);
    text_puts(out, "samples in ");
    text_put_clean(out, run->studying.stored);
    text_putc(out, '\n');
}
