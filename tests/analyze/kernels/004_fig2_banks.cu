// 004, Figure 2, for 32 banks: with the flag every thread walks along its own row, so that all threads of a warp
// are in one bank at a time; without it they walk along columns, and no two are in one bank.
template <bool cause_bank_conflicts> __device__ void walk(int *out, int n) {
    __shared__ int mem[32 * 32];
    int id = threadIdx.x, num_banks = 32;
    int min = cause_bank_conflicts ? id * num_banks : id;
    int stride = cause_bank_conflicts ? 1 : num_banks;
    int max = cause_bank_conflicts ? (id + 1) * num_banks : stride * (num_banks - 1) + id + 1;
    for (int k = 0; k < n; k++)
        for (int j = min; j < max; j += stride) mem[j] = k;
    __syncthreads();
    out[id] = mem[id];
}
__global__ void __launch_bounds__(32) conflicts(int *out, int n) { walk<true>(out, n); }
__global__ void __launch_bounds__(32) no_conflicts(int *out, int n) { walk<false>(out, n); }
