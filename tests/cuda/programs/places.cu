// Calls in functions that the compiler has inlined are told at their lines, and who called them.
//: flags -O2 -g
//: finds memory.bounds
//: finds memory.leak
//: says places.cu:19: note: the allocation of 400 bytes by cudaMalloc, in make
//: says places.cu:27: note: called from main
//: says places.cu:23: note: launched here, in fill_more
//: says places.cu:28: note: called from main
//: says in the host code:
//: says places.cu:19: note: 400 bytes from cudaMalloc were never freed [memory.leak]
//: says 1 kernel and the host code: 1 refuted
__global__ void fill(int *a, int n) {
    int i = threadIdx.x;
    if (i < n) a[i] = i;
}

static int *make(int n) {
    int *p = nullptr;
    cudaMalloc(&p, n * sizeof(int));
    return p;
}
static void fill_more(int *a) {
    fill<<<1, 128>>>(a, 101);
}

int main() {
    int *a = make(100);
    fill_more(a);
    cudaDeviceSynchronize();
    return 0;
}
