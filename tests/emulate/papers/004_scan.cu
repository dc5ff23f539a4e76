// 004, §6: work-efficient scan; -DREMOVE=n leaves out the n-th barrier, -DAVOID pads against bank conflicts.
#ifndef REMOVE
#define REMOVE 0
#endif
#define BARRIER(n) if (REMOVE != n) __syncthreads()
#ifdef AVOID
#define AT(i) ((i) + ((i) >> 5))
#else
#define AT(i) (i)
#endif
#define N 256
__global__ void scan(const int *in, int *out) {
  __shared__ int t[N + N / 32];
  int id = threadIdx.x, offset = 1;
  t[AT(id)] = in[id]; // line 15
  t[AT(id + N / 2)] = in[id + N / 2];
  for (int d = N >> 1; d > 0; d >>= 1) {
    BARRIER(1);
    if (id < d) {
      int a = offset * (2 * id + 1) - 1, b = offset * (2 * id + 2) - 1;
      t[AT(b)] += t[AT(a)]; // line 21
    }
    offset *= 2;
  }
  if (id == 0) t[AT(N - 1)] = 0; // line 25
  for (int d = 1; d < N; d *= 2) {
    offset >>= 1;
    BARRIER(2);
    if (id < d) {
      int a = offset * (2 * id + 1) - 1, b = offset * (2 * id + 2) - 1;
      int v = t[AT(a)]; // line 31
      t[AT(a)] = t[AT(b)];
      t[AT(b)] += v;
    }
  }
  BARRIER(3);
  out[id] = t[AT(id)]; // line 37
  out[id + N / 2] = t[AT(id + N / 2)];
}
