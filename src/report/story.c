/* Findings told as stories: which thread does what, to which element, where. The same words in every
 * subcommand and format; OpenCL kernels are spoken of in OpenCL's words. */
#include "report/print.h"

#include <inttypes.h>

/* Where two sizes are all that there is to say, a thread or a block is one number. */
static bool is_plain(const uint32_t at[3], const uint32_t size[3]) {
    return at[1] == 0 && at[2] == 0 && size[1] <= 1 && size[2] <= 1;
}

static void put_index(ls_buf *out, const uint32_t at[3], const uint32_t size[3]) {
    if (is_plain(at, size))
        ls_buf_printf(out, "%" PRIu32, at[0]);
    else if (size[2] <= 1 && at[2] == 0)
        ls_buf_printf(out, "(%" PRIu32 ",%" PRIu32 ")", at[0], at[1]);
    else
        ls_buf_printf(out, "(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", at[0], at[1], at[2]);
}

void ls_print_actor(ls_buf *out, const ls_finding *finding, const ls_actor *actor) {
    const ls_report_kernel *kernel = finding->kernel;
    const char *thread = kernel->opencl ? "work-item" : "thread";
    if (actor->has_thread) {
        ls_buf_printf(out, "%s ", thread);
        put_index(out, actor->thread, kernel->block);
    } else if (actor->has_warp) {
        ls_buf_printf(out, "a %s of warp %" PRIu32, thread, actor->warp);
    } else {
        ls_buf_printf(out, "another %s", thread);
    }
    bool one_block = kernel->grid[0] == 1 && kernel->grid[1] <= 1 && kernel->grid[2] <= 1;
    if (!actor->has_block || one_block) return;
    ls_buf_printf(out, " of %s ", kernel->opencl ? "work-group" : "block");
    put_index(out, actor->block, kernel->grid);
}

void ls_print_subject(ls_buf *out, const ls_story *story) {
    if (story->element)
        ls_buf_puts(out, story->element);
    else if (story->has_byte && story->object)
        ls_buf_printf(out, "byte %" PRIu64 " of '%s'", story->byte, story->object);
    else if (story->object)
        ls_buf_printf(out, "'%s'", story->object);
    else if (story->has_byte)
        ls_buf_printf(out, "address 0x%" PRIx64, story->byte);
    else
        ls_buf_puts(out, "it");
}

void ls_print_act(ls_buf *out, const ls_finding *finding, const ls_actor *actor) {
    ls_print_actor(out, finding, actor);
    if (!actor->does && actor->next && !actor->next->place.file) { /* both do, and they differ in it */
        ls_buf_puts(out, " and ");
        ls_print_actor(out, finding, actor->next);
        ls_buf_puts(out, " disagree");
    }
    if (!actor->does) return;
    ls_buf_printf(out, " %s", actor->does);
    const ls_story *story = finding->story;
    if (!story->element && !story->object && !story->has_byte) return; /* the verb says it all */
    ls_buf_putc(out, ' ');
    ls_print_subject(out, story);
}
