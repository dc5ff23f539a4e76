/* Kernels made up at random, of accesses to shared memory at offsets that are computed from the thread's
 * number, by themselves or in a loop with a barrier whose counter they use as well; and of accesses to global
 * memory by several blocks, whose number they use. What the detector says to
 * be every thread's own part, without a run, is held against what each thread does: no two threads may meet.
 */
#include "harness.h"

enum { MOST_STEPS = 4, MOST_SITES = 6, MOST_THREADS = 128, MOST_DONE = 64, TID = 0, COUNTER = 1 };

/* One value from those before it: 0 is the thread's number, 1 the loop's counter. */
typedef struct {
    uint32_t op, a, b, number;
    bool both;
} value_step;

/* An access under a condition. */
typedef struct {
    value_step steps[MOST_STEPS];
    uint32_t count, test, of, limit, value, extra;
    bool writes;
} site;

static uint32_t state_of_chance;

static uint32_t draw(uint32_t below) {
    state_of_chance = state_of_chance * 1664525 + 1013904223;
    return (state_of_chance >> 8) % below;
}

static site make_site(bool in_loop) {
    static const uint32_t masks[] = {1, 3, 7, 15, 31, 28, 12, 56, 96, 127, 124};
    uint32_t known = in_loop ? 2 : 1;
    site s = {.count = draw(MOST_STEPS + 1), .writes = draw(3) > 0};
    for (uint32_t i = 0; i < s.count; i++) {
        value_step *v = &s.steps[i];
        uint32_t have = known + i; /* those that there are: 0, 1 in a loop, 2 and on */
        *v = (value_step){.op = draw(7), .a = draw(have), .b = draw(have)};
        if (!in_loop && v->a) v->a++;
        if (!in_loop && v->b) v->b++;
        v->number = v->op == 0 ? masks[draw(11)] : v->op <= 2 ? draw(6) : v->op == 6 ? draw(5) : draw(64);
        v->both = v->op >= 3 && draw(2);
    }
    uint32_t have = known + s.count;
    s.test = draw(5), s.of = draw(have), s.limit = draw(40), s.value = draw(have), s.extra = draw(3) * 64;
    if (!in_loop && s.of) s.of++;
    if (!in_loop && s.value) s.value++;
    return s;
}

/* Whether sites are in global memory, behind a pointer; else in shared memory. */
static bool in_global;

static void print_site(ls_buf *out, const site *s, uint32_t number) {
    static const char *const names[] = {"and.b32", "shr.u32", "shl.b32",   "or.b32",
                                        "xor.b32", "add.u32", "mul.lo.u32"};
    static const char *const tests[] = {"lt", "ge", "eq", "ne"};
    for (uint32_t i = 0; i < s->count; i++) {
        const value_step *v = &s->steps[i];
        ls_buf_printf(out, "\t%s %%r%u, %%r%u, ", names[v->op], i + 2, v->a);
        ls_buf_printf(out, v->both ? "%%r%u;\n" : "%u;\n", v->both ? v->b : v->number);
    }
    if (in_global)
        ls_buf_printf(out, "\tmul.wide.u32 %%l%u, %%r%u, 4;\n\tadd.u64 %%l%u, %%ptr, %%l%u;\n", number,
                      s->value, number, number);
    else
        ls_buf_printf(out, "\tshl.b32 %%a%u, %%r%u, 2;\n\tadd.u32 %%a%u, %%a%u, %%base;\n", number, s->value,
                      number, number);
    if (s->test < 4)
        ls_buf_printf(out, "\tsetp.%s.u32 %%p%u, %%r%u, %u;\n\t@%%p%u ", tests[s->test], number, s->of,
                      s->limit, number);
    const char *space = in_global ? "global" : "shared";
    char letter = in_global ? 'l' : 'a';
    if (s->writes)
        ls_buf_printf(out, "\tst.%s.u32 [%%%c%u+%u], %%r0;\n", space, letter, number, s->extra);
    else
        ls_buf_printf(out, "\tld.%s.u32 %%got, [%%%c%u+%u];\n", space, letter, number, s->extra);
}

