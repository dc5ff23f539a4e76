/* The scene of a replay: the emulator with memory and parameters as an execution of the verifier's has them.
 */
#ifndef LS_REPLAY_SCENE_H
#define LS_REPLAY_SCENE_H

#include "launch/args.h"
#include "lockstep/emulate.h"
#include "lockstep/verify.h"

typedef struct {
    ls_arena arena;
    ls_emulator *emulator;
    ls_emu_args args;
    ls_diags *diags;
    const char *trouble; /* why it cannot be set up; NULL: it is */
    bool contradiction;  /* the trouble is that no memory has these contents */
    bool left_out;       /* contents that shared memory should have at the start */
} ls_scene;

/* What is in memory of which the execution says nothing. */
typedef enum {
    LS_SCENE_NUMBERS, /* numbers that differ, of the type that the kernel accesses it with */
    LS_SCENE_FACTORS, /* the same, and scalar floating-point parameters are numbers other than 0, 1 and each
                         other, whatever the execution says: products and sums of what differs differ */
    LS_SCENE_ZEROS,
} ls_scene_contents;

/* To be freed in any case. */
void ls_scene_set(ls_scene *scene, const ls_ir_function *kernel, const ls_verify_execution *execution,
                  ls_scene_contents contents);
/* The size of its clusters, where the kernel is for some and does not say which. */
void ls_scene_cluster(const ls_ir_function *kernel, ls_emu_launch *launch);
void ls_scene_free(ls_scene *scene);

#endif
