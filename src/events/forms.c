/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Names that need no description of the machine: perf's generic names, raw codes, PAPI's presets,
 * hardware breakpoints, sources, and the target of a specimen. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <linux/hw_breakpoint.h>

#include "base/text.h"
#include "events/form.h"

/* ----------------------------------------------------------------------------------------------
 * perf's generic names: hardware, cache and software events that every machine calls the same,
 * whether or not it has them. On hybrid CPUs a bare generic name counts on the first core type
 * only, as the operating system decides; cpu_atom/instructions/ names the other. */

/* The first name of a (type, config) is the canonical one, which lists show. */
static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
} simple[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    {"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
    {"bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT},
    {"cgroup-switches", PERF_TYPE_SOFTWARE, 11 /* PERF_COUNT_SW_CGROUP_SWITCHES, since 5.13 */},
};
#define SIMPLE_COUNT (sizeof(simple) / sizeof(simple[0]))

/* A cache event is "CACHE-OP" for accesses or "CACHE-OP-misses"; config is cache, operation and
 * result, a byte each. Which operations make sense depends on the cache. */
enum { CAN_LOAD = 1, CAN_STORE = 2, CAN_PREFETCH = 4, CAN_ALL = 7 };
static const struct {
    const char *name;
    uint64_t cache;
    unsigned operations;
} caches[] = {
    {"L1-dcache", PERF_COUNT_HW_CACHE_L1D, CAN_ALL},
    {"L1-icache", PERF_COUNT_HW_CACHE_L1I, CAN_LOAD | CAN_PREFETCH},
    {"LLC", PERF_COUNT_HW_CACHE_LL, CAN_ALL},
    {"dTLB", PERF_COUNT_HW_CACHE_DTLB, CAN_ALL},
    {"iTLB", PERF_COUNT_HW_CACHE_ITLB, CAN_LOAD},
    {"branch", PERF_COUNT_HW_CACHE_BPU, CAN_LOAD},
    {"node", PERF_COUNT_HW_CACHE_NODE, CAN_ALL},
};
static const struct {
    const char *name;
    uint64_t operation, result;
    unsigned needs;
} accesses[] = {
    {"loads", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS, CAN_LOAD},
    {"load-misses", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS, CAN_LOAD},
    {"stores", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS, CAN_STORE},
    {"store-misses", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS, CAN_STORE},
    {"prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS,
     CAN_PREFETCH},
    {"prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_MISS,
     CAN_PREFETCH},
};
#define CACHE_COUNT  (sizeof(caches) / sizeof(caches[0]))
#define ACCESS_COUNT (sizeof(accesses) / sizeof(accesses[0]))

static bool equals(const char *name, size_t length, const char *entry)
{
    return strlen(entry) == length && strncasecmp(name, entry, length) == 0;
}

bool generic_find(const char *name, size_t length, struct generic_event *found)
{
    for (size_t i = 0; i < SIMPLE_COUNT; i++) {
        if (equals(name, length, simple[i].name)) {
            *found = (struct generic_event){simple[i].type, simple[i].config};
            return true;
        }
    }
    for (size_t c = 0; c < CACHE_COUNT; c++) {
        size_t prefix = strlen(caches[c].name);
        if (length <= prefix + 1 || strncasecmp(name, caches[c].name, prefix) != 0 ||
            name[prefix] != '-')
            continue;
        for (size_t a = 0; a < ACCESS_COUNT; a++) {
            if (!(caches[c].operations & accesses[a].needs) ||
                !equals(name + prefix + 1, length - prefix - 1, accesses[a].name))
                continue;
            found->type = PERF_TYPE_HW_CACHE;
            found->config = caches[c].cache | accesses[a].operation << 8 | accesses[a].result << 16;
            return true;
        }
    }
    return false;
}

static enum event_kind kind_of(uint32_t type)
{
    return type == PERF_TYPE_HARDWARE   ? EVENT_HARDWARE
           : type == PERF_TYPE_SOFTWARE ? EVENT_SOFTWARE
                                        : EVENT_CACHE;
}

int generic_each(event_each *each, void *context)
{
    int stop = 0;
    for (size_t i = 0; i < SIMPLE_COUNT && !stop; i++) {
        if (i == 0 || simple[i].type != simple[i - 1].type ||
            simple[i].config != simple[i - 1].config)
            stop = each(context, simple[i].name, kind_of(simple[i].type));
    }
    for (size_t c = 0; c < CACHE_COUNT && !stop; c++) {
        for (size_t a = 0; a < ACCESS_COUNT && !stop; a++) {
            if (!(caches[c].operations & accesses[a].needs))
                continue;
            char name[64];
            snprintf(name, sizeof(name), "%s-%s", caches[c].name, accesses[a].name);
            stop = each(context, name, EVENT_CACHE);
        }
    }
    return stop;
}

static bool generic_fits(const struct event_view *view, const char *name)
{
    (void)view;
    struct generic_event found;
    return generic_find(name, strcspn(name, ":"), &found);
}

static int generic_resolve(const struct event_view *view, const char *name, struct event *event,
                           struct failure *failure)
{
    (void)view;
    struct generic_event found = {0};
    size_t length = strcspn(name, ":");
    if (!generic_find(name, length, &found))
        return -ENOENT;
    event->kind = kind_of(found.type);
    event->attr.type = found.type;
    event->attr.config = found.config;
    if (!name[length])
        return 0;
    return event_apply_modifiers(name + length + 1, name, &event->attr, failure);
}

const struct event_form event_form_generic = {generic_fits, generic_resolve};

/* --- Raw codes: rNNN with hexadecimal NNN goes to the core PMU's config as it stands --- */

static size_t digits_of(const char *name)
{
    return name[0] == 'r' ? strspn(name + 1, "0123456789abcdefABCDEF") : 0;
}

static bool raw_fits(const struct event_view *view, const char *name)
{
    (void)view;
    size_t digits = digits_of(name);
    return digits && (name[1 + digits] == '\0' || name[1 + digits] == ':');
}

static int raw_resolve(const struct event_view *view, const char *name, struct event *event,
                       struct failure *failure)
{
    (void)view;
    size_t digits = digits_of(name);
    if (digits > 16)
        return fail_with(failure, -EINVAL, "\"%s\": a raw code has at most 16 hexadecimal digits",
                         name);
    event->kind = EVENT_RAW;
    event->attr.type = PERF_TYPE_RAW;
    event->attr.config = strtoull(name + 1, NULL, 16);
    if (!name[1 + digits])
        return 0;
    return event_apply_modifiers(name + 2 + digits, name, &event->attr, failure);
}

const struct event_form event_form_raw = {raw_fits, raw_resolve};

/* ----------------------------------------------------------------------------------------------
 * PAPI's presets: PAPI_TOT_INS[:modifiers]. PAPI alone knows which events of the CPU a preset
 * stands for, so the name is all there is: only paths through PAPI can count it, and
 * perf_event_open refuses its attr. Which presets there are PAPI says; here a name only has to be
 * written like one. */

static const char papi_prefix[] = "PAPI_";

static bool papi_fits(const struct event_view *view, const char *name)
{
    (void)view;
    return strncmp(name, papi_prefix, sizeof(papi_prefix) - 1) == 0;
}

static int papi_resolve(const struct event_view *view, const char *name, struct event *event,
                        struct failure *failure)
{
    (void)view;
    size_t length = strcspn(name, ":");
    for (size_t i = 0; i < length; i++) {
        if (!isupper((unsigned char)name[i]) && !isdigit((unsigned char)name[i]) && name[i] != '_')
            return fail_with(failure, -EINVAL,
                             "\"%s\" is no name of a PAPI preset: they are capitals, digits and "
                             "underscores, such as PAPI_TOT_INS",
                             name);
    }
    if (length == sizeof(papi_prefix) - 1)
        return fail_with(failure, -EINVAL, "\"%s\" is incomplete: write PAPI_TOT_INS, for example",
                         name);
    event->kind = EVENT_PAPI;
    event->attr.type = EVENT_TYPE_NONE;
    return name[length] ? event_apply_modifiers(name + length + 1, name, &event->attr, failure) : 0;
}

const struct event_form event_form_papi = {papi_fits, papi_resolve};

/* ----------------------------------------------------------------------------------------------
 * Events that watch the target of a specimen: mem:target:x, uprobe:target and so on. Who types such
 * a name cannot know the address, which differs from one harness to the next; so the name stays
 * without a place until the process that holds the target opens it. */

int target_take(const struct event_view *view, const char *name, struct event *event,
                struct failure *failure)
{
    if (!view->has_target)
        return fail_with(failure, -ENOENT,
                         "\"%s\" watches the code of a specimen, which only assay's harnesses "
                         "hold: give an address or a file and a function instead",
                         name);
    event->own = true;
    return 0;
}

int target_each(const struct event_view *view, event_each *each, void *context)
{
    static const struct {
        const char *name;
        enum event_kind kind;
    } named[] = {
        {"mem:" TARGET_WORD ":x", EVENT_BREAKPOINT},  {"mem:" TARGET_WORD ":w", EVENT_BREAKPOINT},
        {"mem:" TARGET_WORD ":rw", EVENT_BREAKPOINT}, {"uprobe:" TARGET_WORD, EVENT_UPROBE},
        {"uretprobe:" TARGET_WORD, EVENT_UPROBE},
    };
    int stop = 0;
    for (size_t i = 0; view->has_target && i < sizeof(named) / sizeof(named[0]) && !stop; i++)
        stop = each(context, named[i].name, named[i].kind);
    return stop;
}

/* ----------------------------------------------------------------------------------------------
 * Hardware breakpoints: mem:ADDRESS[/LENGTH][:rwx][:modifiers] counts accesses to an address.
 * The address may be the word "target". */

static const char breakpoint_prefix[] = "mem:";

static bool breakpoint_fits(const struct event_view *view, const char *name)
{
    (void)view;
    return strncmp(name, breakpoint_prefix, sizeof(breakpoint_prefix) - 1) == 0;
}

static bool is_access(const char *text)
{
    return *text && strspn(text, "rwx") == strlen(text);
}

/* "rw" to the operating system's bits; letters twice are a slip of the pen. */
static int parse_access(const char *text, const char *whole, uint32_t *type,
                        struct failure *failure)
{
    static const struct {
        char letter;
        uint32_t bit;
    } bits[] = {{'r', HW_BREAKPOINT_R}, {'w', HW_BREAKPOINT_W}, {'x', HW_BREAKPOINT_X}};
    *type = 0;
    for (; *text; text++) {
        for (size_t i = 0; i < 3; i++) {
            if (bits[i].letter != *text)
                continue;
            if (*type & bits[i].bit)
                return fail_with(failure, -EINVAL, "\"%c\" stands twice in \"%s\"", *text, whole);
            *type |= bits[i].bit;
        }
    }
    if (*type & HW_BREAKPOINT_X && *type != HW_BREAKPOINT_X)
        return fail_with(failure, -EINVAL,
                         "\"%s\" mixes execution with data bits: count x and rw separately", whole);
    return 0;
}

/* The address and, behind a slash, the length. Without one: 4 bytes for data, and for code what
 * the operating system insists on. */
static int parse_place(const struct event_view *view, char *place, const char *whole,
                       struct event *event, struct failure *failure)
{
    struct perf_event_attr *attr = &event->attr;
    uint64_t address = 0, length = attr->bp_type == HW_BREAKPOINT_X ? sizeof(long) : 4;
    char *slash = strchr(place, '/');
    if (slash)
        *slash++ = '\0';
    if (strcmp(place, TARGET_WORD) == 0) {
        int error = target_take(view, whole, event, failure);
        if (error < 0)
            return error;
    } else if (!event_parse_number(place, &address)) {
        return fail_with(failure, -EINVAL,
                         "\"%s\" has no valid address: write mem:0x7f…[/LENGTH][:rwx][:modes]",
                         whole);
    }
    if (slash && (!event_parse_number(slash, &length) || length < 1 || length > 8))
        return fail_with(failure, -EINVAL, "the length in \"%s\" must be 1 to 8 bytes", whole);
    attr->bp_addr = address;
    attr->bp_len = length;
    return 0;
}

static int breakpoint_resolve(const struct event_view *view, const char *name, struct event *event,
                              struct failure *failure)
{
    char text[EVENT_NAME_MAX + 1];
    strcpy(text, name + sizeof(breakpoint_prefix) - 1);
    char *modifiers = NULL, *access = strchr(text, ':');
    if (access)
        *access++ = '\0';
    if (access && (modifiers = strchr(access, ':')))
        *modifiers++ = '\0';
    if (access && !modifiers && !is_access(access)) {
        modifiers = access;
        access = NULL;
    }
    if (access && !is_access(access))
        return fail_with(failure, -EINVAL, "\"%s\" in \"%s\" is no access: write r, w, rw or x",
                         access, name);
    event->kind = EVENT_BREAKPOINT;
    event->attr.type = PERF_TYPE_BREAKPOINT;
    int error = parse_access(access ? access : "rw", name, &event->attr.bp_type, failure);
    if (error == 0)
        error = parse_place(view, text, name, event, failure);
    if (error < 0 || !modifiers)
        return error;
    return event_apply_modifiers(modifiers, name, &event->attr, failure);
}

const struct event_form event_form_breakpoint = {breakpoint_fits, breakpoint_resolve};

/* ----------------------------------------------------------------------------------------------
 * Events of sources, which count by executing: SOURCE/CLASS/. Which there are says the view; a
 * program that can run none has none, and such names are unknown to it. */

static const struct event_source *find_source(const struct event_view *view, const char *name)
{
    size_t length = strcspn(name, "/");
    if (!name[length])
        return NULL;
    for (const struct event_source *source = view->sources; source && source->name; source++) {
        if (strlen(source->name) == length && strncmp(source->name, name, length) == 0)
            return source;
    }
    return NULL;
}

static bool source_fits(const struct event_view *view, const char *name)
{
    return find_source(view, name) != NULL;
}

static int source_resolve(const struct event_view *view, const char *name, struct event *event,
                          struct failure *failure)
{
    const struct event_source *source = find_source(view, name);
    char class[EVENT_NAME_MAX + 1];
    strcpy(class, name + strlen(source->name) + 1);
    char *modifiers = strchr(class, '/');
    if (!modifiers)
        return fail_with(failure, -EINVAL, "\"%s\" lacks its closing slash: write %s/CLASS/", name,
                         source->name);
    *modifiers++ = '\0';
    for (const char *const *known = source->classes; *known; known++) {
        if (strcmp(*known, class) != 0)
            continue;
        event->kind = EVENT_SOURCE;
        event->source = source;
        event->counts = *known;
        /* Windows of paths that open an event need one: it counts nothing. */
        event->attr.type = PERF_TYPE_SOFTWARE;
        event->attr.config = PERF_COUNT_SW_DUMMY;
        event->attr.exclude_kernel = 1;
        /* It runs the code, so what it sees is user code. */
        modifiers += *modifiers == ':';
        if (modifiers[strspn(modifiers, "u")])
            return fail_with(
                failure, -EINVAL,
                "\"%s\": a source counts user code and nothing else; leave \"%s\" away", name,
                modifiers);
        return 0;
    }
    struct suggestions suggestions = {.wanted = class};
    AUTO_TEXT struct text list = {0};
    for (const char *const *known = source->classes; *known; known++) {
        suggest_consider(&suggestions, *known);
        text_printf(&list, "%s%s", list.length ? ", " : "", *known);
    }
    char sentence[512];
    suggest_sentence(&suggestions, sentence, sizeof(sentence));
    return fail_with(failure, -ENOENT, "source %s does not count \"%.100s\", only: %.300s%s",
                     source->name, class, text_string(&list), sentence);
}

const struct event_form event_form_source = {source_fits, source_resolve};

int source_each(const struct event_view *view, event_each *each, void *context)
{
    int stop = 0;
    for (const struct event_source *source = view->sources; source && source->name; source++) {
        for (const char *const *class = source->classes; *class && !stop; class ++) {
            char name[EVENT_NAME_MAX + 1];
            snprintf(name, sizeof(name), "%s/%s/", source->name, *class);
            stop = each(context, name, EVENT_SOURCE);
        }
    }
    return stop;
}
