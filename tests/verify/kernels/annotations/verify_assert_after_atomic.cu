//xfail:FOUND
//--block=4 --grid=1
//lockstep: verify
//assertion can fail
//confirmed in the emulator

__global__ void k(int *count) {
    if (threadIdx.x == 0) {
        *count = 0;
        atomicAdd(count, 2);
        __assert(*count == 0);
    }
}
