//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 1
//write-read race on 's' .* \(5 times\)
//the same here, and in 1 more line
//read-write race on 'out' .* \(4 times\)
//2 kernels: 2 refuted; 2 errors
//
// One missing barrier shows at many lines, and so does an element that all threads write: each is one finding.
__global__ void missing(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    int a = s[(threadIdx.x + 1) % 64];
    int b = s[(threadIdx.x + 2) % 64];
    int c = s[(threadIdx.x + 3) % 64];
    int d = s[(threadIdx.x + 4) % 64];
    int e = s[(threadIdx.x + 5) % 64];
    out[threadIdx.x] = a + b + c + d + e;
}

struct point {
    float x, y, z, w;
};

__global__ void sum(point *out, const point *in) {
    out[0].x += in[threadIdx.x].x;
    out[0].y += in[threadIdx.x].y;
    out[0].z += in[threadIdx.x].z;
    out[0].w += in[threadIdx.x].w;
}
