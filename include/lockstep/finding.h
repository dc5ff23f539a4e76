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
         "Wait for the copy's group or mbarrier.")                                                           \
    RULE(ASYNC_REGISTERS, "async.registers", LS_ERROR, "Register used while a matrix unit has it",           \
         "A register is used before the product or load that has it was waited for, or is handed to wgmma "  \
         "without a fence. Wait with wgmma.wait_group or tcgen05.wait::ld; put wgmma.fence after writes.")

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
/* The rule with this name, or LS_RULE_COUNT if there is none. */
ls_rule ls_rule_find(const char *name);

/* "error", "warning", "note". */
const char *ls_severity_name(ls_severity severity);

/* --- Places -------------------------------------------------------------------------------------------- */

/* A position in the source. All parts of Lockstep use this type. The file is never NULL for an instruction of
 * the IR. */
typedef struct ls_place {
    const char *file;      /* NULL if no position is known */
    uint32_t line, column; /* from 1; 0: unknown */
    uint32_t ptx_line;     /* the line of the PTX text; 0: unknown */
    bool is_ptx;           /* no source is known: file and line are those of the PTX text itself */
    const struct ls_place
        *at; /* position of the call if this code was inlined (by the compiler or by Lockstep), else NULL */
} ls_place;

/* Whether both are on the same line of the same file; false if one of them is not known. */
bool ls_place_same_line(const ls_place *a, const ls_place *b);

/* --- Verdicts ------------------------------------------------------------------------------------------ */

/* LS_NO_VERDICT: the command gives no verdicts (analyze), or the kernel was not checked. LS_PROVED_IF: no
 * launch of the kernel is known; it is proved for every launch that satisfies a contract. */
typedef enum { LS_NO_VERDICT, LS_PROVED, LS_REFUTED, LS_UNKNOWN, LS_PROVED_IF, LS_VERDICT_COUNT } ls_verdict;

/* "none", "proved", "refuted", "unknown", "proved_if". */
const char *ls_verdict_name(ls_verdict verdict);

/* --- Findings ------------------------------------------------------------------------------------------ */

/* An object with keys and values in a fixed order, or a list of values without keys. Both may be nested. */
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
    uint32_t ready; /* private: in a list, the number of further entries for which memory is reserved */
};

/* Sets a field of an object, which replaces an earlier value of the same key, or appends to a list, which
 * ignores the key. */
