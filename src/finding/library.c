/* Which files are a library's: the folders that libraries are installed in tell, as the PTX of a file that
 * was compiled elsewhere says no more. */
#include "finding/library.h"

#include <string.h>

static const char *const FOLDERS[] = {"/usr/include/",
                                      "/usr/lib/",
                                      "/cuda/include/",
                                      "/include/cccl/",
                                      "/cccl/cub/",
                                      "/cccl/thrust/",
                                      "/cccl/cuda/",
                                      "/targets/",
                                      "share/lockstep/cuda/",
                                      "share/lockstep/libcu/",
                                      "share/lockstep/opencl/",
                                      "/libcudacxx/include/",
                                      "/cub/cub/",
                                      "/thrust/thrust/",
                                      "share/lockstep/toolkit/",
                                      "share/lockstep/nvcc/",
                                      "share/lockstep/summaries/"};

bool ls_is_library_file(const char *path) {
    if (!path || !strchr(path, '/')) return false;
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++)
        if (strstr(path, FOLDERS[i])) return true;
    return false;
}

bool ls_is_library_kernel(const char *name) {
    static const char *const NAMESPACES[] = {"_ZN3cub", "_ZN6thrust", "_ZN4cuda"};
    for (size_t i = 0; i < sizeof NAMESPACES / sizeof *NAMESPACES; i++)
        if (!strncmp(name, NAMESPACES[i], strlen(NAMESPACES[i]))) return true;
    return false;
}

bool ls_is_in_library(const ls_place *place) {
    while (place->at) place = place->at;
    return ls_is_library_file(place->file);
}
