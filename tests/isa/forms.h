/* Every form of every instruction that computes something, each as a kernel of one instruction, with operands
 * drawn for it: what the parts of test_forms.c compare with the meaning (isa/meaning.h). */
#ifndef LS_TESTS_ISA_FORMS_H
#define LS_TESTS_ISA_FORMS_H

#include "isa/meaning.h"
#include "lockstep/emulate.h"
#include "lockstep/ir.h"

enum { FORM_SOURCES = 6, FORM_RESULTS = 4 };

typedef struct {
    char text[96];                   /* the opcode, as written */
    const char *to, *from;           /* classes of results and sources: h, r, q 16, 32, 64 bits; p predicate;
                                        c carry; i, j constants of 8 and 10 bits */
    uint16_t constant[FORM_SOURCES]; /* of the classes i and j */
    ls_ptx_module *module;
    ls_ir_function *ir;
    const ls_ir_instr *instr;
    ls_isa isa;
    uint32_t sources, results;
    const char *failed; /* where it was not the meaning */
} form;

/* What is modelled of an opcode, over all of its forms. */
typedef struct {
    uint32_t forms;          /* in the list */
    uint32_t loops, scalars; /* run as vector loops, lane by lane */
    uint32_t compiled;       /* to machine code of its own */
    uint32_t exact,
        function; /* as a term that says what is computed; as a function of which nothing is known */
    uint32_t vectors, uniform; /* as lane vectors with a rule of their own, or as a function of the sources */
} coverage;

extern coverage covered[LS_OP_COUNT];

/* The n-th form, with its module, IR and meaning; false behind the last. What is made is freed by form_free.
 */
bool form_make(uint32_t n, form *out);
void form_free(form *f);
/* Classes that have a meaning for one lane. */
bool form_computes(const ls_ptx_opcode *opcode);

uint64_t draw(void);
/* Bits for a source: special numbers, or anything. */
uint64_t draw_source(const form *f, uint32_t k);
/* Whether `got` is what the meaning says; NaNs of double precision are one, and approximate functions may be
 * off by two units in the last place. */
bool form_agrees(const form *f, uint32_t result, uint64_t want, uint64_t got);
uint32_t class_bits(char class);
/* Says so, once for a form. */
extern uint32_t form_failures;
void form_fail(form *f, const char *where, const uint64_t *s, uint64_t want, uint64_t got);

/* The kernels that the emulator runs: sources at in + 48 · thread, or at in for all threads; results at
 * out + 32 · thread. */
#define FORM_KERNEL  "k"
#define FORM_UNIFORM "u"
enum { FORM_IN = 48, FORM_OUT = 32 };

/* Runs it with operands that are drawn, and compares what comes out; the result is the caller's to free. */
ls_emu_result *form_run(form *f, ls_emulator *e, const char *kernel, uint32_t threads,
                        const ls_emu_options *options, const char *where);

/* The other forms of an instruction, each against the meaning; they count in `covered`. */
void check_loops(form *f);
void check_compiled(form *f);
void check_lane_vectors(form *f);
void check_polynomials(form *f);
void check_terms(form *f);

#endif
