//xfail:NOT_ALL_VERIFIED
//lockstep: check --block 64 --grid 1 --frontend clang
//race
//
// How long the array is would take 24^6 look-ups to find out for who shows which element of it is meant.
constexpr int A7 = 1;
constexpr int A6 = A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7 * A7;
constexpr int A5 = A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6 * A6;
constexpr int A4 = A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5 * A5;
constexpr int A3 = A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4 * A4;
constexpr int A2 = A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3 * A3;
constexpr int A1 = A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2 * A2;

__global__ void k(float *p) {
    __shared__ float s[64 * A1];
    s[threadIdx.x / 2] = 1.0f;
    p[threadIdx.x] = s[threadIdx.x / 2 + 1];
}
