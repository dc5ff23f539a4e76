//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 1 --frontend clang
//race
//
// How this one lies in memory is not what its members say: the number lies where the enum would.
enum Mode { ROWS, COLUMNS, BOTH };
#pragma pack(push, 1)
struct Options {
    char c;
    int number;
    Mode mode;
    char filler[3];
};
#pragma pack(pop)
__global__ void k(Options o, int *p) {
    if (o.number == 100000) p[0] = threadIdx.x;
}
