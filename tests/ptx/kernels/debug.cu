// A small kernel with a call and a local array, for debug information (-G).
struct point { float x, y; };
__device__ float length2(point p) { return p.x * p.x + p.y * p.y; }
__global__ void debug(point *points, float *out, int n) {
    float parts[4];
    for (int i = 0; i < 4; i++) parts[i] = length2(points[(threadIdx.x + i) % n]);
    out[threadIdx.x] = parts[n & 3];
}
