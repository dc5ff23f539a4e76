/* Findings: the one model of what the verifier, the emulator, the detector and the analyses find, and of what
 * the report shows. A finding names a rule and a place, says what is wrong there, and how it comes about. */
#ifndef LOCKSTEP_FINDING_H
#define LOCKSTEP_FINDING_H

#include "lockstep/diag.h"

#include <stddef.h>

LS_BEGIN_DECLS

/* --- Rules --------------------------------------------------------------------------------------------- */

/* RULE(enumerator, name, usual level, title, help): every rule that a finding can name. */
#define LS_RULES(RULE)                                                                                       \
    RULE(RACE_SHARED, "race.shared", LS_ERROR, "Data race in shared memory",                                 \
         "Two threads of a block access the same bytes of shared (local) memory, at least one of them "      \
         "writes, and no barrier orders the two accesses. Put a barrier between them, or make the threads "  \
         "use different elements.")                                                                          \
    RULE(RACE_GLOBAL, "race.global", LS_ERROR, "Data race in global memory",                                 \
         "Two threads of the grid access the same bytes of global memory, at least one of them writes, and " \
         "nothing orders the two accesses. A barrier orders threads of one block only; between blocks use "  \
         "atomics or a second kernel.")                                                                      \
    RULE(BARRIER_DIVERGENCE, "barrier.divergence", LS_ERROR, "Barrier divergence",                           \
         "Not all threads of a block reach the same barrier, in the same iteration of every enclosing "      \
         "loop. Move the barrier out of the condition or loop on which the threads disagree.")               \
    RULE(ASSERT, "assert", LS_ERROR, "Assertion can fail",                                                   \
         "An assertion, precondition, postcondition or invariant stated in the kernel does not hold.")       \
    RULE(MEMORY_BOUNDS, "memory.bounds", LS_ERROR, "Access out of bounds",                                   \
         "An access lies outside of the object it is based on. Guard it by the object's size, or correct "   \
         "the index.")                                                                                       \
    RULE(MEMORY_UNINITIALIZED, "memory.uninitialized", LS_WARNING, "Read of uninitialised memory",           \
         "Memory is read that nothing has written.")                                                         \
    RULE(MEMORY_MISALIGNED, "memory.misaligned", LS_ERROR, "Misaligned access",                              \
         "The address of an access is not a multiple of the access's size, as the hardware requires.")       \
    RULE(COALESCING, "coalescing", LS_WARNING, "Uncoalesced access to global memory",                        \
         "The lanes of a warp access global memory in more 32-byte sectors than the data needs. Let "        \
         "neighbouring lanes access neighbouring elements.")                                                 \
    RULE(BANK_CONFLICT, "bank-conflict", LS_WARNING, "Shared-memory bank conflict",                          \
         "Lanes of a warp access different words of the same shared-memory bank, so that the access is "     \
         "carried out in several passes. Pad the row or swizzle the index.")                                 \
    RULE(DIVERGENCE_BRANCH, "divergence.branch", LS_NOTE, "Divergent branch",                                \
         "The lanes of a warp can disagree on a branch, so that both sides are executed one after the "      \
         "other.")                                                                                           \
    RULE(MEMORY_FREE, "memory.free", LS_ERROR, "Wrong free of device memory",                                \
         "Memory is freed twice, or at an address that is not an allocation.")                               \
    RULE(MEMORY_LEAK, "memory.leak", LS_NOTE, "Device memory that is never freed",                           \
         "An allocation is not freed before the program ends.")                                              \
    RULE(MEMORY_COPY, "memory.copy", LS_ERROR, "Wrong copy",                                                 \
         "A copy or fill goes beyond an allocation, or a side is not the host or device memory that the "    \
         "call says.")                                                                                       \
    RULE(HOST_ACCESS, "host.access", LS_ERROR, "Host access to device memory",                               \
         "Host code dereferences a pointer that only the device can use. Copy the data, or use "             \
         "managed memory.")                                                                                  \
    RULE(RACE_STREAM, "race.stream", LS_ERROR, "Race between streams",                                       \
         "Two kernels or copies on different streams touch the same bytes, one of them writes, and nothing " \
         "orders them. Record an event on one stream, and let the other one wait for it.")                   \
    RULE(ERROR_UNCHECKED, "error.unchecked", LS_WARNING, "Error that is never checked",                      \
         "A launch failed, and the program never checked for it (cudaGetLastError).")                        \
    RULE(TERMINATION, "termination", LS_ERROR, "Kernel may run forever",                                     \
         "Some execution of the kernel never ends. Make sure that every loop is left.")                      \
    RULE(DIVISION, "division", LS_ERROR, "Division by zero",                                                 \
         "An integer is divided by zero. Guard the division, or state that the divisor is not zero.")        \
    RULE(                                                                                                    \
        ASYNC_PROXY, "async.proxy", LS_ERROR, "Missing proxy fence",                                         \
        "An asynchronous unit (a bulk copy, a matrix unit) and ordinary accesses touch the same bytes, and " \
        "there is no proxy fence between them. Put fence.proxy.async after the ordinary accesses, before "   \
        "the "                                                                                               \
        "barrier.")                                                                                          \
    RULE(ASYNC_MBARRIER, "async.mbarrier", LS_ERROR, "Misuse of an mbarrier",                                \
         "An mbarrier is used before it is initialised or while it is in use, gets arrivals that its phase " \
         "does not expect, or threads wait for a phase that never ends.")                                    \
    RULE(ASYNC_UNFINISHED, "async.unfinished", LS_ERROR, "Block ends during an asynchronous operation",      \
         "A block ends while a copy may still read or write its shared memory, which the next block gets. "  \
         "Wait for the copy's group or mbarrier.")

