/* In helper_functions.h. */
#include "helper_functions.h"
