// The sum of each row, the simple way: what `lockstep gate` holds others against.
// gate: size rows=1,5,20
// gate: size columns=32,33,100
// gate: in x=f32[rows * columns]
// gate: out sums=f32[rows]
// gate: grid rows
// gate: block 1
// gate: tolerance 1e-3
__global__ void row_sums(const float *x, float *sums, int columns) {
    float sum = 0;
    for (int i = 0; i < columns; i++) sum += x[blockIdx.x * columns + i];
    sums[blockIdx.x] = sum;
}
