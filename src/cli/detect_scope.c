/* What a report says of how a launch was checked: what was shown before the run, what was watched or compared
 * in it, and how far that goes. The same for a FILE and for the launches of a program. */
#include "cli/detect_program.h"

#include <inttypes.h>

static void tell_shared(ls_report_kernel *kernel, const ls_detect_result *r) {
    if (r->checked_regions && r->watched)
        ls_report_scope(kernel, NULL, "shared memory: %u of %u barrier intervals watched while they ran",
                        r->checked_regions, r->regions);
    else if (r->checked_regions)
        ls_report_scope(kernel, NULL,
                        "shared memory: %u of %u barrier intervals compared, copies in %s memory",
                        r->checked_regions, r->regions, r->copies_in_shared ? "shared" : "global");
    if (r->own_regions)
        ls_report_scope(kernel, NULL,
                        "shared memory: in %u of %u barrier intervals every thread has its own part",
                        r->own_regions, r->regions);
    if (r->not_rehearsed && r->checked_regions)
        ls_report_scope(kernel, NULL,
                        "shared memory: the accesses of a block could not be computed before the run: %s",
                        r->not_rehearsed);
}

static void tell_global(ls_report_kernel *kernel, const ls_detect_result *r) {
    if (r->rounds)
        ls_report_scope(
            kernel, NULL,
            "global memory: %" PRIu64 " %s, %" PRIu64 " copies, %u of %u rounds, probability %.3f", r->units,
            r->units_are_warps ? "warps" : "blocks", r->copies, r->rounds_run, r->rounds, r->probability);
    else if (r->watched && r->units)
        ls_report_scope(kernel, NULL, "global memory: the accesses of %" PRIu64 " %s were watched", r->units,
                        r->units_are_warps ? "warps" : "blocks");
    if (r->inside_blocks)
        ls_report_scope(kernel, NULL, "global memory between warps of one block: %" PRIu64 " blocks %s",
                        r->inside_blocks, r->watched ? "watched" : "logged");
}

void ls_detect_tell_scope(ls_report_kernel *kernel, const ls_detect_result *r) {
    for (uint32_t i = 0; i < r->pruned_count; i++)
        ls_report_scope(kernel, NULL, "%s: every thread has its own part", r->pruned[i]);
    if (r->left && !r->unchecked_count)
        ls_report_scope(kernel, NULL,
                        "race-free by its offsets or a rehearsal%s, so it ran as the program has it",
                        r->from_disk ? ", as an earlier run showed" : "");
    tell_shared(kernel, r);
    tell_global(kernel, r);
}
