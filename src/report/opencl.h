/* OpenCL's words for what is told of its kernels (opencl.c). */
#ifndef LS_REPORT_OPENCL_H
#define LS_REPORT_OPENCL_H

#include "base/buf.h"
#include "report/model.h"

/* The text in OpenCL's words. */
void ls_in_opencl_words(const char *text, ls_buf *out);
/* All that is told of the kernel; what was said so before stays. */
void ls_say_in_opencl_words(ls_report_kernel *kernel);

#endif
