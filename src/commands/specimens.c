/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gathers what the machine says of its specimens; where counts for an N are asked for, fetches the
 * code of each and has every decoder count it. */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/memory.h"
#include "commands/specimens.h"
#include "decode/decode.h"
#include "engine/finish.h"
#include "engine/options.h"
#include "output/output.h"
#include "output/table.h"

#define SPECIMEN_DECODERS 2 /* those of decode.h */

/* What one decoder makes of one specimen. */
struct decoded_counts {
    bool told;
    struct tallies tallies; /* where told */
    char reason[256];       /* where not */
};

struct listed_specimen {
    const struct catalogue_specimen *specimen;
    struct decoded_counts decoded[SPECIMEN_DECODERS]; /* filled where a count was asked for */
};

struct specimen_list {
    const struct common_options *common;
    const struct catalogue *catalogue;
    const char *glob; /* NULL: all */
    bool counted;     /* for n */
    uint64_t n;
    struct listed_specimen *list;
    size_t count;
};

/* ----------------------------------------------------------------------------------------------
 * What a list of specimens is asked. */

static bool specimens_want(const struct specimen_list *list, const char *name)
{
    return !list->glob || fnmatch(list->glob, name, 0) == 0;
}

/* A specimen that is not here, the next one from *at on; NULL: no more. */
static const struct catalogue_absence *next_absent(const struct specimen_list *list, size_t *at)
{
    while (*at < list->catalogue->absence_count) {
        const struct catalogue_absence *absence = &list->catalogue->absences[(*at)++];
        if (strcmp(absence->kind, "specimen") == 0 && specimens_want(list, absence->name))
            return absence;
    }
    return NULL;
}

/* n was asked for and is none that the specimen can do. */
static bool specimens_out_of_range(const struct specimen_list *list,
                                   const struct catalogue_specimen *specimen)
{
    return list->counted && (list->n < specimen->min_n || list->n > specimen->max_n);
}

static bool is_bounded(const struct catalogue_truth *truth)
{
    return strcmp(truth->grade, "bounded") == 0;
}

/* The truth at n; false where there is none: only limits, n out of range, more than 64 bits. */
static bool specimens_predict(const struct specimen_list *list,
                              const struct catalogue_specimen *specimen,
                              const struct catalogue_truth *truth, int64_t *count)
{
    return list->counted && !specimens_out_of_range(list, specimen) && !is_bounded(truth) &&
           linear_at((struct linear){truth->base, truth->each}, list->n, count);
}

/* What the decoder counts of the class at n; false where it cannot say. */
static bool specimens_decoded(const struct specimen_list *list,
                              const struct listed_specimen *listed, size_t decoder,
                              const char *class, int64_t *count)
{
    const struct decoded_counts *decoded = &listed->decoded[decoder];
    const struct tally *tally = decoded->told ? tallies_find(&decoded->tallies, class) : NULL;
    return tally && tally->known && list->n >= listed->specimen->min_n &&
           list->n <= listed->specimen->max_n && linear_at(tally->count, list->n, count);
}

/* ----------------------------------------------------------------------------------------------
 * Specimens and their truths for programs: a row for each specimen and class. */

struct class_row {
    const struct listed_specimen *listed;
    const struct catalogue_truth *truth;
};

GETTER(get_name, struct class_row, value_text(item->listed->specimen->name))

PART(truth_of, struct class_row, item->truth)

GETTER(get_high_base, struct catalogue_truth,
       is_bounded(item) ? value_integer(item->high_base) : value_absent(NULL))

GETTER(get_high_each, struct catalogue_truth,
       is_bounded(item) ? value_integer(item->high_each) : value_absent(NULL))

GETTER(get_why, struct catalogue_truth, value_text(*item->why ? item->why : NULL))

/* Their names stand in one text, with commas. */
static struct value get_source(const void *item, const void *context, size_t index)
{
    (void)context;
    for (const char *at = ((const struct catalogue_truth *)item)->sources; *at;) {
        const size_t length = strcspn(at, ",");
        if (length && index-- == 0)
            return value_text(memory_format("%.*s", (int)length, at));
        at += length + (at[length] == ',');
    }
    return value_absent(NULL);
}

static struct value get_n(const void *item, const void *context)
{
    (void)item;
    const struct specimen_list *list = context;
    return list->counted ? value_count(list->n) : value_absent(NULL);
}

