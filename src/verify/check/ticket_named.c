/* Named barriers at which some threads arrive and go on (bar.arrive ID, COUNT) while others wait (bar.sync
 * ID, COUNT), as the warps of FlashAttention-3 do. Such a barrier is an mbarrier of one stage that expects
 * COUNT arrivals: bar.arrive is an arrival at it, and bar.sync an arrival and a wait for its phase. What is
 * to be proved of mbarriers is to be proved of it, too: that nobody arrives twice for one phase, and that
 * waits end. It counts warps, so that whole warps must come (PTX: .aligned), and they must agree on coming.
 */
#include "verify/check/ticket_named.h"
#include "verify/check/groups.h"
#include "verify/check/ticket_threads.h"
#include "verify/check/ways.h"
#include "verify/execute/lower.h"

#include <string.h>

static bool arrives_only(const ls_ir_instr *i) {
    return !i->call && i->form->opcode->barrier == LS_BARRIER_BLOCK_ARRIVE;
}

bool ls_is_handed(const ls_proof *p, const ls_ir_instr *i) {
    if (arrives_only(i)) return true;
    if (i->call || i->form->opcode->barrier != LS_BARRIER_BLOCK || i->src_count != 2) return false;
    uint64_t number, other;
    const bool fixed = ls_constant_operand(&i->src[0], &number);
    for (uint32_t k = 0; k < p->f->instr_count; k++) {
        const ls_ir_instr *a = p->f->instrs[k];
        if (!arrives_only(a)) continue;
        if (!fixed || !ls_constant_operand(&a->src[0], &other) || number == other) return true;
    }
    return false;
}

/* Threads of a warp come together: all of them may, and the condition is the same for each. */
static bool come_in_warps(const ls_protocol *x, const ls_site *s) {
    for (uint32_t n = 0; n < x->threads; n += 32) {
        const uint32_t lanes = (uint32_t)(s->threads[n / 64] >> n % 64);
        if (!lanes) continue;
        const ls_term *when = ls_past_waits(x, s->when), *first = ls_for_thread(x, when, n);
        bool alike = lanes == UINT32_MAX && ls_is_common(x, s, first);
        for (uint32_t l = 1; l < 32 && alike; l++) alike = ls_for_thread(x, when, n + l) == first;
        if (!alike) return false;
    }
    return x->threads % 32 == 0 && !s->threads[LS_MOST_BLOCK / 64];
}

/* The object of a barrier's number; LS_NO_OBJECT: it expects another number of threads elsewhere. */
static uint32_t object_of(ls_protocol *x, uint64_t number, uint64_t count) {
    if (!x->named[number]) {
        ls_ticket_object o = {.kind = LS_TICKETS_MBARRIER, .stages = 1, .count = count, .named = true};
        LS_VEC_PUSH(&x->objects, o);
        x->named[number] = x->objects.length;
    }
    const uint32_t object = x->named[number] - 1;
    return x->objects.items[object].count == count ? object : LS_NO_OBJECT;
}

/* Those threads of the site that come to the barrier of one number. */
static bool add_number(ls_protocol *x, const ls_site *s, uint64_t number, uint64_t count) {
    const uint32_t *block = x->p->options->block;
    ls_site a = *s;
    if (block[1] * block[2] != 1)
        return ls_not_known(x, s->instr, "a named barrier in a block of several rows is not modelled");
    a.ticket.object = object_of(x, number, count);
    if (a.ticket.object == LS_NO_OBJECT)
        return ls_not_known(x, s->instr, "a named barrier with several numbers of threads is not modelled");
    a.kind = LS_SITE_ARRIVE;
    a.arrivals = 1;
    LS_VEC_PUSH(&x->sites, a);
    if (arrives_only(s->instr)) return true;
    a.kind = LS_SITE_WAIT;
    a.token = s->instr;
    a.position++;
    LS_VEC_PUSH(&x->sites, a);
    return true;
}

/* Leaves those threads of the part for which the barrier has that number. */
static bool keep_number(const ls_protocol *x, ls_site *part, const ls_term *id, uint64_t number) {
    part->thread_count = 0;
    for (uint32_t n = 0; n < x->threads; n++) {
        if (!ls_is_named(part, n)) continue;
        const ls_term *own = ls_for_thread(x, id, n);
        if (!ls_is_const(own) || own->value >= LS_MOST_NUMBERS) return false;
        if (own->value == number)
            part->thread_count++;
        else
            part->threads[n / 64] &= ~(UINT64_C(1) << n % 64);
    }
    return true;
}

bool ls_add_named(ls_protocol *x, const ls_site *s) {
    const ls_term *id = ls_operand_of(x->p->whole, &s->instr->src[0]);
    uint64_t count;
    if (!ls_constant_operand(&s->instr->src[1], &count) || !count || count % 32)
        return ls_not_known(x, s->instr, "a named barrier whose number of threads is not a constant");
    if (!come_in_warps(x, s))
        return ls_not_known(x, s->instr, "no proof that whole warps come to this named barrier together");
    for (uint64_t number = 0; number < LS_MOST_NUMBERS; number++) {
        ls_site part = *s;
        if (!keep_number(x, &part, id, number))
            return ls_not_known(x, s->instr, "it is not known which named barrier this is");
        if (!part.thread_count) continue;
        if (part.thread_count != s->thread_count)
            part.when = ls_and(&x->p->terms, s->when, ls_is_among(x, &part));
        if (!add_number(x, &part, number, count)) return false;
    }
    return true;
}

bool ls_check_named(ls_protocol *x) {
    for (uint32_t k = 0; k < x->p->f->instr_count; k++) {
        const ls_ir_instr *i = x->p->f->instrs[k];
        const uint8_t kind = i->call ? LS_BARRIER_NONE : i->form->opcode->barrier;
        const bool of_block = kind == LS_BARRIER_BLOCK || kind == LS_BARRIER_BLOCK_RED;
        uint64_t number = 0;
        if (!of_block || ls_is_handed(x->p, i)) continue;
        const bool known = i->src_count && ls_constant_operand(&i->src[0], &number);
        for (uint32_t n = 0; n < LS_MOST_NUMBERS; n++)
            if (x->named[n] && (!known || n == number))
                return ls_not_known(x, i, "no proof that no other barrier has the number of this one");
    }
    return true;
}
