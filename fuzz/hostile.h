/* What hostile inputs are made of: a stream of bytes, each a choice. The same bytes make the same input. */
#ifndef LS_FUZZ_HOSTILE_H
#define LS_FUZZ_HOSTILE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const uint8_t *at, *end; /* choices that are left; zeros follow */
    ls_buf out;              /* what is made */
    bool forms;              /* instructions of any types are in it */
} hostile;

uint32_t hostile_byte(hostile *m);
uint32_t hostile_pick(hostile *m, uint32_t count); /* less than count */
/* 2^k and its neighbours, small numbers, limits of GPUs. */
uint64_t hostile_number(hostile *m);

/* An address, and registers, of a module's variables. */
void hostile_address(hostile *m);
void hostile_values(hostile *m, uint32_t count, const char *registers);
/* An instruction with any types and modifiers. */
void hostile_form(hostile *m);

/* A PTX module that parses, with sizes, counts, offsets, alignments and indices at the edges. */
void hostile_module(hostile *m);
/* A text in the neighbourhood of this one: some numbers are others, lines are missing, doubled or swapped. */
void hostile_neighbour(hostile *m, const char *text, size_t length);
/* Bytes in the neighbourhood of these, of which the first `whole` stay as they are. */
void hostile_bytes(hostile *m, const char *from, size_t length, size_t whole);
/* A fat binary of that PTX, packed with LZ4 or not. */
void hostile_image(const char *ptx, bool packed, ls_buf *out);

#endif
