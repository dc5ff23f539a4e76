/* OpenMP's functions for host code, where the compiler's own header is not installed. */
#ifndef LS_OMP_H
#define LS_OMP_H
#if __has_include_next(<omp.h>)
#include_next <omp.h>
#else
extern "C" {
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
void omp_set_num_threads(int);
double omp_get_wtime(void);
}
#endif
#endif
