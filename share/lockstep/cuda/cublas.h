/* The older name. */
#include "cublas_v2.h"
