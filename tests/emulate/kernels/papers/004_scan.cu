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
  t[AT(id)] = in[id];  // [l15]
  t[AT(id + N / 2)] = in[id + N / 2];  // [l16]
  for (int d = N >> 1; d > 0; d >>= 1) {
    BARRIER(1);
    if (id < d) {
      int a = offset * (2 * id + 1) - 1, b = offset * (2 * id + 2) - 1;
      t[AT(b)] += t[AT(a)];  // [l21]
    }
    offset *= 2;
  }
  if (id == 0) t[AT(N - 1)] = 0;  // [l25]
  for (int d = 1; d < N; d *= 2) {
    offset >>= 1;
    BARRIER(2);
    if (id < d) {
      int a = offset * (2 * id + 1) - 1, b = offset * (2 * id + 2) - 1;
      int v = t[AT(a)];  // [l31]
      t[AT(a)] = t[AT(b)];  // [l32]
      t[AT(b)] += v;  // [l33]
    }
  }
  BARRIER(3);
  out[id] = t[AT(id)];  // [l37]
  out[id + N / 2] = t[AT(id + N / 2)];  // [l38]
}

//: scan --block 128 --grid 1 --arg 's32[256]=ones' --arg 's32[256]' --source-shaped => nothing
//: scan --block 128 --grid 1 --arg 's32[256]=ones' --arg 's32[256]' --source-shaped -D AVOID => nothing
//: scan --block 128 --grid 1 --arg 's32[256]=ones' --arg 's32[256]' --source-shaped -D REMOVE=1 => race.shared l15 l21, race.shared l16 l21, race.shared l21, race.shared l21 l25
//: scan --block 128 --grid 1 --arg 's32[256]=ones' --arg 's32[256]' --source-shaped -D REMOVE=2 => race.shared l32, race.shared l32 l33, race.shared l33
//: scan --block 128 --grid 1 --arg 's32[256]=ones' --arg 's32[256]' --source-shaped -D REMOVE=3 => race.shared l32, race.shared l32 l37, race.shared l32 l38, race.shared l33, race.shared l33 l37, race.shared l33 l38
