/* Rewriting a kernel, PTX to PTX (002, §4 and §5), and the memory that the rewritten kernel shares with the
 * host. Internal to src/detect. */
#ifndef LS_DETECT_INSTRUMENT_H
#define LS_DETECT_INSTRUMENT_H

#include "base/buf.h"
#include "detect/kernel.h"
#include "lockstep/analyze.h"

typedef enum {
    MODE_BLOCK, /* private copies of shared memory for each warp, two passes for each barrier interval */
    MODE_GRID,  /* private copies of global memory for each group of units, the whole kernel one region */
    MODE_WATCH, /* on the memory itself: who has accessed what is noted beside it (marks.c, stamps.c) */
} mode;

typedef struct {
    mode mode;
    bool log;                /* write down who accesses the addresses that the map marks */
    bool deterministic;      /* one pass, copies merged in order */
    bool both;               /* MODE_BLOCK, and global memory redirected as in MODE_GRID */
    bool copies_in_shared;   /* MODE_BLOCK: where the copies are */
    bool units_are_warps;    /* MODE_GRID: units are warps, else blocks */
    bool inside;             /* MODE_GRID, log: everything that some blocks do, by barrier interval */
    bool in_shared;          /* … to shared memory, and nothing is redirected */
    bool equal_values;       /* writes of equal values race, too */
    bool intra_warp;         /* conflicts of lanes in one store */
    bool marks, stamps;      /* MODE_WATCH: shared memory is watched, global memory is … */
    uint32_t granule;        /* … by so many bytes (a power of two: its exponent) */
    uint64_t units;          /* … which so many units access */
    bool inner;              /* … blocks, whose warps are distinguished between barriers */
    bool has_redux;          /* the device has redux.sync (from compute capability 8.0 on) */
    uint32_t threads, warps; /* of a block */
} instrument_options;

/* The context: what the rewritten kernel gets through its additional parameter ls_context. Byte offsets; all
 * fields are 64 bits wide. A second one, ls_number, is the number of the program's launch. */
enum {
    CTX_REPORT = 0,
    CTX_SCRATCH = 8,       /* MODE_BLOCK: private copies where they are in global memory */
    CTX_UNDO = 16,         /* MODE_BLOCK: log of overwritten global memory */
    CTX_UNDO_ENTRIES = 24, /* of each thread */
    CTX_COPY = 32,         /* MODE_GRID: the first copy */
    CTX_STRIDE = 40,       /* from copy to copy */
    CTX_COPIES = 48,
    CTX_DIVISOR = 56,
    CTX_RANGES = 64, /* number of rows in the table of ranges */
    CTX_LOG = 72,
    CTX_MAP = 80,
    CTX_LOG_BLOCK = 88,  /* MODE_BLOCK: the only block that logs …; inside: the first one … */
    CTX_LOG_EPOCH = 96,  /* … and its only region: how many were checked before it; … and how many blocks */
    CTX_LOG_GROUP = 104, /* MODE_GRID: the only copy whose users log; all ones: every one */
    CTX_FLAG = 112,      /* where the first record of a report leaves the launch's number */
    CTX_SLOTS = 128,     /* for each object 16 bytes: address of a variable; distance to the first copy */
};
enum { CTX_SLOT_BYTES = 16, CTX_RANGE_BYTES = 24 }; /* a range: first byte, end, distance to the first copy */

/* The report: counters, then records. */
enum {
    REPORT_COUNT = 0,   /* records wanted; those past the capacity are not there */
    REPORT_BYTES = 8,   /* racy bytes, each warp's counted */
    REPORT_UNDONE = 16, /* regions that were not run twice: the undo log was full */
    REPORT_FLAG = 24,   /* the flag of checks whose report is read at once */
    REPORT_RECORDS = 64,
    REPORT_RECORD_BYTES = 40,
    REPORT_CAPACITY = 16384,
};

