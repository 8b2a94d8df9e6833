/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rules that tell from a function's name and file why two sources execute it differently often.
 * They know glibc, whose start-up reads CPUID, the auxiliary vector and the environment, and what
 * tools load into a program. */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "studies/repeat/judge.h"

const char *const align_why_names[WHY_COUNT] = {[WHY_VDSO] = "vdso",
                                                [WHY_CPUID] = "cpuid",
                                                [WHY_ENVIRONMENT] = "environment",
                                                [WHY_REPEATED] = "repeated",
                                                [WHY_FLOATING_POINT] = "floating-point",
                                                [WHY_START_UP] = "start-up",
                                                [WHY_ADDRESSES] = "addresses",
                                                [WHY_OPERATING_SYSTEM] = "operating-system",
                                                [WHY_UNKNOWN] = "unknown"};

/* Patterns of fnmatch(3); the first that fits decides. */
struct align_rule {
    enum align_why why;
    const char *object, *name; /* NULL: any */
};
static const struct align_rule rules[] = {
    {WHY_VDSO, "[[]vdso]", NULL},
    {WHY_VDSO, NULL, "*vdso*"},
    {WHY_VDSO, NULL, "clock_gettime"},
    {WHY_VDSO, NULL, "__clock_gettime*"},
    {WHY_VDSO, NULL, "gettimeofday"},
    {WHY_VDSO, NULL, "__gettimeofday*"},
    {WHY_VDSO, NULL, "gettimeofday_syscall"},
    {WHY_VDSO, NULL, "time"},
    {WHY_VDSO, NULL, "time_syscall"},
    {WHY_VDSO, NULL, "getcpu"},
    {WHY_VDSO, NULL, "sched_getcpu"},
    {WHY_CPUID, NULL, "*cpu_features*"},
    {WHY_CPUID, NULL, "*cpu_feature_*"},
    {WHY_CPUID, NULL, "*cacheinfo*"},
    {WHY_CPUID, NULL, "*cache_info*"},
    {WHY_CPUID, NULL, "*cpuid*"},
    {WHY_CPUID, NULL, "*ifunc*"},
    {WHY_CPUID, NULL, "update_active*"},
    {WHY_CPUID, NULL, "handle_intel*"},
    {WHY_CPUID, NULL, "handle_amd*"},
    {WHY_CPUID, NULL, "handle_zhaoxin*"},
    {WHY_CPUID, NULL, "intel_check_word*"},
    {WHY_CPUID, NULL, "get_extended_indices*"},
    {WHY_CPUID, NULL, "get_common_indices*"},
    {WHY_CPUID, NULL, "get_cet_status*"},
    {WHY_CPUID, NULL, "__cache_sysconf"},
    {WHY_CPUID, NULL, "_dl_diagnostics_cpu*"},
    {WHY_CPUID, NULL, "_dl_runtime_resolve_*save*"},
    {WHY_CPUID, NULL, "_dl_important_hwcaps"},
    {WHY_CPUID, NULL, "_dl_hwcaps_*"},
    {WHY_ENVIRONMENT, "vgpreload*", NULL},
    {WHY_ENVIRONMENT, NULL, "*preload*"},
    {WHY_ENVIRONMENT, NULL, "*tunable*"},
    {WHY_ENVIRONMENT, NULL, "getenv"},
    {WHY_ENVIRONMENT, NULL, "__getenv*"},
    {WHY_ENVIRONMENT, NULL, "*secure_getenv"},
    {WHY_ENVIRONMENT, NULL, "unsetenv"},
    {WHY_ENVIRONMENT, NULL, "process_envvars*"},
    {WHY_ENVIRONMENT, NULL, "_dl_next_ld_env_entry"},
    {WHY_ENVIRONMENT, NULL, "_dl_non_dynamic_init"},
};

/* Names of start-up in programs that are linked statically, where all lies in one file. */
static const struct align_rule start_up[] = {
    {WHY_START_UP, "ld-*", NULL},
    {WHY_START_UP, "ld.so*", NULL},
    {WHY_START_UP, "ld64.so*", NULL},
    {WHY_START_UP, NULL, "_start"},
    {WHY_START_UP, NULL, "__libc_start*"},
    {WHY_START_UP, NULL, "__libc_setup_tls"},
    {WHY_START_UP, NULL, "__libc_init*"},
    {WHY_START_UP, NULL, "_dl_*"},
    {WHY_START_UP, NULL, "__dl_*"},
    {WHY_START_UP, NULL, "apply_irel*"},
    {WHY_START_UP, NULL, "call_init*"},
    {WHY_START_UP, NULL, "_init"},
    {WHY_START_UP, NULL, "_init_first"},
    {WHY_START_UP, NULL, "frame_dummy"},
    {WHY_START_UP, NULL, "register_tm_clones"},
    {WHY_START_UP, NULL, "__tls_init_tp"},
};

/* What glibc does to find the functions of the vDSO, and where it is inlined. */
static const struct align_rule look_ups[] = {
    {WHY_VDSO, NULL, "_dl_lookup_symbol_x*"},
    {WHY_VDSO, NULL, "do_lookup_x*"},
    {WHY_VDSO, NULL, "do_lookup_unique*"},
    {WHY_VDSO, NULL, "check_match*"},
    {WHY_VDSO, NULL, "dl_new_hash*"},
    {WHY_VDSO, NULL, "_dl_new_hash*"},
    {WHY_VDSO, NULL, "_dl_name_match_p"},
    {WHY_VDSO, NULL, "_dl_new_object"},
    {WHY_VDSO, NULL, "_dl_add_to_namespace_list"},
    {WHY_VDSO, NULL, "_dl_setup_hash"},
    {WHY_VDSO, NULL, "_dl_find_object*"},
    {WHY_VDSO, NULL, "_dlfo_*"},
    {WHY_VDSO, NULL, "_dl_non_dynamic_init"},
};

