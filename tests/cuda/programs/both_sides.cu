// Atomic objects in managed memory, which the host and the device use; also volatile ones.
//: output 97 7 101 100 3 9
#include <cuda/atomic>
#include <cuda/std/atomic>
#include <cstdio>

struct status {
    cuda::atomic<int, cuda::thread_scope_system> flag, least, most;
};

__global__ void count(volatile cuda::atomic<int> *a, status *s, cuda::std::atomic<unsigned> *u) {
    a->fetch_add(2);
    (*a)++;
    s->flag.store(7, cuda::std::memory_order_release);
    (*u) += 3;
}

int main() {
    cuda::atomic<int> *a;
    status *s;
    cuda::std::atomic<unsigned> *u;
    cudaMallocManaged(&a, sizeof *a);
    cudaMallocManaged(&s, sizeof *s);
    cudaMallocManaged(&u, sizeof *u);
    a->store(1);
    s->flag = 0;
    s->least = 5, s->most = -5;
    *u = 5;
    count<<<1, 32>>>(a, s, u);
    cudaDeviceSynchronize();
    s->least.fetch_min(3), s->least.fetch_min(4);
    s->most.fetch_max(9), s->most.fetch_max(-9);
    volatile cuda::atomic<int> *v = a;
    const int counted = v->load(cuda::std::memory_order_acquire);
    const unsigned before = u->fetch_sub(1);
    printf("%d %d %u %u %d %d\n", counted, (int)s->flag, before, u->load(), s->least.load(), s->most.load());
    cudaFree(a);
    cudaFree(s);
    cudaFree(u);
}