/* A record's offset where a warp's registers or global stores differ, not shared memory itself. */
#define NO_OFFSET UINT64_MAX

typedef enum { RACE_WRITE_WRITE, RACE_READ_WRITE, RACE_INTRA_WARP } race_kind;

typedef struct {
    uint32_t kind, region; /* race_kind; MODE_GRID: the access of an intra-warp conflict */
    uint64_t block;
    uint32_t epoch, mask; /* mask: 0xff for each byte of the word at offset */
    uint64_t offset;
    uint32_t unit,
        other; /* warp in the block, or unit of the grid; other: access, of an intra-warp conflict */
} report_record;

/* The log: a counter, then records. */
enum { LOG_COUNT = 0, LOG_RECORDS = 64, LOG_RECORD_BYTES = 40, LOG_CAPACITY = 1 << 18 };

typedef struct {
    uint32_t access, epoch; /* the IR's access id */
    uint64_t block, offset;
    uint32_t warp, lane; /* lane: of kernels with products, how far the warp is with them (beside.c) */
    uint64_t value;      /* inside: of what is stored, a sum in which different values differ mostly */
} log_record;

/* The rewritten module on the heap. k is changed and must not be used for another rewriting. */
char *dt_instrument(kernel *k, const instrument_options *options, size_t *length);

/* Bytes of shared memory that a block of the rewritten kernel needs (MODE_BLOCK). */
uint64_t dt_instrumented_shared(const kernel *k, const instrument_options *options);
/* Whether some region needs the undo log. */
bool dt_needs_undo(const kernel *k);

/* --- Shared between the files of the instrumenter --------------------------------------------------------
 */
enum { READS_TOGETHER = 8 };

typedef struct {
    kernel *k;
    const instrument_options *o;
    ls_buf out;
    uint32_t labels;
    ls_analysis *shapes;                         /* how values differ in a warp; or NULL: it is not known */
    bool undo;                                   /* the kernel keeps an undo log */
    bool single;                                 /* some regions are compared after one pass */
    const ls_ir_access *waiting[READS_TOGETHER]; /* reads that are stamped together (reads.c) */
    uint32_t waiting_count;
} emitter;