/* Where the thread accesses memory; false: it does not. */
static bool place_of(const site *s, uint32_t thread, uint32_t counter, uint32_t *at) {
    uint32_t r[MOST_STEPS + 2] = {thread, counter};
    for (uint32_t i = 0; i < s->count; i++) {
        const value_step *v = &s->steps[i];
        uint32_t x = r[v->a], y = v->both ? r[v->b] : v->number;
        r[i + 2] = v->op == 0   ? x & y
                   : v->op == 1 ? (y > 31 ? 0 : x >> y)
                   : v->op == 2 ? (y > 31 ? 0 : x << y)
                   : v->op == 3 ? x | y
                   : v->op == 4 ? x ^ y
                   : v->op == 5 ? x + y
                                : x * y;
    }
    uint32_t x = r[s->of];
    *at = r[s->value] * 4 + s->extra;
    return s->test == 0   ? x < s->limit
           : s->test == 1 ? x >= s->limit
           : s->test == 2 ? x == s->limit
           : s->test == 3 ? x != s->limit
                          : true;
}

/* A site as it is come to: in which barrier interval, with which counter. */
typedef struct {
    const site *s;
    uint32_t interval, counter;
} done;

static bool meet(const done *x, const done *y, uint32_t threads) {
    uint32_t a, b;
    if (x->interval != y->interval || (!x->s->writes && !y->s->writes)) return false;
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t u = 0; u < threads && place_of(x->s, t, x->counter, &a); u++)
            if (t != u && place_of(y->s, u, y->counter, &b) && a == b) return true;
    return false;
}

static bool threads_meet(const done *list, uint32_t count, uint32_t threads) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j <= i; j++)
            if (meet(&list[i], &list[j], threads)) return true;
    return false;
}

/* --- Kernels
 * -------------------------------------------------------------------------------------------------
 */
static void begin_kernel(ls_buf *out) {
    ls_buf_puts(out, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n"
                     "\t.reg .u32 %r<9>, %a<9>, %base, %got;\n\t.reg .pred %p<9>, %more;\n"
                     "\t.shared .align 4 .b8 s[32768];\n\tmov.u32 %r0, %tid.x;\n\tmov.u32 %base, s;\n");
}

static bool is_said_to_be_own(ls_buf *ptx, uint32_t threads, ls_detect_device *device) {
    ls_diags *diags = ls_diags_new();
    ls_detect_launch launch = {
        .kernel = "k", .grid = {1, 1, 1}, .block = {threads, 1, 1}, .as_it_is = "not run"};
    ls_detect_result *r = ls_detect_check(device, ptx->text, ptx->length, "random.ptx", &launch, NULL, diags);
    assert_int_equal(ls_diags_errors(diags), 0);
    bool own = r->unchecked_count == 0;
    ls_detect_result_free(r);
    ls_diags_free(diags);
    return own;
}

/* Two accesses, the first a write, and no barrier. */
static uint32_t straight(ls_buf *ptx, site *sites, done *list) {
    for (uint32_t i = 0; i < 2; i++) {
        sites[i] = make_site(false);
        if (!i) sites[i].writes = true;
        print_site(ptx, &sites[i], i);
        list[i] = (done){&sites[i], 0, 0};
    }
    return 2;
}

typedef struct {
    uint32_t start, op, by, limit; /* the counter: how it goes on, and how far */
} loop_shape;

static uint32_t counter_after(const loop_shape *l, uint32_t counter) {
    return l->op == 0 ? counter << 1 : l->op == 1 ? counter >> 1 : counter + l->by;
}

static bool goes_on(const loop_shape *l, uint32_t counter) {
    return l->op == 1 ? counter != 0 : counter < l->limit;
}

