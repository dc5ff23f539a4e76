//pass
//lockstep: verify
//assumes that the kernel does not write the memory that its textures read
//
// Reads of a texture race with nothing.
__global__ void sample(cudaTextureObject_t image, float *out, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width) out[x] = tex2D<float>(image, x + 0.5f, 1.0f) + tex1Dfetch<float>(image, x);
}