/* The instruction as it stands. */
void dt_emit_instr(emitter *e, const ls_ptx_instr *instr);
void dt_emit(emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whether all shared memory is one segment, laid out by objects.c. */
static inline bool has_segment(const instrument_options *o) {
    return o->mode == MODE_BLOCK || o->marks;
}
/* engine.c: everything around the body in MODE_BLOCK. */
void dt_emit_block_declarations(emitter *e);
void dt_emit_block_prologue(emitter *e);
void dt_emit_thread_numbers(emitter *e);
void dt_emit_barrier(emitter *e, const ls_ir_instr *instr);
void dt_emit_engine(emitter *e);
void dt_emit_save_and_restore(emitter *e);
void dt_emit_warp_barrier(emitter *e);
void dt_emit_context(emitter *e);      /* %ls_ctx */
void dt_emit_block_number(emitter *e); /* %ls_block */
/* A slot for a record of the report in that register; where there is none left, `none` is executed. With the
 * first one the flag gets the launch's number. Needs %ls_ctx; changes the predicate. */
void dt_emit_report_slot(emitter *e, const char *report, const char *slot, const char *predicate,
                         const char *none);
void dt_emit_region_number(emitter *e, const char *to);
/* sweep.c: comparing and merging the copies, by pages: PAGE_BITS of a word. */
enum { MAX_PAGES = 28, PAGE_BITS = (1 << MAX_PAGES) - 1 };
uint32_t dt_page_shift(const kernel *k);
void dt_emit_sweep_declarations(emitter *e);
void dt_emit_first_sweep(emitter *e);  /* write-write check, union, second pass's copies; or ordered merge */
void dt_emit_second_sweep(emitter *e); /* read-write check */
void dt_emit_agreement(emitter *e);    /* the warp's copy takes over the pages in %ls_pages */
/* watched.c: the kernel's body as it is, on the memory itself, and what is around it. */
void dt_emit_watch_declarations(emitter *e);
void dt_emit_watch_prologue(emitter *e);
void dt_emit_watch_end(emitter *e);
void dt_emit_watched_instr(emitter *e, ls_ir_instr *instr);
/* What a thread has met, kept until its end (%ls_conflict, %ls_conflict_at) and in the record's `other`. */
enum { CONFLICT_NONE, CONFLICT_SHARED, CONFLICT_GLOBAL, CONFLICT_LANES };
/* marks.c: shared memory. */
void dt_emit_marks_prologue(emitter *e);
bool dt_can_be_marked(const ls_ir_access *access);
void dt_emit_mark(emitter *e, const ls_ir_access *access);
void dt_emit_mark_back(emitter *e, const ls_ir_access *access);
void dt_emit_watched_barrier(emitter *e, const ls_ir_instr *barrier);
void dt_emit_last_marks(emitter *e);
/* Of an access to %ls_place that has that many words; in a log its number is in that register. bit: NULL for
 * the warp's own. */
void dt_emit_mark_at(emitter *e, const char *number, uint32_t access_kind, uint32_t words, const char *bit);
void dt_emit_bits_of_group(emitter *e); /* %ls_bits */
/* beside.c: copies and products that are under way at barriers. */
void dt_emit_beside_declarations(emitter *e);
void dt_emit_beside_prologue(emitter *e);
void dt_emit_departure(emitter *e, const ls_ir_access *access); /* of a copy to %ls_place */
bool dt_can_mark_product(const ls_ir_access *access);
void dt_emit_product(emitter *e, const ls_ir_access *access);
bool dt_has_products(const kernel *k);
void dt_emit_progress(emitter *e, bool product); /* %ls_progress */
void dt_emit_groups(emitter *e, const ls_ir_instr *instr);
void dt_emit_beside_again(emitter *e, const ls_ir_instr *barrier);
uint64_t dt_watched_shared(const kernel *k, const instrument_options *options);
/* stamps.c: global memory. Kinds of accesses that have stamps of their own, one plane behind the other; the
 * place of a byte's stamp behind the first; the kernel that holds planes against each other. */
uint32_t dt_stamp_kinds(const kernel *k);
uint32_t dt_stamp_planes(const kernel *k, const instrument_options *options);
uint64_t dt_stamp_place(uint64_t byte, uint32_t granule);
void dt_emit_stamps_prologue(emitter *e);
void dt_emit_stamp(emitter *e, const ls_ir_access *access);
/* %ls_stamp: where the first of the access's stamps is; goes to $LS_NOSTAMP<skip> where there are none. */
void dt_emit_stamp_place(emitter *e, const ls_ir_access *access, const ls_ptx_operand *part, uint32_t skip);
/* %ls_q = whether the inner stamp in %ls_d64 is of another warp of this block, since the last barrier. */
void dt_emit_other_warp(emitter *e);
/* reads.c: whether the read may be stamped together with later ones; it is to be, from now on; those that
 * wait are stamped before an instruction that may end that (NULL: any), or now. */
bool dt_can_wait(const emitter *e, const ls_ir_access *access);
void dt_let_wait(emitter *e, const ls_ir_access *access);
void dt_settle_before(emitter *e, const ls_ir_instr *instr);
void dt_settle_reads(emitter *e);
void dt_add_stamps_kernel(ls_buf *out, uint32_t kinds);
/* redirect.c: accesses. */
void dt_emit_access_declarations(emitter *e);
void dt_emit_grid_prologue(emitter *e);
void dt_emit_memory_instr(emitter *e, ls_ir_instr *instr);
/* Whether the instruction's accesses to shared memory stay as they are: it is only in regions that write to
 * the segment itself, and in which every thread has its own part. */
bool dt_stays_in_segment(const emitter *e, const ls_ir_instr *instr);

#endif