static struct value get_predicted(const void *item, const void *context)
{
    const struct specimen_list *list = context;
    const struct class_row *row = item;
    int64_t count;
    if (specimens_predict(list, row->listed->specimen, row->truth, &count))
        return value_integer(count);
    return value_absent(!list->counted ? "no N was given"
                        : specimens_out_of_range(list, row->listed->specimen)
                            ? "the specimen does not do this N"
                        : is_bounded(row->truth) ? "only limits can be stated"
                                                 : "more than 64 bits hold");
}

static struct value get_decoded(const void *item, const void *context)
{
    const struct specimen_list *list = context;
    const struct class_row *row = item;
    if (!list->counted)
        return value_absent(NULL);
    json_t *counts = json_object();
    for (size_t i = 0; i < SPECIMEN_DECODERS && decoders[i]; i++) {
        int64_t count;
        bool known = specimens_decoded(list, row->listed, i, row->truth->class, &count);
        json_object_set_new(counts, decoders[i]->name,
                            known ? json_difference(count) : json_null());
    }
    return value_json(counts);
}

static const char *const grades[] = {"proven", "bounded", "model"};
static const struct field truth_fields[] = {
    {"class", AT(struct catalogue_truth, class), "what is counted", .column = true},
    {"base", AT(struct catalogue_truth, base), "counts for N = 0; the least where bounded",
     .column = true},
    {"each", AT(struct catalogue_truth, each), "more for each N", .column = true},
    {"high_base", GET(FIELD_INTEGER, get_high_base), "where bounded: the most for N = 0",
     .nullable = true},
    {"high_each", GET(FIELD_INTEGER, get_high_each), "where bounded: more of that for each N",
     .nullable = true},
    {"grade", AT(struct catalogue_truth, grade), "how sure it is", NAMED(grades), .column = true},
    {"why", GET(FIELD_TEXT, get_why), "it is no more sure", .nullable = true},
    {"sources", VALUES(FIELD_TEXT, get_source), "that confirmed it", .column = true},
};
static const struct fields truth_table = FIELDS("specimens.truth", NULL, truth_fields);

static const struct field row_fields[] = {
    {"specimen", GET(FIELD_TEXT, get_name), "its name", .column = true},
    {"", SPLICED_BY(truth_of, &truth_table)},
    {"n", GET(FIELD_COUNT, get_n), "that --n gave", .nullable = true},
    {"predicted", GET(FIELD_INTEGER, get_predicted), "for that N", .absent = "no N was given"},
    {"decoded", GET(FIELD_JSON, get_decoded), "for that N, by each decoder of its code",
     .absent = "no N was given", .schema = "object"},
};
const struct fields specimen_truth_table =
    FIELDS("specimens", "a class that a specimen counts, with --specimens", row_fields);

static const void *row_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct specimen_list *list = item;
    for (size_t i = 0; i < list->count; i++) {
        const struct catalogue_specimen *specimen = list->list[i].specimen;
        if (index < specimen->truth_count) {
            struct class_row *row = memory_new(1, sizeof(*row));
            *row = (struct class_row){&list->list[i], &specimen->truths[index]};
            return row;
        }
        index -= specimen->truth_count;
    }
    return NULL;
}
static const struct field specimens_results = {"results", LIST_BY(row_at, &specimen_truth_table)};

GETTER(get_needs, struct catalogue_specimen, value_text(*item->needs ? item->needs : NULL))

static const struct field specimen_fields[] = {
    {"specimen", AT(struct catalogue_specimen, name), "its name"},
    {"summary", AT(struct catalogue_specimen, summary), "what it does"},
    {"stresses", AT(struct catalogue_specimen, stresses), "what it is for"},
    {"needs", GET(FIELD_TEXT, get_needs), "what a machine must have for it", .nullable = true},
    {"parameters", AT(struct catalogue_specimen, parameters), "that its name may give"},
    {"min_n", AT(struct catalogue_specimen, min_n), "the least N that it does"},
    {"max_n", AT(struct catalogue_specimen, max_n), "the most"},
};
static const struct fields specimen_table =
    FIELDS("specimens.specimen", "a specimen: a microbenchmark whose counts are known for every N",
           specimen_fields);

GETTER(get_isa, struct specimen_list, value_text(item->catalogue->isa))

static const void *specimen_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct specimen_list *list = item;
    return index < list->count ? list->list[index].specimen : NULL;
}

