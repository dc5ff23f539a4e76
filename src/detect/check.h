/* One launch being checked: what the stages of check.c, space.c and lines.c share. */
#ifndef LS_DETECT_CHECK_H
#define LS_DETECT_CHECK_H

#include "base/clock.h"
#include "base/vec.h"
#include "detect/device.h"
#include "detect/grid_kernels.h"
#include "detect/instrument.h"

/* Memory that the kernel may write: a buffer of the launch or a variable. Targets come first, each at a
 * multiple of 16 in the copies; the others are only saved and restored. */
typedef struct {
    uint64_t address, size, offset; /* offset: in snapshot and copies */
    const char *name;
    bool is_target;
    bool is_atomic; /* its values may differ from run to run */
} part;

typedef struct {
    uint64_t address, size;
} block_of_memory;

typedef struct kept_kernel kept_kernel;

/* One of the two accesses. */
typedef struct {
    ls_place place; /* file NULL: not known */
    uint32_t block, warp;
    bool is_write;
} race_side;

/* A race while it is being looked into; a finding in the end. */
typedef struct {
    race_kind kind;
    bool is_shared; /* shared memory; else global */
    bool between_blocks;
    const char *variable; /* name of the object; never NULL */
    uint64_t offset;      /* in the object: the first racy byte */
    uint64_t addresses;   /* racy bytes that were seen in full */
    race_side one, other; /* linear numbers of an example's blocks, and warps in them */
    bool has_other;       /* whose block and warp are known */
} race;

/* The rounds between units of the grid. */
typedef struct {
    void *first, *second; /* the variant for the very first run, and for the others */
    bool read_write;      /* two passes */
    uint32_t most;        /* rounds */
} rounds_plan;

typedef struct {
    ls_detect_device *device;
    const ls_detect_launch *launch;
    const ls_detect_options *options;
    ls_diags *diags;
    ls_arena *arena; /* of the result */
    ls_detect_result *result;
    const char *ptx, *filename;
    size_t length;
    kernel *k;         /* kept's */
    kept_kernel *kept; /* what is kept of this kernel and launch from check to check */
    uint32_t threads, warps;
    uint64_t blocks;
    LS_VEC(part) parts;
    uint64_t target_bytes, saved_bytes; /* of targets; of all parts */
    uint64_t snapshot, united, copies, copy_count, stride;
    uint64_t others[2];                      /* what each pass left in the parts that are not targets */
    uint64_t context, contexts, context_now; /* one, one for each round, the one that launches use */
    uint64_t report, scratch, undo, undo_entries, log, map;
    uint64_t flag; /* that the report's first record sets */
    uint64_t scratch_bytes, undo_bytes;
    bool watching; /* launches get stamps and a generation of them: watch.c */
    uint32_t granule;
    uint64_t stamps, plane, generation;
    instrument_options watched; /* how it was, where all was settled so */
    void *watched_module;
    uint64_t watched_shared;
    bool queued; /* nothing is waited for: queue.c */
    bool ran_grid, ran_block;
    rounds_plan rounds; /* of the former … */
    void *block_module; /* … and of the latter */
    uint64_t block_shared;
    uint64_t context_size;
    uint64_t *object_part; /* by object: index in parts, or UINT64_MAX */
    LS_VEC(block_of_memory) taken;
    LS_VEC(ls_detect_unchecked) unchecked;
    LS_VEC(race) races;
    LS_VEC(report_record) records;
    uint64_t pairs; /* racing accesses found in logs */
} check;

/* capture.c: whether some of it cannot be watched on any device; writes such a launch to the file that the
 * launch names. */
