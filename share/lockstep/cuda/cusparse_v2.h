/* See cusparse.h. */
#include "cusparse.h"
