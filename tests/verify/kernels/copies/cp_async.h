// Copies in the background, as the intrinsics of <cuda_pipeline.h> make them.
#define COPY(to, from)                                                                                       \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)),   \
                 "l"(from)                                                                                   \
                 : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n)  asm volatile("cp.async.wait_group " #n ";" ::: "memory")
