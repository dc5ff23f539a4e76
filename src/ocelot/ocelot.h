/* The one function of libgpuocelot, which programs load by name (ctypes, dlopen): GPU Ocelot's entry for
 * running PTX on the host, as tinygrad's mock of the CUDA driver uses it. */
#ifndef LS_OCELOT_H
#define LS_OCELOT_H

/* Runs the first kernel of a PTX module. args[k] is the k-th parameter itself, not a pointer to it: a pointer
 * to memory of the caller, which the kernel uses in place, or a scalar in the low bytes. Returns 0 where the
 * kernel ran to its end; else nonzero, and the reason is on standard error, since callers of the original
 * take no result. */
int ptx_run(const char *source, int n_args, void *args[], int block_x, int block_y, int block_z, int grid_x,
            int grid_y, int grid_z, int shared_bytes);

#endif
