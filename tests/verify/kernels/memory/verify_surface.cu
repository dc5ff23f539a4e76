//unknown
//lockstep: verify
//not known what memory is accessed here .sust
//
// All threads write one place of a surface, which is not modelled.
__global__ void paint(cudaTextureObject_t image, cudaSurfaceObject_t surface) {
    surf2Dwrite(tex2D<float>(image, threadIdx.x, 1.0f), surface, 0, 0);
}