void ls_fields_int(ls_fields *fields, const char *key, int64_t value);
void ls_fields_uint(ls_fields *fields, const char *key, uint64_t value);
void ls_fields_real(ls_fields *fields, const char *key, double value);
void ls_fields_bool(ls_fields *fields, const char *key, bool value);
void ls_fields_text(ls_fields *fields, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
ls_fields *ls_fields_object(ls_fields *fields, const char *key);
ls_fields *ls_fields_list(ls_fields *fields, const char *key);
/* The field with this key, or NULL. `fields` may be NULL. */
const ls_field *ls_fields_find(const ls_fields *fields, const char *key);

typedef struct ls_related {
    struct ls_related *next;
    ls_place place;
    const char *message;
    bool aside; /* it takes no part in this finding: it is the position of another finding with the same cause
                 */
} ls_related;

/* What one thread does in a finding: "thread 3 of block 0 writes s[2] at scan.cu:11". */
typedef struct ls_actor {
    struct ls_actor *next;
    const char *does; /* "reads", "writes", "updates" */
    ls_place place;
    uint32_t block[3], thread[3];
    bool has_block, has_thread; /* false: not known */
    bool has_warp;              /* the thread is not known, but its warp within the block is */
    uint32_t warp;
} ls_actor;

/* How a finding happens, thread by thread. Mostly used for races. */
typedef struct {
    ls_actor *actors; /* usually two threads; if `in_order` is set, in the order in which they act */
    bool in_order;
    const char *object;  /* NULL or the variable, parameter or buffer that is accessed */
    const char *element; /* NULL or the element as it is written in the source: "s[2]" */
    uint64_t byte;       /* byte in the object; the address if there is no object */
    bool has_byte;
    ls_fields *values;     /* NULL or names with the values that they have at that moment */
    const char *confirmed; /* NULL or what happened when it was run in the emulator */
} ls_story;

/* Whether running the kernel in the emulator (lockstep/replay.h) has shown what the verifier found. */
typedef enum {
    LS_REPLAY_NONE,       /* not tried */
    LS_REPLAY_CONFIRMED,  /* the emulator's checkers report the same */
    LS_REPLAY_IMPOSSIBLE, /* it cannot be run; the story says why */
    LS_REPLAY_NOT_SEEN    /* it was run, and did not happen */
} ls_replay;

/* A change of the source that fixes a finding: `length` bytes at the place are replaced by the text. */
typedef struct {
    const char *description; /* "a __syncthreads() before line 9" */
    ls_place place;
    uint32_t length;
    const char *text;
    bool checked; /* it was tried: the finding disappears, and nothing new is found */
} ls_fix;

/* Why a finding does not count. */
typedef enum {
    LS_NOT_SUPPRESSED,
    LS_IN_SOURCE,  /* by a comment in the source: `// lockstep: ignore RULE -- reason` */
    LS_IN_CONFIG,  /* by .lockstep.toml */
    LS_IN_BASELINE /* it is in the file given by --baseline */
} ls_suppression;

typedef struct ls_finding {
    struct ls_finding *next;
    struct ls_store *store; /* memory that it belongs to */
    struct ls_report_kernel
        *kernel; /* the kernel of a report that it belongs to; NULL: it is in no report yet */
    ls_rule rule;
    ls_severity level;
    const char *message;
    ls_place place;
    uint64_t count;      /* number of occurrences: those with the same rule and positions are one finding */
    ls_related *related; /* other positions, shown as notes; of a race, the first is the other access */
    ls_story *story;     /* NULL or the threads involved, and what each of them does */
    ls_fields *witness;  /* NULL or further facts about how it happens, for programs */
    ls_fields *detail;   /* NULL or further facts for programs: class, sectors, degree, … */
    const char *help;    /* NULL or a suggestion for this finding */
    const char
        *key;    /* NULL or a text that distinguishes it from other findings at the same lines: the access */
    ls_fix *fix; /* NULL or a change that fixes it */
    struct ls_finding
        *same;      /* NULL or other findings with the same cause, which it represents in a report … */
    bool same_told; /* … true once these are included in `count` and shown as notes */
    struct ls_verify_execution *execution; /* NULL or the verifier's execution in which it happens */
    ls_replay replay;                      /* … and the result of running that execution */
    ls_suppression suppressed;
    const char *reason;   /* NULL or why it is suppressed */
    char fingerprint[24]; /* made by ls_report_finish from the rule, the kernel and the text of the lines */
} ls_finding;

/* Why a kernel's verdict is unknown, and what would help. */
typedef struct ls_reason {
    struct ls_reason *next;
    ls_place place;
    const char *message;
    const char *help; /* NULL or a suggestion */
} ls_reason;

/* Whether the rule is about data races, in any kind of memory. */
bool ls_rule_is_race(ls_rule rule);
/* The place of the other access. A finding without one is a race of a line with itself, and its own place is
 * returned. */
const ls_place *ls_finding_other(const ls_finding *finding);

void ls_finding_relate(ls_finding *finding, ls_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds the calls through which the code at a place was inlined, as related positions with this message. */
#define LS_INLINED_HERE "inlined here"
void ls_finding_relate_calls(ls_finding *finding, const ls_place *place);
void ls_finding_count(ls_finding *finding, uint64_t count);
void ls_finding_help(ls_finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Findings at the same lines with different keys are not merged into one. */
void ls_finding_key(ls_finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The finding's story; an empty one is made if there is none yet. */
ls_story *ls_finding_story(ls_finding *finding);
/* Adds a thread with what it does; texts are copied. */
void ls_story_actor(ls_finding *finding, const ls_actor *actor);
/* The memory that is accessed. `object` and `element` may be NULL. */
void ls_story_object(ls_finding *finding, const char *object, const char *element, uint64_t byte);
void ls_story_confirmed(ls_finding *finding, const char *what);
/* A value with which it happens, under any name. */
void ls_finding_value(ls_finding *finding, const char *name, int64_t value);
void ls_finding_fix(ls_finding *finding, const ls_fix *fix);
/* The finding no longer counts. `reason` may be NULL. */
void ls_finding_suppress(ls_finding *finding, ls_suppression how, const char *reason);
ls_fields *ls_finding_witness(ls_finding *finding);
ls_fields *ls_finding_detail(ls_finding *finding);

LS_END_DECLS

#endif
