/* Where the values come from that conditions about a launch name, and how such a name is written, which is
 * said here alone: $argI_W_N is the I-th of N arguments, an integer or a pointer of W bits, and $argI_W_N_B
 * one in its byte B, a member of a structure; $3_width, or $3, is a value of the host's code, $$3_width one
 * of 64 bits; everything else is a name that the kernel has itself. */
#ifndef LS_PTX_ORIGIN_H
#define LS_PTX_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { LS_ORIGIN_KERNEL, LS_ORIGIN_ARGUMENT, LS_ORIGIN_HOST } ls_origin_kind;

typedef struct {
    ls_origin_kind kind;
    size_t length;               /* of the name; 0 where the kernel may have it */
    uint32_t index, bits, count; /* ARGUMENT */
    uint32_t at;                 /* ARGUMENT: of a member, the byte where it is */
    bool is_member;
    bool is_wide;     /* HOST: of 64 bits */
    size_t stem;      /* HOST: the name's length without what the source calls the value … */
    const char *word; /* … which is the rest of the name, in the text; NULL where it has no such name */
} ls_origin;

/* Of the name that the text begins with. */
ls_origin ls_origin_of(const char *text);
/* The text mentions the argument of that number. */
bool ls_origin_mentions(const char *text, uint32_t index);

/* What the name of a value of the host begins with, before its number and '_' with its word. */
const char *ls_origin_mark(bool is_wide);

enum { LS_ARGUMENT_NAME = 64 }; /* bytes that the name of an argument needs at most */
/* Writes the name of an argument; returns it. */
const char *ls_origin_argument(char name[LS_ARGUMENT_NAME], uint32_t index, uint32_t bits, uint32_t count);

const char *ls_origin_member(char name[LS_ARGUMENT_NAME], uint32_t index, uint32_t bits, uint32_t count,
                             uint32_t at);

#endif