bool dt_needs_emulation(const kernel *k);
bool dt_capture(check *c);
void dt_leave_unchecked(check *c, const char *object, const ls_place *pos, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* kept.c: what stays on a device between checks: analysed kernels, their instrumented modules, some memory.
 */
bool dt_find_proof(check *c); /* on disk, that nothing is to be checked: sets kept */
void dt_keep_proof(check *c);
void dt_use_kept(check *c);   /* sets kept and k, or leaves k NULL with an error */
void dt_leave_kept(check *c); /* the check ends */
void dt_drop_kept(ls_detect_device *device);
void *dt_kept_variant(const kept_kernel *kept, const instrument_options *options, uint64_t *shared);
void dt_keep_variant(kept_kernel *kept, const instrument_options *options, void *module, uint64_t shared);
void *dt_original(check *c); /* the module as it is */
/* queue.c: what is kept of a launch whose check was clean, so that the next one like it is queued. */
struct plan;
bool dt_find_kept(check *c);    /* as dt_use_kept, where there is such a kernel */
void dt_pin(kept_kernel *kept); /* a graph holds it, so it is never freed */
bool dt_is_pinned(const kept_kernel *kept);
struct plan **dt_plan_of(kept_kernel *kept);
void dt_each_plan(ls_detect_device *device, void (*visit)(void *context, struct plan *plan), void *context);
void dt_prepare_plan(check *c);
void dt_free_plan(ls_detect_device *device, struct plan *plan);
void dt_copy_constants(check *c, void *module);
uint64_t dt_take_kept_memory(ls_detect_device *device, uint64_t size);
void dt_keep_memory(ls_detect_device *device, uint64_t address, uint64_t size);
uint64_t dt_free_memory(ls_detect_device *device); /* with what is kept */

/* watch.c: runs the kernel watched; *settled: nothing is left to check. */
bool dt_watch(check *c, bool *settled);
bool dt_prepare_watch(check *c); /* loads what that needs, runs nothing */
bool dt_take_stamps(check *c, const instrument_options *v);
bool dt_run_watched(check *c, void *module, uint64_t shared, const instrument_options *v, uint32_t kinds);

/* space.c */
uint64_t dt_take_memory(check *c, uint64_t size); /* 0: none left */
void dt_give_memory_back(check *c);
bool dt_take_snapshot(check *c);
bool dt_take_contexts(check *c, uint32_t rounds);
bool dt_write_contexts(check *c, uint32_t rounds); /* one for each round */
void dt_use_context(check *c, uint32_t round);     /* until the next dt_write_context */
bool dt_find_parts(check *c);
void dt_place_parts(check *c); /* dt_find_parts, without taking memory */
bool dt_save_parts(check *c);
bool dt_restore_parts(check *c, bool targets, bool others);
bool dt_scatter_union(check *c);
bool dt_keep_others(check *c, int pass); /* copies what a pass left in the parts that are not targets */
bool dt_write_context(check *c, uint64_t divisor, uint64_t log_block, uint64_t log_epoch, uint64_t log_group);
bool dt_clear_report(check *c);
bool dt_read_report(check *c);
bool dt_load_sweeps(check *c); /* the module of dt_run_sweep, which else loads it */
bool dt_run_sweep(check *c, const char *which, const grid_params *params);

/* check.c: what the parts hold, for being put back; 0 where there is nothing, or no memory for it. */
uint64_t dt_keep_parts(check *c);
bool dt_put_parts_back(check *c, uint64_t kept);
void *dt_load_variant(check *c, const instrument_options *options, uint64_t *shared);
bool dt_run_variant(check *c, void *module, uint64_t shared);

/* between.c: whether the whole kernel may be taken for one region of every warp; the rounds. */
bool dt_warps_are_units(const check *c);
bool dt_blocks_are_own(check *c); /* between barriers every thread has its own part of global memory */
bool dt_check_global(check *c, bool *ran, instrument_options *used, uint64_t *divisor);
bool dt_queue_rounds(check *c);
bool dt_plan_copies(check *c, uint64_t units, bool read_write);
grid_params dt_sweep_params(const check *c);

enum { UNKNOWN_UNIT = UINT32_MAX }; /* in records: whose results differ is not known */

/* lines.c: from records to races with source lines. */
void dt_find_shared_lines(check *c, const instrument_options *options);
void dt_find_global_lines(check *c, const instrument_options *options, uint64_t divisor);
void dt_find_watched_lines(check *c, const instrument_options *options);
/* The races as the findings of the result. */
void dt_publish_races(check *c);
/* Races on global or shared memory between warps of one block, by addresses, in the first *checked blocks. */
bool dt_check_inside(check *c, bool shared, uint64_t *checked);

#endif
