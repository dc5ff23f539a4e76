/* Libraries of NVIDIA's that a program is linked with and that nothing stands in for: they load, and then
 * fail or leave results out, mostly without a word, as their kernels are machine code for a GPU. The report
 * names them when the program starts, and leaves it unknown. */
#include "base/buf.h"
#include "cuda/driver.h"

#include <link.h>
#include <string.h>

static const struct {
    const char *prefix, *name;
} unreplaced[] = {
    {"libcudnn.so", "cuDNN"},
    {"libcusolver.so", "cuSOLVER"},
    {"libcusolverMg.so", "cuSOLVER for several GPUs"},
    {"libnccl.so", "NCCL"},
};

static int look(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size, (void)data;
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL,
               *file = slash ? slash + 1 : info->dlpi_name;
    for (size_t k = 0; file && k < sizeof unreplaced / sizeof *unreplaced; k++) {
        if (strncmp(file, unreplaced[k].prefix, strlen(unreplaced[k].prefix))) continue;
        ls_buf text = {0};
        ls_buf_printf(
            &text,
            "the program is linked with %s (%s), which has no code for the emulated GPU: its functions "
            "fail or leave results out. Build the program without it for this run, or run it on a "
            "GPU with 'lockstep detect'",
            unreplaced[k].name, file);
        ls_dev_failed(cu_dev(), ls_buf_text(&text));
        ls_buf_free(&text);
    }
    return 0;
}

/* All that a program is linked with is loaded when this runs. */
static __attribute__((constructor)) void look_at_libraries(void) {
    dl_iterate_phdr(look, NULL);
}
