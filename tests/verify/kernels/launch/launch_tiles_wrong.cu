//xfail:FOUND
//lockstep: verify --frontend clang
//error: write-write race on 'out' between threads of different blocks
//2 refuted
//
// Tiles that are one element too long on one side, and tiles that are told apart by a number that is less than their
// length: neighbouring blocks write the same elements.
#define SIZE 256

__global__ void longer(int rounds, int *out, int width) {
    int t = threadIdx.x, length = SIZE - rounds * 2;
    int x = length * blockIdx.x - rounds + t;
    if (t >= rounds && t <= SIZE - rounds && x >= 0 && x < width) out[x] = t;
}

__global__ void closer(int rounds, int *out, int width) {
    int t = threadIdx.x, length = SIZE - rounds * 2;
    int x = (length - 1) * blockIdx.x - rounds + t;
    if (t >= rounds && t <= SIZE - rounds - 1 && x >= 0 && x < width) out[x] = t;
}

void run(int *out, int width, int height) {
    int length = SIZE - height * 2;
    longer<<<(width + length - 1) / length, SIZE>>>(height, out, width);
    closer<<<(width + length - 1) / length, SIZE>>>(height, out, width);
}