typedef enum {
#define LS_RULE_ENUM(id, name, level, title, help) LS_RULE_##id,
    LS_RULES(LS_RULE_ENUM)
#undef LS_RULE_ENUM
        LS_RULE_COUNT
} ls_rule;

typedef struct {
    const char *name; /* "race.shared" */
    ls_severity level;
    const char *title, *help;
} ls_rule_info;

const ls_rule_info *ls_rule_get(ls_rule rule);
/* The rule of a name; LS_RULE_COUNT where there is none. */
ls_rule ls_rule_find(const char *name);

/* "error", "warning", "note". */
const char *ls_severity_name(ls_severity severity);

/* --- Places -------------------------------------------------------------------------------------------- */

/* Where something stands in the source: the one form of a position. Of an instruction of the IR the file is
 * never NULL. */
typedef struct ls_place {
    const char *file;          /* NULL: no position is known */
    uint32_t line, column;     /* from 1; 0: unknown */
    uint32_t ptx_line;         /* the line of the PTX text; 0: unknown */
    bool is_ptx;               /* no source is known: file and line are those of the PTX text itself */
    const struct ls_place *at; /* inlined (by the compiler or by us): where the call stands; else NULL */
} ls_place;

/* The same line of the same file; false where one is not known. */
bool ls_place_same_line(const ls_place *a, const ls_place *b);

/* --- Verdicts ------------------------------------------------------------------------------------------ */

/* NONE: the command gives no verdicts (analyze), or the kernel was not looked at. PROVED_IF: proved for every
 * launch that satisfies a contract, where no launch is known. */
typedef enum { LS_NO_VERDICT, LS_PROVED, LS_REFUTED, LS_UNKNOWN, LS_PROVED_IF, LS_VERDICT_COUNT } ls_verdict;

/* "none", "proved", "refuted", "unknown", "proved_if". */
const char *ls_verdict_name(ls_verdict verdict);

/* --- Findings ------------------------------------------------------------------------------------------ */

/* Ordered keys and values, which may nest: an object, or a list (whose entries have no keys). */
typedef struct ls_fields ls_fields;
typedef enum {
    LS_FIELD_INT,
    LS_FIELD_UINT,
    LS_FIELD_REAL,
    LS_FIELD_BOOL,
    LS_FIELD_TEXT,
    LS_FIELD_NEST
} ls_field_kind;

typedef struct ls_field {
    struct ls_field *next;
    const char *key; /* NULL in a list */
    ls_field_kind kind;
    union {
        int64_t integer;
        uint64_t natural;
        double real;
        bool truth;
        const char *text;
        ls_fields *nest;
    } value;
} ls_field;

struct ls_fields {
    struct ls_store *store;
    ls_field *first, *last;
    bool is_list;
};

