//pass
//lockstep: verify --frontend clang
//proved .* gridDim.x ==
//
// Tiles that lose an element on both sides in each round: blocks write tiles of 256 - 2 * rounds elements. How long
// these are is a number of the launch, and only the guard says that a thread writes into its block's own.
#define SIZE 256

__global__ void margin(int rounds, int *out, int width) {
    int t = threadIdx.x, length = SIZE - rounds * 2;
    int x = length * blockIdx.x - rounds + t;
    if (t >= rounds && t <= SIZE - rounds - 1 && x >= 0 && x < width) out[x] = t;
}

// The same by a flag that the last round leaves.
__global__ void last_round(int rounds, int *out, int margin) {
    int t = threadIdx.x, length = SIZE - rounds * 2;
    int x = length * blockIdx.x - margin + t;
    bool inside = false;
    for (int i = 0; i < rounds; i++) {
        inside = t >= i + 1 && t <= SIZE - i - 2;
        if (i == rounds - 1) break;
    }
    if (inside) out[x] = t;
}

void run(int *out, int width, int height) {
    int length = SIZE - height * 2;
    margin<<<(width + length - 1) / length, SIZE>>>(height, out, width);
    last_round<<<width / length + (width % length != 0), SIZE>>>(height, out, height);
}
