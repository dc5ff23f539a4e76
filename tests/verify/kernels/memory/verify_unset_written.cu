//xfail:FOUND
//--block=2 --grid=1
//
// Both threads write what they never set: it differs, or may.

struct pair {
    short x, y;
};

__global__ void k(pair *pairs) {
    pair unset;
    pairs[3] = unset;
}