static const struct field analysis_fields[] = {
    {"isa", GET(FIELD_TEXT, get_isa), "of the machine", .optional = true},
    {"specimens", LIST_BY(specimen_at, &specimen_table), "with --specimens: each of them",
     .optional = true},
};
const struct fields specimens_analysis =
    FIELDS("specimens.analysis", "empty but with --specimens", analysis_fields);

static int specimens_deliver_json(const struct specimen_list *list, int status)
{
    json_t *skipped = json_array();
    const struct catalogue_absence *absence;
    for (size_t at = 0; (absence = next_absent(list, &at));)
        json_array_append_new(skipped,
                              json_skipped(absence->name, absence->reason, absence->error));
    for (size_t i = 0; list->counted && i < list->count; i++)
        for (size_t j = 0; j < SPECIMEN_DECODERS && decoders[j]; j++) {
            char what[128];
            const struct decoded_counts *decoded = &list->list[i].decoded[j];
            snprintf(what, sizeof(what), "%.80s decoded by %s", list->list[i].specimen->name,
                     decoders[j]->name);
            if (!decoded->told)
                json_array_append_new(skipped, json_skipped(what, decoded->reason, ENOTSUP));
        }

    struct envelope envelope = {.facts = &list->catalogue->facts,
                                .fingerprint = list->catalogue->fingerprint,
                                .skipped = skipped};
    return deliver_results("events", list->common, &envelope, &specimens_results,
                           &specimens_analysis, list, status);
}

/* ----------------------------------------------------------------------------------------------
 * Specimens for a person: a block for each, with a row for every class it says something of. Zeros
 * and reasons, which are the same for many classes, are said once for all they concern. */

#define INDENT  2
#define HANGING 4 /* where further lines of a sentence begin */

struct page {
    const struct specimen_list *list;
    const struct style *style;
    struct text *out;
};

/* Without a plus. */
static const char *plain(int64_t count, char number[NUMBER_SIZE])
{
    number_signed(count, number, NUMBER_SIZE);
    return number + (*number == '+');
}

/* "4 + 18·N", "N - 1", "7" */
static void put_linear(struct text *out, int64_t base, int64_t each)
{
    char number[NUMBER_SIZE];
    if (!each) {
        text_puts(out, plain(base, number));
        return;
    }
    if (base > 0) {
        number_count((uint64_t)base, number, sizeof(number));
        text_printf(out, "%s + ", number);
    }
    if (each != 1)
        text_printf(out, "%s·", plain(each, number));
    text_puts(out, "N");
    if (base < 0) {
        number_count(-(uint64_t)base, number, sizeof(number));
        text_printf(out, " - %s", number);
    }
}

/* Commas with spaces behind them; "decode" stands for both decoders. */
static void put_sources(struct text *out, const char *sources)
{
    static const char both[] = "decode/capstone,decode/objdump";
    const char *found = strstr(sources, both);
    for (const char *at = sources; *at; at++) {
        if (at == found) {
            text_puts(out, "decode");
            at += strlen(both) - 1;
        } else {
            text_printf(out, *at == ',' ? "%c " : "%c", *at);
        }
    }
}

/* What the decoders say of a class at N. agrees: with the prediction, where there is one. */
static void show_put_decoded(const struct page *page, const struct listed_specimen *listed,
                             const struct catalogue_truth *truth, struct text *out, bool *agrees)
{
    int64_t predicted, first = 0, count;
    bool same = true;
    size_t said = 0;
    AUTO_TEXT struct text each = {0};
    bool compare = specimens_predict(page->list, listed->specimen, truth, &predicted);
    for (size_t i = 0; i < SPECIMEN_DECODERS && decoders[i]; i++) {
        char number[NUMBER_SIZE];
        if (!specimens_decoded(page->list, listed, i, truth->class, &count))
            continue;
        text_printf(&each, "%s%s %s", said ? ", " : "", decoders[i]->name, plain(count, number));
        first = said ? first : count;
        same = same && count == first;
        *agrees = *agrees && (!compare || count == predicted);
        said++;
    }
    *agrees = *agrees && same;
    if (said && same) {
        char number[NUMBER_SIZE];
        text_puts(out, plain(first, number));
    } else {
        text_puts(out, text_string(&each));
    }
}

/* Zero for every N, and nobody counts anything else. */
static bool is_zero(const struct page *page, const struct listed_specimen *listed,
                    const struct catalogue_truth *truth)
{
    int64_t count;
    if (truth->base || truth->each || is_bounded(truth))
        return false;
    for (size_t i = 0; page->list->counted && i < SPECIMEN_DECODERS && decoders[i]; i++)
        if (specimens_decoded(page->list, listed, i, truth->class, &count) && count != 0)
            return false;
    return true;
}

