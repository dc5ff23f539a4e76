//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//mode = 5
//
// All of them, the last one, too; also of a scoped enum with a type of its own.
namespace grid { enum class Mode : unsigned char { ROWS = 3, COLUMNS, BOTH }; }
__global__ void k(grid::Mode mode, int *p) {
    if (mode == grid::Mode::BOTH) p[0] = threadIdx.x;
}
