/* What is done to libraries that a program loads: the runtime in them is replaced, NVIDIA's compiler gives
 * PTX in place of machine code, and libraries that this project has are loaded in place of NVIDIA's. */
#ifndef LS_CUDA_LOADING_H
#define LS_CUDA_LOADING_H

#include "base/elf.h"

/* Bytes of a jump that is written over the beginning of a function; false where that cannot be done. */
enum { RT_JUMP = 14 };
bool rt_write_jump(char *at, const void *to);

/* runtime_replace.c: looks at all objects that are loaded and were not looked at before. */
void rt_replace_in_objects(void);
/* The runtime in the object that the address is in was not replaced: says so, and what can be done. */
void rt_unreplaced(const void *address);
/* loading.c: does so from now on whenever one is loaded, before its code runs. */
void rt_watch_loading(void);
/* nvrtc.c: an object at `base` in memory, if it is the compiler, by its file's name. */
void rt_give_ptx(const ls_elf *o, uintptr_t base, const char *path);

#endif