static void add_row(const struct page *page, struct table *table,
                    const struct listed_specimen *listed, const struct catalogue_truth *truth)
{
    static const struct {
        const char *grade;
        enum tone tone;
    } tones[] = {{"proven", TONE_GOOD}, {"bounded", TONE_WARN}, {"model", TONE_WARN}};
    AUTO_TEXT struct text count = {0}, decoded = {0}, sources = {0};
    char number[NUMBER_SIZE];
    int64_t predicted;
    bool agrees = true;
    enum tone tone = TONE_PLAIN;
    for (size_t i = 0; i < sizeof(tones) / sizeof(*tones); i++)
        if (strcmp(tones[i].grade, truth->grade) == 0)
            tone = tones[i].tone;
    put_linear(&count, truth->base, truth->each);
    if (is_bounded(truth)) {
        text_puts(&count, " … ");
        put_linear(&count, truth->high_base, truth->high_each);
    }

    const bool known = specimens_predict(page->list, listed->specimen, truth, &predicted);
    show_put_decoded(page, listed, truth, &decoded, &agrees);
    put_sources(&sources, truth->sources);
    table_add(table, TONE_PLAIN, truth->class);
    table_add(table, TONE_PLAIN, text_string(&count));
    table_add(table, TONE_PLAIN, known ? plain(predicted, number) : "");
    table_add(table, agrees ? TONE_PLAIN : TONE_BAD, text_string(&decoded));
    table_add(table, tone, truth->grade);
    table_add(table, TONE_PLAIN, text_string(&sources));
}

static void put_wrapped(const struct page *page, const char *words)
{
    text_printf(page->out, "%*s", INDENT, "");
    wrap(page->out, words, INDENT, HANGING, page->style->width);
}

static void put_rows(const struct page *page, const struct listed_specimen *listed)
{
    char title[64];
    char number[NUMBER_SIZE];
    number_count(page->list->n, number, sizeof(number));
    snprintf(title, sizeof(title), "at N = %s", number);
    const struct column columns[] = {{.title = "class"},
                                     {.title = "count"},
                                     {.title = title, .right = true},
                                     {.title = "decoded", .right = true},
                                     {.title = "grade"},
                                     {.title = "confirmed by", .wraps = true}};
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    const struct style inner = {.colour = page->style->colour,
                                .width = page->style->width - INDENT};
    AUTO_TEXT struct text rows = {0};
    for (size_t i = 0; i < listed->specimen->truth_count; i++)
        if (!is_zero(page, listed, &listed->specimen->truths[i]))
            add_row(page, &table, listed, &listed->specimen->truths[i]);
    table_put(&table, &inner, &rows);
    table_free(&table);
    for (const char *line = text_string(&rows); *line;) {
        size_t length = strcspn(line, "\n");
        if (length)
            text_printf(page->out, "%*s", INDENT, "");
        text_append(page->out, line, length);
        text_putc(page->out, '\n');
        line += length + (line[length] == '\n');
    }
}

/* Do they stand in one line: zeros by who confirmed them, others by their reason? */
static bool is_alike(const struct catalogue_truth *one, const struct catalogue_truth *other,
                     bool zeros)
{
    return strcmp(one->grade, other->grade) == 0 &&
           strcmp(zeros ? one->sources : one->why, zeros ? other->sources : other->why) == 0;
}

/* A line for all zeros of one proof, or for all classes of one reason, which are named where their
 * grade has several. */
static void put_groups(const struct page *page, const struct listed_specimen *listed, bool zeros)
{
    const struct catalogue_truth *truths = listed->specimen->truths;
    const size_t count = listed->specimen->truth_count;
    AUTO_MEMORY bool *told = memory_new(count + 1, sizeof(*told));
    for (size_t i = 0; i < count; i++)
        told[i] = zeros ? !is_zero(page, listed, &truths[i]) : !*truths[i].why;
    for (size_t i = 0; i < count; i++) {
        if (told[i])
            continue;
        AUTO_TEXT struct text line = {0}, names = {0};
        bool several = false;
        for (size_t j = 0; j < count; j++) {
            const bool alike = is_alike(&truths[i], &truths[j], zeros);
            several |= !alike && *truths[j].why && strcmp(truths[i].grade, truths[j].grade) == 0;
            if (told[j] || !alike)
                continue;
            told[j] = true;
            text_puts(&names, names.length ? ", " : "");
            text_put_clean(&names, truths[j].class);
        }
        text_printf(&line, "%s%s", zeros ? "0, " : "", truths[i].grade);
        if (zeros) {
            text_puts(&line, *truths[i].sources ? " by " : "");
            put_sources(&line, truths[i].sources);
            text_printf(&line, ": %s", text_string(&names));
        } else {
            text_printf(&line, "%s%s: ", several ? ", " : "", several ? text_string(&names) : "");
            text_put_clean(&line, truths[i].why);
        }
        put_wrapped(page, text_string(&line));
    }
}

