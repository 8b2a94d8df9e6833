/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Asks CPUID which hypervisor runs below. On every other ISA: not supported. */
#include "lib/cpuid-hypervisor.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

#define FIRST_LEAF  0x40000000u
#define LEAF_STRIDE 0x100u /* each interface a hypervisor offers starts at a multiple of this */
#define INTERFACES  8u
#define GUEST_BIT   (1u << 31) /* of leaf 1, ECX: a hypervisor is present */

/* The signature of one interface, 12 bytes; false when the leaf holds none. */
static bool read_signature(unsigned leaf, char signature[13])
{
    unsigned highest, words[3];
    __cpuid(leaf, highest, words[0], words[1], words[2]);
    memcpy(signature, words, 12);
    signature[12] = '\0';
    for (size_t i = 0; signature[i]; i++)
        if (!isprint((unsigned char)signature[i]) || signature[i] == ',')
            signature[i] = '?';
    return highest >= leaf && highest < leaf + LEAF_STRIDE && signature[0] != '\0';
}

int cpuid_hypervisor(char *signatures, size_t size)
{
    signatures[0] = '\0';
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & GUEST_BIT))
        return 0;
    for (unsigned i = 0; i < INTERFACES; i++) {
        char signature[13];
        if (!read_signature(FIRST_LEAF + i * LEAF_STRIDE, signature) ||
            strstr(signatures, signature))
            continue;
        size_t used = strlen(signatures);
        if (used + sizeof(signature) + 1 > size)
            break;
        if (used > 0)
            signatures[used++] = ',';
        memcpy(signatures + used, signature, strlen(signature) + 1);
    }
    if (!signatures[0] && size > 8)
        memcpy(signatures, "unnamed", 8); /* present, but shy */
    return 0;
}
#else
int cpuid_hypervisor(char *signatures, size_t size)
{
    (void)size;
    signatures[0] = '\0';
    return -ENOTSUP;
}
#endif
