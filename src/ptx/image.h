/* PTX inside of what programs give to the CUDA driver: PTX text, fat binaries, wrappers of them. */
#ifndef LS_PTX_IMAGE_H
#define LS_PTX_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LS_IMAGE_WRAPPER = 0x466243b1 };

typedef enum {
    IMAGE_PTX,         /* its PTX was found */
    IMAGE_WITHOUT_PTX, /* machine code only */
    IMAGE_UNREADABLE,  /* PTX is there but cannot be unpacked: the reason in *why */
    IMAGE_UNKNOWN,     /* not an image that is known here */
} image_kind;

/* The PTX text of an image (of the newest architecture where there are several), on the heap. `size` bounds
 * what is read; SIZE_MAX where only the image itself says how long it is. */
image_kind ls_image_ptx(const void *image, size_t size, char **ptx, size_t *length, const char **why);

/* Fat binaries that stand one behind another, as a linker puts them into a section: the bytes up to the next
 * one of that at the beginning, or 0 where there is none. */
size_t ls_image_extent(const void *images, size_t size);

/* One block of LZ4, without a frame. False where it is damaged or does not give `size` bytes. */
bool ls_lz4_unpack(const uint8_t *from, size_t from_size, uint8_t *to, size_t size);

#endif