/* Without it the missing numbers would look as if none had been asked for. */
static void put_range(const struct page *page, const struct catalogue_specimen *specimen)
{
    if (!specimens_out_of_range(page->list, specimen))
        return;
    AUTO_TEXT struct text line = {0};
    char asked[NUMBER_SIZE], limit[NUMBER_SIZE];
    bool below = page->list->n < specimen->min_n;
    number_count(page->list->n, asked, sizeof(asked));
    number_count(below ? specimen->min_n : specimen->max_n, limit, sizeof(limit));
    text_printf(&line, "no counts at N = %s: the specimen %s N = %s", asked,
                below ? "begins at" : "goes up to", limit);
    put_wrapped(page, text_string(&line));
}

static void put_head(const struct page *page, const struct catalogue_specimen *specimen)
{
    AUTO_TEXT struct text about = {0};
    char low[NUMBER_SIZE], high[NUMBER_SIZE];
    number_count(specimen->min_n, low, sizeof(low));
    number_count(specimen->max_n, high, sizeof(high));
    text_put_toned(page->out, page->style, TONE_STRONG, specimen->name);
    text_putc(page->out, '\n');
    text_put_clean(&about, specimen->summary);
    text_puts(&about, "; stresses ");
    text_put_clean(&about, specimen->stresses);
    if (specimen->max_n != UINT64_MAX)
        text_printf(&about, "; N from %s to %s", low, high);
    if (*specimen->needs) {
        text_puts(&about, "; needs ");
        text_put_clean(&about, specimen->needs);
    }
    if (*specimen->parameters) {
        text_puts(&about, "; takes ");
        text_put_clean(&about, specimen->parameters);
    }
    put_wrapped(page, text_string(&about));
}

static int specimens_deliver_person(const struct specimen_list *list, int status)
{
    struct style style = deliver_style(list->common);
    AUTO_TEXT struct text out = {0};
    const struct page page = {list, &style, &out};
    if (list->count) {
        AUTO_TEXT struct text legend = {0};
        text_printf(&legend, "%zu specimen%s on ", page.list->count,
                    page.list->count == 1 ? "" : "s");
        text_put_clean(&legend, page.list->catalogue->isa);
        text_printf(&legend,
                    ", and what %s executes between opening and closing, the call of it "
                    "included, for every N. A count is proven where two sources that share no "
                    "code have reported it, bounded where only limits can be stated, and a "
                    "model where it follows from the code, a geometry or a latency alone.",
                    page.list->count == 1 ? "it" : "each");
        if (page.list->counted)
            text_puts(&legend, " Decoded is what its instructions add up to, without running it.");
        wrap(page.out, text_string(&legend), 0, 0, page.style->width);
        text_putc(page.out, '\n');
    }

    for (size_t i = 0; i < list->count; i++) {
        put_head(&page, list->list[i].specimen);
        put_range(&page, list->list[i].specimen);
        put_rows(&page, &list->list[i]);
        put_groups(&page, &list->list[i], true);
        put_groups(&page, &list->list[i], false);
        /* Why a decoder says nothing; once where both say the same. */
        const struct decoded_counts *decoded = list->list[i].decoded;
        for (size_t j = 0; page.list->counted && j < SPECIMEN_DECODERS && decoders[j]; j++) {
            AUTO_TEXT struct text line = {0};
            bool both =
                j == 0 && !decoded[1].told && strcmp(decoded[0].reason, decoded[1].reason) == 0;
            if (decoded[j].told || (j && strcmp(decoded[0].reason, decoded[j].reason) == 0))
                continue;
            text_printf(&line, "not decoded%s%s: ", both ? "" : " by ",
                        both ? "" : decoders[j]->name);
            text_put_clean(&line, decoded[j].reason);
            put_wrapped(&page, text_string(&line));
        }

        text_putc(&out, '\n');
    }
    const struct catalogue_absence *absence;
    const size_t before = out.length;
    for (size_t at = 0; (absence = next_absent(list, &at));) {
        AUTO_TEXT struct text line = {0};
        text_puts(&out, out.length == before ? "Not here:\n" : "");
        text_put_clean(&line, absence->name);
        text_puts(&line, ": ");
        text_put_clean(&line, absence->reason);
        put_wrapped(&page, text_string(&line));
    }
    text_puts(&out, out.length == before ? "" : "\n");

    deliver_put_machine(&list->catalogue->facts, &style, &out);
    return deliver_text("events", list->common, &out, status);
}

