// A kernel for excerpts in reports: never compiled.
__global__ void scan(int *out, const int *in) {
    __shared__ int s[64];
	s[threadIdx.x] = in[threadIdx.x];	// é: two bytes; tabs
    s[threadIdx.x] += s[threadIdx.x - 1];
    /* 目 */ out[threadIdx.x * 17] = s[threadIdx.x];
}