/* In an object a key that is there already is given the new value; in a list the key is ignored. */
void ls_fields_int(ls_fields *fields, const char *key, int64_t value);
void ls_fields_uint(ls_fields *fields, const char *key, uint64_t value);
void ls_fields_real(ls_fields *fields, const char *key, double value);
void ls_fields_bool(ls_fields *fields, const char *key, bool value);
void ls_fields_text(ls_fields *fields, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
ls_fields *ls_fields_object(ls_fields *fields, const char *key);
ls_fields *ls_fields_list(ls_fields *fields, const char *key);
/* The field of that key, or NULL; fields may be NULL. */
const ls_field *ls_fields_find(const ls_fields *fields, const char *key);

typedef struct ls_related {
    struct ls_related *next;
    ls_place place;
    const char *message;
    bool aside; /* no part in it: another finding of the same cause is there */
} ls_related;

/* One thread's part in what was found: "thread 3 of block 0 writes s[2] at scan.cu:11". */
typedef struct ls_actor {
    struct ls_actor *next;
    const char *does; /* "reads", "writes", "updates" */
    ls_place place;
    uint32_t block[3], thread[3];
    bool has_block, has_thread; /* else they are not known */
    bool has_warp;              /* the thread is not known, but its warp in the block */
    uint32_t warp;
} ls_actor;

/* How a finding comes about, told thread by thread: a race, most of all. */
typedef struct {
    ls_actor *actors; /* two threads, mostly; in the order of time, where `in_order` says so */
    bool in_order;
    const char *object;  /* NULL or the variable, parameter or buffer that is meant */
    const char *element; /* NULL or the element as the source writes it: "s[2]" */
    uint64_t byte;       /* in the object, or the address where there is none */
    bool has_byte;
    ls_fields *values;     /* NULL or names with the values that they have when it happens */
    const char *confirmed; /* NULL or what running it in the emulator showed */
} ls_story;

/* Whether running the kernel in the emulator (lockstep/replay.h) has shown what the verifier found. */
typedef enum {
    LS_REPLAY_NONE,       /* not tried */
    LS_REPLAY_CONFIRMED,  /* the emulator's checkers report the same */
    LS_REPLAY_IMPOSSIBLE, /* it cannot be run: the story says why */
    LS_REPLAY_NOT_SEEN    /* it was run, and does not happen there */
} ls_replay;

/* A change of the source that mends it: so many bytes at the place give way to the text. */
typedef struct {
    const char *description; /* "a __syncthreads() before line 9" */
    ls_place place;
    uint32_t length;
    const char *text;
    bool checked; /* with it the finding is gone and nothing new is there: it was tried */
} ls_fix;

/* Why a finding does not count. */
typedef enum {
    LS_NOT_SUPPRESSED,
    LS_IN_SOURCE,  /* a comment in the source says so: `// lockstep: ignore RULE -- reason` */
    LS_IN_CONFIG,  /* .lockstep.toml says so */
    LS_IN_BASELINE /* it was there before: --baseline */
} ls_suppression;

typedef struct ls_finding {
    struct ls_finding *next;
    struct ls_store *store;          /* where it lives */
    struct ls_report_kernel *kernel; /* of which kernel of a report; NULL: it stands in none yet */
    ls_rule rule;
    ls_severity level;
    const char *message;
    ls_place place;
    uint64_t count;          /* how often: findings of the same rule and places are one finding */
    ls_related *related;     /* other positions, shown as notes; of a race, the first is the other access */
    ls_story *story;         /* NULL or the threads that it takes, and what each does */
    ls_fields *witness;      /* NULL or what else a program may want to know of how it happens */
    ls_fields *detail;       /* NULL or what a program may want to know: class, sectors, degree… */
    const char *help;        /* NULL or a suggestion for this finding */
    const char *key;         /* NULL or what keeps it apart from others at the same lines: the access meant */
    ls_fix *fix;             /* NULL or a change that mends it */
    struct ls_finding *same; /* NULL or others of its cause, for which it stands in a report … */
    bool same_told;          /* … once they are counted in it and shown as notes */
    struct ls_verify_execution *execution; /* NULL or the verifier's execution in which it happens */
    ls_replay replay;                      /* … and what came of running that */
    ls_suppression suppressed;
    const char *reason;   /* NULL or why it is suppressed */
    char fingerprint[24]; /* by rule, kernel and text of the lines: made by ls_report_finish */
} ls_finding;

/* Why a kernel's verdict is unknown, and what would help. */
typedef struct ls_reason {
    struct ls_reason *next;
    ls_place place;
    const char *message;
    const char *help; /* NULL or a suggestion */
} ls_reason;

/* A data race, in whichever memory. */
bool ls_rule_is_race(ls_rule rule);
/* The place of the other access; of a finding that has none, its own: it is between a line and itself. */
const ls_place *ls_finding_other(const ls_finding *finding);

void ls_finding_relate(ls_finding *finding, ls_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The calls that were inlined around a place, as related positions with this message. */
#define LS_INLINED_HERE "inlined here"
void ls_finding_relate_calls(ls_finding *finding, const ls_place *place);
void ls_finding_count(ls_finding *finding, uint64_t count);
void ls_finding_help(ls_finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Findings at the same lines stay apart where their keys differ. */
void ls_finding_key(ls_finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The finding's story, made where there is none yet. */
ls_story *ls_finding_story(ls_finding *finding);
/* Adds a thread with what it does; texts are copied. */
void ls_story_actor(ls_finding *finding, const ls_actor *actor);
/* What it happens to; object and element may be NULL. */
void ls_story_object(ls_finding *finding, const char *object, const char *element, uint64_t byte);
void ls_story_confirmed(ls_finding *finding, const char *what);
/* A value under which it happens, by any name. */
void ls_finding_value(ls_finding *finding, const char *name, int64_t value);
void ls_finding_fix(ls_finding *finding, const ls_fix *fix);
/* It no longer counts; reason may be NULL. */
void ls_finding_suppress(ls_finding *finding, ls_suppression how, const char *reason);
ls_fields *ls_finding_witness(ls_finding *finding);
ls_fields *ls_finding_detail(ls_finding *finding);

LS_END_DECLS

#endif