/* One access before the loop, one before its barrier, two behind it, one behind the loop. */
static uint32_t in_a_loop(ls_buf *ptx, site *sites, done *list) {
    loop_shape l = {.op = draw(3), .by = 1 + draw(40), .limit = 2 + draw(120)};
    static const char *const steps[] = {"shl.b32 %r1, %r1, 1", "shr.u32 %r1, %r1, 1", "add.u32 %r1, %r1, "};
    uint32_t count = 0, interval = 0;
    l.start = l.op == 1 ? 1u << draw(7) : 1 + draw(4);
    for (uint32_t i = 0; i < 5; i++) sites[i] = make_site(i > 0 && i < 4);
    sites[2].writes = true;
    bool has[] = {draw(3) == 0, draw(3) == 0, true, draw(2), draw(3) == 0};
    if (has[0]) print_site(ptx, &sites[0], 0), list[count++] = (done){&sites[0], 0, 0};
    ls_buf_printf(ptx, "\tmov.u32 %%r1, %u;\nLOOP:\n", l.start);
    if (has[1]) print_site(ptx, &sites[1], 1);
    ls_buf_puts(ptx, "\tbar.sync 0;\n");
    for (uint32_t i = 2; i < 4; i++)
        if (has[i]) print_site(ptx, &sites[i], i);
    ls_buf_printf(ptx, l.op == 2 ? "\t%s%u;\n" : "\t%s;\n", steps[l.op], l.by);
    ls_buf_printf(ptx, l.op == 1 ? "\tsetp.ne.u32 %%more, %%r1, 0;\n" : "\tsetp.lt.u32 %%more, %%r1, %u;\n",
                  l.limit);
    ls_buf_puts(ptx, "\t@%more bra LOOP;\n");
    if (has[4]) print_site(ptx, &sites[4], 4);
    uint32_t counter = l.start;
    do {
        for (uint32_t i = 1; i < 4; i++) {
            if (i == 2) interval++;
            if (has[i] && count < MOST_DONE - 1) list[count++] = (done){&sites[i], interval, counter};
        }
        counter = counter_after(&l, counter);
    } while (goes_on(&l, counter));
    if (has[4]) list[count++] = (done){&sites[4], interval, 0};
    return count;
}

static void hold_against(uint32_t (*make)(ls_buf *, site *, done *), uint32_t kernels, uint32_t least) {
    static const uint32_t sizes[] = {64, 96, 128};
    uint32_t own = 0, met = 0;
    ls_diags *diags = ls_diags_new();
    ls_detect_device *device = ls_detect_emulator(diags);
    for (uint32_t seed = 1; seed <= kernels; seed++) {
        ls_buf ptx = {0};
        site sites[MOST_SITES];
        done list[MOST_DONE];
        state_of_chance = seed * 2654435761u;
        uint32_t threads = sizes[draw(3)];
        begin_kernel(&ptx);
        uint32_t count = make(&ptx, sites, list);
        ls_buf_puts(&ptx, "\tret;\n}\n");
        bool said = is_said_to_be_own(&ptx, threads, device);
        if (said && threads_meet(list, count, threads))
            fail_msg("seed %u: of %u threads two meet in\n%s", seed, threads, ls_buf_text(&ptx));
        own += said;
        met += !said && seed % 8 == 0 && threads_meet(list, count, threads);
        ls_buf_free(&ptx);
    }
    if (getenv("SHOW")) fprintf(stderr, "own %u, meeting %u of every eighth\n", own, met);
    assert_true(own > least && met > least / 8); /* or this shows nothing */
    ls_detect_device_free(device);
    ls_diags_free(diags);
}

static uint32_t how_many(uint32_t otherwise) {
    const char *text = getenv("KERNELS");
    return text ? (uint32_t)atoi(text) : otherwise;
}

/* --- Between blocks
 * --------------------------------------------------------------------------------------------
 */
enum { BLOCKS = 4, BLOCK_THREADS = 64 };

/* Two accesses of any two threads of the launch; a site's counter is the block's number here. */
static bool blocks_meet(const site *sites, uint32_t count) {
    uint32_t a, b, all = BLOCKS * BLOCK_THREADS;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j <= i; j++)
            for (uint32_t t = 0; t < all && (sites[i].writes || sites[j].writes); t++)
                for (uint32_t u = 0; u < all && place_of(&sites[i], t % BLOCK_THREADS, t / BLOCK_THREADS, &a);
                     u++)
                    if (t != u && place_of(&sites[j], u % BLOCK_THREADS, u / BLOCK_THREADS, &b) && a == b)
                        return true;
    return false;
}

/* As kernels mostly have it: the block's number times so many, and the thread's; or the other way round. */
static site make_spread_site(void) {
    enum { TIMES = 6, PLUS = 5, OR = 3 };
    static const uint32_t apart[] = {64, 64, 128, 32, 4, 1};
    site s = make_site(true);
    bool turned = draw(3) == 0;
    s.count = 2;
    s.steps[0] =
        (value_step){.op = TIMES, .a = turned ? TID : COUNTER, .number = turned ? BLOCKS : apart[draw(6)]};
    s.steps[1] = (value_step){.op = draw(3) ? PLUS : OR, .a = 2, .b = turned ? COUNTER : TID, .both = true};
    s.value = 3, s.of = draw(4), s.extra = draw(4) ? 0 : 1024;
    return s;
}

