/* NVTX before it had a folder. */
#include "nvtx3/nvToolsExtCudaRt.h"
