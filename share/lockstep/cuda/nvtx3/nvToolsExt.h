/* NVTX 3. */
#include "../nvToolsExt.h"
