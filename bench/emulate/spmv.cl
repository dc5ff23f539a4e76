// Sparse matrix times vector, 16 elements in each row, a row for each item: gathers through loaded indices.
__kernel void spmv(__global const float *values, __global const uint *columns, __global const float *x,
                   __global float *y, int n) {
    int row = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < 16; k++) {
        int at = k * n + row;
        sum += values[at] * x[(columns[at] >> 3) & (n - 1)];
    }
    y[row] = sum;
}