static bool is_own_of_all(ls_buf *ptx, ls_detect_device *device) {
    ls_diags *diags = ls_diags_new();
    uint64_t at = UINT64_C(1) << 32;
    ls_detect_buffer buffer = {at, UINT64_C(1) << 31, NULL};
    ls_detect_launch launch = {.kernel = "k",
                               .grid = {BLOCKS, 1, 1},
                               .block = {BLOCK_THREADS, 1, 1},
                               .params = &at,
                               .params_size = sizeof at,
                               .buffers = &buffer,
                               .buffer_count = 1,
                               .as_it_is = "not run"};
    ls_detect_result *r = ls_detect_check(device, ptx->text, ptx->length, "random.ptx", &launch, NULL, diags);
    assert_int_equal(ls_diags_errors(diags), 0);
    bool own = r->unchecked_count == 0;
    ls_detect_result_free(r);
    ls_diags_free(diags);
    return own;
}

static void between_blocks(void **state) {
    (void)state;
    uint32_t own = 0, met = 0;
    ls_diags *diags = ls_diags_new();
    ls_detect_device *device = ls_detect_emulator(diags);
    const char *text = getenv("KERNELS");
    in_global = true;
    for (uint32_t seed = 1; seed <= (text ? (uint32_t)atoi(text) : 1500); seed++) {
        ls_buf ptx = {0};
        site sites[2];
        state_of_chance = seed * 2654435761u;
        ls_buf_puts(&ptx,
                    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                    "\t.reg .u32 %r<9>, %got;\n\t.reg .u64 %l<9>, %ptr;\n\t.reg .pred %p<9>;\n"
                    "\tld.param.u64 %ptr, [p];\n\tmov.u32 %r0, %tid.x;\n\tmov.u32 %r1, %ctaid.x;\n");
        for (uint32_t i = 0; i < 2; i++) {
            sites[i] = draw(3) ? make_spread_site() : make_site(true);
            if (!i) sites[i].writes = true;
            print_site(&ptx, &sites[i], i);
        }
        ls_buf_puts(&ptx, "\tret;\n}\n");
        bool said = is_own_of_all(&ptx, device);
        if (said && blocks_meet(sites, 2))
            fail_msg("seed %u: two threads meet in\n%s", seed, ls_buf_text(&ptx));
        own += said, met += !said && seed % 8 == 0 && blocks_meet(sites, 2);
        ls_buf_free(&ptx);
    }
    in_global = false;
    if (getenv("SHOW")) fprintf(stderr, "own %u, meeting %u of every eighth\n", own, met);
    assert_true(own > 30 && met > 10);
    ls_detect_device_free(device);
    ls_diags_free(diags);
}

static void without_a_loop(void **state) {
    (void)state;
    hold_against(straight, how_many(1500), 100);
}

static void with_a_loop(void **state) {
    (void)state;
    hold_against(in_a_loop, how_many(1500), 50);
}

/* A value that is made of the two before it, again and again: taking it apart comes to an end. */
static void used_twice(void **state) {
    (void)state;
    ls_diags *diags = ls_diags_new();
    ls_detect_device *device = ls_detect_emulator(diags);
    ls_buf ptx = {0};
    ls_buf_puts(&ptx,
                ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n\t.reg .u32 %r<99>;\n"
                "\t.shared .align 4 .b8 s[4096];\n\tmov.u32 %r0, %tid.x;\n");
    for (int i = 0; i < 90; i++)
        ls_buf_printf(&ptx, "\txor.b32 %%r%d, %%r%d, %%r%d;\n", i + 1, i, i ? i - 1 : 0);
    ls_buf_puts(&ptx,
                "\tmov.u32 %r95, s;\n\tadd.u32 %r95, %r95, %r90;\n\tst.shared.u32 [%r95], %r0;\n\tret;\n}\n");
    assert_false(is_said_to_be_own(&ptx, 64, device));
    ls_buf_free(&ptx);
    ls_detect_device_free(device);
    ls_diags_free(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_loop),
        cmocka_unit_test(with_a_loop),
        cmocka_unit_test(between_blocks),
        cmocka_unit_test(used_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