static const struct align_rule servants[] = {
    {WHY_UNKNOWN, NULL, "*malloc*"},   {WHY_UNKNOWN, NULL, "*calloc*"},
    {WHY_UNKNOWN, NULL, "*realloc*"},  {WHY_UNKNOWN, NULL, "alloc_perturb"},
    {WHY_UNKNOWN, NULL, "*memcpy*"},   {WHY_UNKNOWN, NULL, "*memmove*"},
    {WHY_UNKNOWN, NULL, "*memset*"},   {WHY_UNKNOWN, NULL, "*memcmp*"},
    {WHY_UNKNOWN, NULL, "*strlen*"},   {WHY_UNKNOWN, NULL, "*strcmp*"},
    {WHY_UNKNOWN, NULL, "*strchr*"},   {WHY_UNKNOWN, NULL, "*pthread_mutex_*"},
    {WHY_UNKNOWN, NULL, "_int_free*"}, {WHY_UNKNOWN, NULL, "*tcache*"},
};
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* What follows the function's own name where there are several forms of it; also without the
 * underscore before it: rawmemchr-avx2. */
static const char *const variants[] = {
    "_avx",       "_avx2",   "_avx512",      "_evex",      "_evex512", "_sse2",   "_sse3",
    "_ssse3",     "_sse4",   "_sse41",       "_sse42",     "_sse4_1",  "_sse4_2", "_erms",
    "_fsrm",      "_rtm",    "_fma",         "_fma4",      "_bmi2",    "_popcnt", "_lzcnt",
    "_apx",       "_xsave",  "_xsavec",      "_ia32",      "_i386",    "_i586",   "_i686",
    "_mops",      "_sve",    "_asimd",       "_zva64",     "_kunpeng", "_falkor", "_thunderx",
    "_thunderx2", "_a64fx",  "_oryon1",      "_emag",      "_generic", "_mte",    "_nomte",
    "_rvv",       "_vector", "_noalignment", "_unaligned", NULL};

/* Does the name hold this form, as a whole word: at its end or before another underscore? */
static bool has_form(const char *name, const char *form)
{
    const size_t length = strlen(form);
    for (const char *at = strstr(name, form); at; at = strstr(at + 1, form))
        if (at != name && (at[length] == '\0' || strchr("_.@", at[length])))
            return true;
    return false;
}

bool align_is_variant(const char *name)
{
    /* Leading underscores are no form. */
    const char *own = name + strspn(name, "_");
    for (const char *const *form = variants; *form; form++)
        if (has_form(own, *form))
            return true;
    return false;
}

bool align_is_variant_of(const char *variant, const char *name)
{
    const char *form = variant + strspn(variant, "_"), *own = name + strspn(name, "_");
    const size_t length = strlen(own);
    return length && strncmp(form, own, length) == 0 && form[length] == '_' &&
           align_is_variant(variant);
}

/* How long the name is before the first form. */
static size_t own_length(const char *own)
{
    size_t length = strlen(own);
    for (const char *const *form = variants; *form; form++) {
        const char *at = has_form(own, *form) ? strstr(own, *form) : NULL;
        if (at && (size_t)(at - own) < length)
            length = (size_t)(at - own);
    }
    return length;
}

bool align_are_variants(const char *one, const char *other)
{
    const char *first = one + strspn(one, "_"), *second = other + strspn(other, "_");
    const size_t length = own_length(first);
    return align_is_variant(one) && align_is_variant(other) && length == own_length(second) &&
           strncmp(first, second, length) == 0;
}

static int find_rule(const struct align_rule *list, size_t count,
                     const struct align_function *function)
{
    /* Without the version that symbols of libraries have: "clock_gettime@@GLIBC_2.17". */
    char name[256];
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(function->name, "@"), function->name);
    for (size_t i = 0; i < count; i++)
        if ((!list[i].object || fnmatch(list[i].object, function->object, 0) == 0) &&
            (!list[i].name || fnmatch(list[i].name, name, 0) == 0))
            return (int)list[i].why;
    return -1;
}

/* One of the two counts repetitions that the other does not. */
static bool counts_repetitions(const struct align_function *function)
{
    const double off = fabs(function->difference);
    for (size_t i = 0; i < 2; i++)
        if (function->repetitions[i] && fabs(off - (double)function->repetitions[i]) < .5)
            return true;
    return false;
}

bool align_looks_up(const char *name)
{
    return strcmp(name, "do_lookup_x") == 0 || strcmp(name, "_dl_lookup_symbol_x") == 0 ||
           strstr(name, "dl_vdso_vsym");
}

bool align_serves(const char *name)
{
    const struct align_function function = {.object = "", .name = name};
    return find_rule(servants, COUNT(servants), &function) >= 0;
}

enum align_why align_why_of(const struct align_function *function, const struct align_known *known)
{
    const bool both = function->counts[0] && function->counts[1];
    if (known->looks_up && find_rule(look_ups, COUNT(look_ups), function) >= 0)
        return WHY_VDSO;
    const int why = find_rule(rules, COUNT(rules), function);
    if (why >= 0)
        return (enum align_why)why;
    if (function->resolves || function->replaced)
        return WHY_CPUID;
    if (both && counts_repetitions(function))
        return WHY_REPEATED;
    if (both && known->converges)
        return WHY_FLOATING_POINT;
    if (find_rule(start_up, COUNT(start_up), function) >= 0)
        return known->preloads ? WHY_ENVIRONMENT : WHY_START_UP;
    return both && known->addresses ? WHY_ADDRESSES : WHY_UNKNOWN;
}
