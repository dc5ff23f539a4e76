//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 2
//error: write-write race on 'b\.rows\.values' between threads of one block
//^  with: .*b\.count = [1-9]
//
// Memory that members of a structure point to is called by their names, as are numbers in it. A variable that is
// called packed makes no difference.
struct Rows {
    int *values;
    float scale[2];
};

struct Batch {
    Rows rows;
    int packed, count;
};

__global__ void store(Batch b) {
    if (b.count > 3) b.rows.values[threadIdx.x / 2] = threadIdx.x + b.packed;
}