/* --- the command --- */

static void count_with(struct decoded_counts *decoded, const struct decoder *decoder,
                       const char *isa, const struct sent_code *sent)
{
    struct failure failure = {0};
    AUTO_MEMORY struct linear *trips = memory_new(sent->trip_count + 1, sizeof(*trips));
    for (size_t i = 0; i < sent->trip_count; i++)
        trips[i] = (struct linear){sent->trips[i].base, sent->trips[i].each};
    const struct specimen_code code = {
        .code = {isa, sent->address, sent->bytes, sent->length},
        .call = {isa, sent->call_address, sent->call, sent->call_length},
        .trips = {trips, sent->trip_count, sent->min_n},
    };
    decoded->told = count_code(decoder, &code, &decoded->tallies, &failure) == 0;
    if (!decoded->told)
        snprintf(decoded->reason, sizeof(decoded->reason), "%.255s", failure.text);
}

/* Negative errno when the session is lost; what cannot be decoded is noted, and no error. */
static int decode_one(const struct specimen_list *list, struct session *session,
                      struct listed_specimen *listed, struct failure *failure)
{
    struct sent_code sent;
    int status = session_code(session, listed->specimen->name, &sent, failure);
    if (status < 0 && status != -ENOTSUP && status != -ENOENT && status != -EINVAL)
        return status;
    for (size_t i = 0; i < SPECIMEN_DECODERS && decoders[i]; i++) {
        if (status == 0)
            count_with(&listed->decoded[i], decoders[i], list->catalogue->isa, &sent);
        else
            snprintf(listed->decoded[i].reason, sizeof(listed->decoded[i].reason), "%.255s",
                     failure->text);
    }
    if (status == 0)
        sent_code_release(&sent);
    return 0;
}

static int decode_all(struct specimen_list *list, struct session *session, struct failure *failure)
{
    struct progress progress = {0};
    int status = 0;
    progress_begin(&progress, "specimens", list->count, list->common->quiet);
    for (size_t i = 0; i < list->count && status == 0; i++) {
        if (interrupted)
            status = fail_with(failure, -EINTR, "interrupted");
        else
            status = decode_one(list, session, &list->list[i], failure);
        progress_step(&progress);
    }
    progress_end(&progress);
    return status;
}

int specimens_run(const struct common_options *common, struct session *session, const char *glob,
                  const struct optional *n)
{
    struct specimen_list list = {.common = common,
                                 .catalogue = session_catalogue(session),
                                 .glob = glob,
                                 .counted = n->given,
                                 .n = n->value};
    struct failure failure = {0};
    const struct catalogue *catalogue = list.catalogue;
    list.list = memory_new(catalogue->specimen_count + 1, sizeof(*list.list));
    for (size_t i = 0; i < catalogue->specimen_count; i++)
        if (specimens_want(&list, catalogue->specimens[i].name))
            list.list[list.count++].specimen = &catalogue->specimens[i];

    const int status = list.counted ? decode_all(&list, session, &failure) : 0;
    if (status < 0)
        return deliver_failure("events", &failure,
                               status == -EINTR ? EXIT_INTERRUPTED : EXIT_FAILED);
    if (!list.count && !next_absent(&list, &(size_t){0})) {
        struct nearest nearest = {.word = list.glob};
        for (size_t i = 0; i < catalogue->specimen_count; i++)
            nearest_offer(&nearest, catalogue->specimens[i].name);
        fail_with(&failure, -ENOENT,
                  "no specimen matches '%.200s'%s%s%s `assay events --specimens` lists them all",
                  list.glob, nearest.best ? ": did you mean '" : ".",
                  nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
        deliver_failure("events", &failure, EXIT_LACKING);
        if (!common_is_for_programs(common))
            return EXIT_LACKING;
    }
    return (common_is_for_programs(common) ? specimens_deliver_json : specimens_deliver_person)(
        &list, list.count ? EXIT_DONE : EXIT_LACKING);
}
