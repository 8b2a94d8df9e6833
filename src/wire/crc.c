/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The checksum of a frame: CRC-32 (IEEE 802.3, reflected), eight bytes a step, because every byte
 * of every sample passes here twice. */
#include "wire/frame.h"

/* A CRC is linear: the table entry of a byte is the exclusive or of the entries of its bits. So the
 * eight tables (entry of a byte followed by 0 … 7 zero bytes) grow from eight entries each. */
#define BIT(byte, bit, entry) ((((byte) >> (bit)) & 1u) ? (entry) : 0u)
#define ENTRY(byte, a, b, c, d, e, f, g, h)                                                        \
    (BIT(byte, 0, a) ^ BIT(byte, 1, b) ^ BIT(byte, 2, c) ^ BIT(byte, 3, d) ^ BIT(byte, 4, e) ^     \
     BIT(byte, 5, f) ^ BIT(byte, 6, g) ^ BIT(byte, 7, h))
#define ENTRIES_4(byte, ...)                                                                       \
    ENTRY((byte), __VA_ARGS__), ENTRY((byte) + 1u, __VA_ARGS__), ENTRY((byte) + 2u, __VA_ARGS__),  \
        ENTRY((byte) + 3u, __VA_ARGS__)
#define ENTRIES_16(byte, ...)                                                                      \
    ENTRIES_4((byte), __VA_ARGS__), ENTRIES_4((byte) + 4u, __VA_ARGS__),                           \
        ENTRIES_4((byte) + 8u, __VA_ARGS__), ENTRIES_4((byte) + 12u, __VA_ARGS__)
#define ENTRIES_64(byte, ...)                                                                      \
    ENTRIES_16((byte), __VA_ARGS__), ENTRIES_16((byte) + 16u, __VA_ARGS__),                        \
        ENTRIES_16((byte) + 32u, __VA_ARGS__), ENTRIES_16((byte) + 48u, __VA_ARGS__)
#define TABLE(...)                                                                                 \
    {                                                                                              \
        ENTRIES_64(0u, __VA_ARGS__), ENTRIES_64(64u, __VA_ARGS__), ENTRIES_64(128u, __VA_ARGS__),  \
            ENTRIES_64(192u, __VA_ARGS__)                                                          \
    }

static const uint32_t tables[8][256] = {
    TABLE(0x77073096u, 0xee0e612cu, 0x076dc419u, 0x0edb8832u, 0x1db71064u, 0x3b6e20c8u, 0x76dc4190u,
          0xedb88320u),
    TABLE(0x191b3141u, 0x32366282u, 0x646cc504u, 0xc8d98a08u, 0x4ac21251u, 0x958424a2u, 0xf0794f05u,
          0x3b83984bu),
    TABLE(0x01c26a37u, 0x0384d46eu, 0x0709a8dcu, 0x0e1351b8u, 0x1c26a370u, 0x384d46e0u, 0x709a8dc0u,
          0xe1351b80u),
    TABLE(0xb8bc6765u, 0xaa09c88bu, 0x8f629757u, 0xc5b428efu, 0x5019579fu, 0xa032af3eu, 0x9b14583du,
          0xed59b63bu),
    TABLE(0x3d6029b0u, 0x7ac05360u, 0xf580a6c0u, 0x30704bc1u, 0x60e09782u, 0xc1c12f04u, 0x58f35849u,
          0xb1e6b092u),
    TABLE(0xcb5cd3a5u, 0x4dc8a10bu, 0x9b914216u, 0xec53826du, 0x03d6029bu, 0x07ac0536u, 0x0f580a6cu,
          0x1eb014d8u),
    TABLE(0xa6770bb4u, 0x979f1129u, 0xf44f2413u, 0x33ef4e67u, 0x67de9cceu, 0xcfbd399cu, 0x440b7579u,
          0x8816eaf2u),
    TABLE(0xccaa009eu, 0x4225077du, 0x844a0efau, 0xd3e51bb5u, 0x7cbb312bu, 0xf9766256u, 0x299dc2edu,
          0x533b85dau),
};

uint32_t wire_crc32(const void *bytes, size_t length)
{
    const uint8_t *byte = bytes;
    uint32_t crc = 0xffffffffu;
    for (; length >= 8; length -= 8, byte += 8) {
        crc ^= (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 |
               (uint32_t)byte[3] << 24;
        crc = tables[7][crc & 0xffu] ^ tables[6][crc >> 8 & 0xffu] ^ tables[5][crc >> 16 & 0xffu] ^
              tables[4][crc >> 24] ^ tables[3][byte[4]] ^ tables[2][byte[5]] ^ tables[1][byte[6]] ^
              tables[0][byte[7]];
    }
    for (; length; length--)
        crc = crc >> 8 ^ tables[0][(crc ^ *byte++) & 0xffu];
    return ~crc;
}
