/* OpenGL interoperation: in lockstep_cuda.h. */
#include "lockstep_cuda.h"
