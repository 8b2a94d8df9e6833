/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Events of the PMUs that sysfs describes: pmu/term=…,alias/modifiers, and the core PMU's aliases
 * without the slashes. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "base/text.h"
#include "events/form.h"
#include "syscall.h"

/* Where the events room looks: files below a root (this machine's, or a recorded tree's) and
 * tracefs, wherever it is mounted or can be reached without mounting it for anyone else. */

__attribute__((format(printf, 3, 0))) static int format_path(const struct event_view *view,
                                                             char path[PATH_MAX],
                                                             const char *format, va_list arguments)
{
    int root = snprintf(path, PATH_MAX, "%s", view->root ? view->root : "");
    if (root < 0 || root >= PATH_MAX)
        return -ENAMETOOLONG;
    size_t room = PATH_MAX - (size_t)root;
    int rest = vsnprintf(path + root, room, format, arguments);
    return rest < 0 || (size_t)rest >= room ? -ENAMETOOLONG : 0;
}

int view_read_text(const struct event_view *view, char *content, size_t size, const char *format,
                   ...)
{
    char path[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int error = format_path(view, path, format, arguments);
    va_end(arguments);
    content[0] = '\0';
    if (error < 0)
        return error;
    AUTO_CLOSE int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return -errno;
    /* Fills content from an open file and cuts trailing white space. */
    size_t used = 0;
    while (used + 1 < size) {
        ssize_t got = read(file, content + used, size - 1 - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        used += (size_t)got;
    }
    while (used && strchr(" \t\r\n", content[used - 1]))
        used--;
    content[used] = '\0';
    return 0;
}

bool view_exists(const struct event_view *view, const char *format, ...)
{
    char path[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int error = format_path(view, path, format, arguments);
    va_end(arguments);
    return error == 0 && access(path, F_OK) == 0;
}

struct name_list {
    char **names;
    size_t count;
};

static void cleanup_names(struct name_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
}

static int add_name(struct name_list *list, const char *name)
{
    char *copy = strdup(name);
    char **added = copy ? list_add(&list->names, &list->count, sizeof(*added)) : NULL;
    if (!added) {
        free(copy);
        return -ENOMEM;
    }
    *added = copy;
    return 0;
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

int view_each_entry_at(int directory, const char *folder, view_each_name *each_name, void *context)
{
    int file = openat(directory, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return 0;
    AUTO_DIR DIR *stream = fdopendir(file);
    if (!stream) {
        close(file);
        return 0;
    }
    __attribute__((cleanup(cleanup_names))) struct name_list list = {0};
    for (const struct dirent *entry; (entry = readdir(stream));) {
        if (entry->d_name[0] != '.' && add_name(&list, entry->d_name) < 0)
            return -ENOMEM;
    }
    if (list.count)
        qsort(list.names, list.count, sizeof(*list.names), compare_names);
    int stop = 0;
    for (size_t i = 0; i < list.count && !stop; i++)
        stop = each_name(context, list.names[i]);
    return stop;
}

int view_each_entry(const struct event_view *view, const char *folder, view_each_name *each_name,
                    void *context)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s%s", view->root ? view->root : "", folder);
    if (length < 0 || (size_t)length >= sizeof(path))
        return 0;
    return view_each_entry_at(AT_FDCWD, path, each_name, context);
}

/* A mount point of tracefs that may be entered, or negative errno. */
static int open_mounted(const char *root, const char *folder)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s%s", root, folder);
    if (length < 0 || (size_t)length >= sizeof(path))
        return -ENAMETOOLONG;
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return -errno;
    if (faccessat(directory, "events", X_OK, 0) == 0)
        return directory;
    int error = -errno;
    close(directory);
    return error;
}

/* Reaches tracefs through a mount attached nowhere: it ends with its descriptor, and no other
 * process can see it. Needs the privilege to mount. */
static int open_detached(void)
{
    AUTO_CLOSE int context =
        (int)assay_syscall2(SYS_fsopen, (long)(uintptr_t) "tracefs", FSOPEN_CLOEXEC);
    if (context < 0)
        return context;
    long error = assay_syscall5(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, 0, 0, 0);
    if (error < 0)
        return (int)error;
    return (int)assay_syscall3(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
}

/* A denied mount point is somebody's decision to respect. Not so debugfs, where tracefs may hide:
 * it is closed to everybody but root, and says nothing about tracefs. */
static int open_tracefs(const char *root)
{
    int mounted = open_mounted(root, "/sys/kernel/tracing");
    if (mounted >= 0 || mounted == -EACCES)
        return mounted;
    int hidden = open_mounted(root, "/sys/kernel/debug/tracing");
    if (hidden >= 0)
        return hidden;
    return root[0] ? -ENOENT : open_detached(); /* a recorded tree is all there is */
}

void event_view_open(struct event_view *view, const char *root)
{
    *view = (struct event_view){.root = root ? root : "", .tracefs = -1};
    int tracefs = open_tracefs(view->root);
    if (tracefs < 0)
        view->tracefs_error = -tracefs;
    else
        view->tracefs = tracefs;
}

void event_view_close(struct event_view *view)
{
    if (view->tracefs >= 0)
        close(view->tracefs);
    view->tracefs = -1;
}

/* ----------------------------------------------------------------------------------------------
 * The bit fields that a PMU's format/ files describe: "config:0-7,32-35" is a field of twelve bits
 * in two stretches, filled from its lowest bit up. */

/* Parses "config", "config1" … and the colon; returns what follows, or NULL. */
static const char *parse_word(const char *text, unsigned *word)
{
    static const char prefix[] = "config";
    if (strncmp(text, prefix, sizeof(prefix) - 1) != 0)
        return NULL;
    text += sizeof(prefix) - 1;
    *word = 0;
    if (*text >= '1' && *text <= '3')
        *word = (unsigned)(*text++ - '0');
    return *text == ':' ? text + 1 : NULL;
}

/* One bit number, 0 … 63; returns what follows, or NULL. */
static const char *parse_bit(const char *text, unsigned *bit)
{
    if (!isdigit((unsigned char)*text))
        return NULL;
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (number > 63 || end - text > 2)
        return NULL;
    *bit = (unsigned)number;
    return end;
}

static int pmu_field_parse(const char *text, struct pmu_field *field)
{
    *field = (struct pmu_field){0};
    text = parse_word(text, &field->word);
    while (text) {
        unsigned first = 0, last;
        text = parse_bit(text, &first);
        last = first;
        if (text && *text == '-')
            text = parse_bit(text + 1, &last);
        if (!text || last < first)
            return -EINVAL;
        field->mask |= (~0ull >> (63 - (last - first))) << first;
        if (*text == '\0')
            return 0;
        text = *text == ',' ? text + 1 : NULL;
    }
    return -EINVAL;
}

int pmu_field_set(const struct pmu_field *field, uint64_t value, struct perf_event_attr *attr)
{
    uint64_t bits = 0;
    for (unsigned bit = 0; bit < 64; bit++) {
        if (!(field->mask >> bit & 1))
            continue;
        bits |= (value & 1) << bit;
        value >>= 1;
    }
    if (value)
        return -ERANGE;
    switch (field->word) {
    case 0:
        attr->config = (attr->config & ~field->mask) | bits;
        return 0;
    case 1:
        attr->config1 = (attr->config1 & ~field->mask) | bits;
        return 0;
    case 2:
        attr->config2 = (attr->config2 & ~field->mask) | bits;
        return 0;
#ifdef PERF_ATTR_SIZE_VER8
    case 3:
        attr->config3 = (attr->config3 & ~field->mask) | bits;
        return 0;
#endif
    default:
        return -ENOTSUP; /* built with headers older than Linux 6.3 */
    }
}

int pmu_field_find(const struct event_view *view, const char *pmu, const char *term,
                   struct pmu_field *field)
{
    if (!event_is_component(term, strlen(term)))
        return -ENOENT;
    char text[256];
    if (view_read_text(view, text, sizeof(text), PMU_FOLDER "/%s/format/%s", pmu, term) < 0)
        return -ENOENT;
    return pmu_field_parse(text, field);
}

/* --- What sysfs says of a PMU as a whole --- */

int pmu_type(const struct event_view *view, const char *pmu, uint32_t *type)
{
    char text[32];
    uint64_t number;
    if (!event_is_component(pmu, strlen(pmu)) ||
        view_read_text(view, text, sizeof(text), PMU_FOLDER "/%s/type", pmu) < 0 ||
        !event_parse_number(text, &number) || number > UINT32_MAX)
        return -ENOENT;
    *type = (uint32_t)number;
    return 0;
}

/* Core PMUs say in `cpus` which CPUs they belong to (uncore ones use `cpumask`); x86's one PMU for
 * all cores is called cpu (s390: cpum_cf) and says nothing. */
bool pmu_is_core(const struct event_view *view, const char *pmu)
{
    return strcmp(pmu, "cpu") == 0 || strcmp(pmu, "cpum_cf") == 0 ||
           view_exists(view, PMU_FOLDER "/%s/cpus", pmu);
}

bool pmu_is_alias(const char *file)
{
    static const char *const companions[] = {".unit", ".scale", ".snapshot", ".per-pkg"};
    size_t length = strlen(file);
    for (size_t i = 0; i < sizeof(companions) / sizeof(companions[0]); i++) {
        size_t suffix = strlen(companions[i]);
        if (length > suffix && strcmp(file + length - suffix, companions[i]) == 0)
            return false;
    }
    return event_is_component(file, length);
}

/* ----------------------------------------------------------------------------------------------
 * What stands between the slashes of pmu/…/: fields from the PMU's format files, whole words
 * (config=…), raw codes, and the PMU's own aliases, applied from left to right. */

#define TERMS_MAX 1024 /* bytes in an alias file or between the slashes */

struct term {
    const char *name;
    const char *value; /* NULL: none was written */
};

struct term_context {
    const struct event_view *view;
    const char *pmu;
    struct event *event;
    bool inside_alias; /* an alias cannot name another one */
    struct failure *failure;
};

/* Words perf understands between the slashes that mean something else than an event. */
static const struct {
    const char *name, *reason;
} refused[] = {
    {"period", "it makes samples, and assay counts"},
    {"freq", "it makes samples, and assay counts"},
    {"call-graph", "it makes samples, and assay counts"},
    {"stack-size", "it makes samples, and assay counts"},
    {"branch_type", "it makes samples, and assay counts"},
    {"aux-output", "it makes samples, and assay counts"},
    {"time", "it makes samples, and assay counts"},
    {"name", "the event keeps the name you write"},
    {"metric-id", "it belongs to perf's metrics"},
    {"percore", "it is perf's way of summing CPUs; assay counts one thread"},
    {"inherit", "whether children count is the caller's choice, not the event's"},
    {"no-inherit", "whether children count is the caller's choice, not the event's"},
};

static int refuse_perf_word(const struct term_context *context, const char *name)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        if (strcmp(name, refused[i].name) == 0)
            return fail_with(context->failure, -EINVAL, "term \"%s\" is not taken: %s", name,
                             refused[i].reason);
    }
    return 0;
}

static int consider_file(void *suggestions, const char *name)
{
    if (pmu_is_alias(name))
        suggest_consider(suggestions, name);
    return 0;
}

static int unknown_term(const struct term_context *context, const char *name)
{
    char folder[PATH_MAX];
    struct suggestions suggestions = {.wanted = name};
    snprintf(folder, sizeof(folder), PMU_FOLDER "/%s/events", context->pmu);
    view_each_entry(context->view, folder, consider_file, &suggestions);
    snprintf(folder, sizeof(folder), PMU_FOLDER "/%s/format", context->pmu);
    view_each_entry(context->view, folder, consider_file, &suggestions);
    char sentence[512];
    suggest_sentence(&suggestions, sentence, sizeof(sentence));
    return fail_with(context->failure, -ENOENT,
                     "PMU %s has neither a field nor an event called \"%s\"%s%s", context->pmu,
                     name, sentence,
                     sentence[0] ? "" : ": see its format and events folders in sysfs");
}

/* Sets a field to the term's value; a field without a value is a flag and becomes 1. */
static int set_field(const struct term_context *context, const struct pmu_field *field,
                     const struct term *term)
{
    uint64_t value = 1;
    if (term->value && strcmp(term->value, "?") == 0)
        return fail_with(context->failure, -EINVAL,
                         "this event of PMU %s leaves \"%s\" open: write it as a list of fields "
                         "and give the number",
                         context->pmu, term->name);
    if (term->value && !event_parse_number(term->value, &value))
        return fail_with(context->failure, -EINVAL,
                         "\"%s=%s\": the value must be a 64-bit number, decimal or 0x hexadecimal",
                         term->name, term->value);
    int error = pmu_field_set(field, value, &context->event->attr);
    if (error == -ERANGE)
        return fail_with(context->failure, -EINVAL,
                         "%s=0x%" PRIx64 " does not fit: the field has %d bits on PMU %s",
                         term->name, value, __builtin_popcountll(field->mask), context->pmu);
    if (error == -ENOTSUP)
        return fail_with(context->failure, -EINVAL,
                         "\"%s\" lies in config3, which the headers of this build do not know: "
                         "build on Linux headers 6.3 or later",
                         term->name);
    return error;
}

/* config, config1 …: a whole word as one field. */
static bool whole_word(const char *name, struct pmu_field *field)
{
    static const char *const words[] = {"config", "config1", "config2", "config3"};
    for (unsigned i = 0; i < 4; i++) {
        if (strcmp(name, words[i]) == 0) {
            *field = (struct pmu_field){i, ~0ull};
            return true;
        }
    }
    return false;
}

static bool raw_code(const struct term *term, uint64_t *code)
{
    size_t digits = strspn(term->name + 1, "0123456789abcdefABCDEF");
    if (term->value || term->name[0] != 'r' || digits == 0 || digits > 16 || term->name[1 + digits])
        return false;
    *code = strtoull(term->name + 1, NULL, 16);
    return true;
}

static int apply_list(struct term_context *context, char *list);

/* 1 when the PMU has such an alias and it was applied, 0 when not, negative errno. */
static int apply_alias(struct term_context *context, const struct term *term)
{
    char terms[TERMS_MAX];
    if (term->value || context->inside_alias || !pmu_is_alias(term->name))
        return 0;
    int error = view_read_text(context->view, terms, sizeof(terms), PMU_FOLDER "/%s/events/%s",
                               context->pmu, term->name);
    if (error == -EACCES)
        return fail_with(context->failure, -EACCES,
                         "the description of %s/%s/ in sysfs may not be read: run as root, or "
                         "write its fields yourself",
                         context->pmu, term->name);
    if (error < 0)
        return error == -ENOENT || error == -ENOTDIR ? 0 : error;
    context->inside_alias = true;
    error = apply_list(context, terms);
    context->inside_alias = false;
    return error < 0 ? error : 1;
}

/* cpu_atom/instructions/: a generic event on one type of cores. The operating system takes the
 * PMU's number in the upper half of config. The one PMU of all cores goes without: before Linux
 * 5.13 a number there is an error. */
static int apply_generic(struct term_context *context, const struct term *term)
{
    struct generic_event found;
    uint32_t type;
    if (term->value || context->inside_alias || !pmu_is_core(context->view, context->pmu) ||
        !generic_find(term->name, strlen(term->name), &found) || found.type == PERF_TYPE_SOFTWARE)
        return 0;
    int error = pmu_type(context->view, context->pmu, &type);
    if (error < 0)
        return error;
    context->event->attr.type = found.type;
    context->event->attr.config = found.config;
    if (strcmp(context->pmu, "cpu") != 0)
        context->event->attr.config |= (uint64_t)type << 32;
    return 1;
}

static int apply_term(struct term_context *context, const struct term *term)
{
    struct pmu_field field;
    uint64_t code;
    if (whole_word(term->name, &field)) {
        if (!term->value)
            return fail_with(context->failure, -EINVAL, "\"%s\" needs a value: %s=0x…", term->name,
                             term->name);
        return set_field(context, &field, term);
    }
    int error = pmu_field_find(context->view, context->pmu, term->name, &field);
    if (error == 0)
        return set_field(context, &field, term);
    if (error != -ENOENT)
        return fail_with(context->failure, -EINVAL,
                         "the format of \"%s\" on PMU %s in sysfs cannot be understood", term->name,
                         context->pmu);
    error = apply_alias(context, term);
    if (error == 0)
        error = apply_generic(context, term);
    if (error)
        return error < 0 ? error : 0;
    if (raw_code(term, &code)) {
        context->event->attr.config |= code;
        return 0;
    }
    error = refuse_perf_word(context, term->name);
    return error < 0 ? error : unknown_term(context, term->name);
}

/* Splits the list in place at commas and '='. */
static int apply_list(struct term_context *context, char *list)
{
    for (char *next = list; next;) {
        char *name = next;
        next = strchr(name, ',');
        if (next)
            *next++ = '\0';
        char *value = strchr(name, '=');
        if (value)
            *value++ = '\0';
        if (!*name || (value && !*value))
            return fail_with(context->failure, -EINVAL,
                             "a term of PMU %s is empty: write pmu/name=value,…/", context->pmu);
        int error = apply_term(context, &(struct term){name, value});
        if (error < 0)
            return error;
    }
    return 0;
}

/* --- The forms of their names --- */

struct pmu_gathering {
    const struct event_view *view;
    struct text list;
    struct suggestions suggestions;
};

static int gather_pmu(void *context, const char *name)
{
    struct pmu_gathering *gathering = context;
    text_printf(&gathering->list, "%s%s", gathering->list.length ? ", " : "", name);
    suggest_consider(&gathering->suggestions, name);
    return 0;
}

static bool pmu_fits(const struct event_view *view, const char *name)
{
    (void)view;
    return strchr(name, '/') != NULL;
}

static int pmu_resolve(const struct event_view *view, const char *name, struct event *event,
                       struct failure *failure)
{
    char parts[EVENT_NAME_MAX + 1];
    strcpy(parts, name);
    char *terms = strchr(parts, '/');
    *terms++ = '\0';
    char *modifiers = strchr(terms, '/');
    if (!modifiers)
        return fail_with(failure, -EINVAL, "\"%s\" lacks its closing slash: write pmu/…/", name);
    *modifiers++ = '\0';
    if (!event_is_component(parts, strlen(parts)))
        return fail_with(failure, -EINVAL,
                         "\"%s\" does not begin with the name of a PMU: write pmu/term=value,…/",
                         name);
    uint32_t type;
    if (pmu_type(view, parts, &type) < 0) {
        struct pmu_gathering gathering = {.view = view, .suggestions = {.wanted = parts}};
        view_each_entry(view, PMU_FOLDER, gather_pmu, &gathering);
        for (const struct event_source *source = view->sources; source && source->name; source++)
            suggest_consider(&gathering.suggestions, source->name);
        char sentence[512];
        suggest_sentence(&gathering.suggestions, sentence, sizeof(sentence));
        fail_with(failure, -ENOENT, "this machine has no PMU \"%s\", only: %.300s%s%s", parts,
                  gathering.list.length ? text_string(&gathering.list) : "none", sentence,
                  strcmp(parts, "cpu") == 0 ? " (`assay doctor` says why there is no hardware PMU)"
                                            : "");
        text_free(&gathering.list);
        return -ENOENT;
    }
    event->kind = EVENT_PMU;
    event->attr.type = type;
    /* Applies "event=0x3c,umask=1" (or an alias, or rNNN) to the attr. */
    char list[TERMS_MAX];
    struct term_context context = {view, parts, event, false, failure};
    if (strlen(terms) >= sizeof(list))
        return fail_with(failure, -EINVAL, "too many terms for PMU %s", parts);
    strcpy(list, terms);
    int error = *list ? apply_list(&context, list) : 0;
    if (error < 0)
        return error;
    if (event->attr.type != type && strchr(terms, ','))
        return fail_with(failure, -EINVAL, "\"%s\": a generic event stands alone in its slashes",
                         name);
    if (!*modifiers)
        return 0;
    return event_apply_modifiers(modifiers + (*modifiers == ':'), name, &event->attr, failure);
}

const struct event_form event_form_pmu = {pmu_fits, pmu_resolve};

/* --- a core PMU's alias written bare: "mem-loads" for cpu/mem-loads/ --- */

struct alias_search {
    const struct event_view *view;
    char alias[256];
    char pmu[256]; /* "": none has it so far */
};

/* Of several core types the one that generic names and raw codes count on (x86: it has their
 * number), so that all bare names mean the same cores; else the first. */
static int find_alias(void *context, const char *pmu)
{
    struct alias_search *search = context;
    uint32_t type;
    if (!pmu_is_core(search->view, pmu) || strlen(pmu) >= sizeof(search->pmu) ||
        !view_exists(search->view, PMU_FOLDER "/%s/events/%s", pmu, search->alias))
        return 0;
    bool preferred = pmu_type(search->view, pmu, &type) == 0 && type == PERF_TYPE_RAW;
    if (preferred || !search->pmu[0])
        strcpy(search->pmu, pmu);
    return preferred;
}

static bool search_alias(const struct event_view *view, const char *name,
                         struct alias_search *search)
{
    size_t length = strcspn(name, ":");
    *search = (struct alias_search){.view = view};
    if (length >= sizeof(search->alias))
        return false;
    memcpy(search->alias, name, length);
    if (!pmu_is_alias(search->alias))
        return false;
    view_each_entry(view, PMU_FOLDER, find_alias, search);
    return search->pmu[0] != '\0';
}

static bool alias_fits(const struct event_view *view, const char *name)
{
    struct alias_search search;
    return search_alias(view, name, &search);
}

static int alias_resolve(const struct event_view *view, const char *name, struct event *event,
                         struct failure *failure)
{
    struct alias_search search;
    char full[2 * 256 + EVENT_NAME_MAX + 8];
    if (!search_alias(view, name, &search))
        return -ENOENT;
    snprintf(full, sizeof(full), "%s/%s/%s", search.pmu, search.alias, name + strcspn(name, ":"));
    if (strlen(full) > EVENT_NAME_MAX)
        return fail_with(failure, -EINVAL, "\"%s\" is too long", name);
    return pmu_resolve(view, full, event, failure);
}

const struct event_form event_form_alias = {alias_fits, alias_resolve};
