/* Everything that this header of the CUDA toolkit has is in lockstep_cuda.h already. */
#include "lockstep_cuda.h"
