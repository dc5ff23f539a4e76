// 004, Figure 2: strided accesses, without bank conflicts or (-DCONFLICTS=1) with as many as there can be.
#ifndef CONFLICTS
#define CONFLICTS 0
#endif
extern __shared__ int mem[];
__global__ void k(int *out, int iters) {
  int min, stride, max, i, j;
  int id = threadIdx.x;
  int num_banks = 16;
  char cause_bank_conflicts = CONFLICTS;
  if (cause_bank_conflicts) {
    min = id * num_banks;
    stride = 1;
    max = (id + 1) * num_banks;
  } else {
    min = id;
    stride = num_banks;
    max = (stride * (num_banks - 1)) + min + 1;
  }
  for (j = min; j < max; j += stride)
    mem[j] = 0;  // [clear]
  for (i = 0; i < iters; i++)
    for (j = min; j < max; j += stride)
      mem[j]++;  // [add]
  for (j = min; j < max; j += stride)
    out[j] = mem[j];  // [copy]
}

//: k --block 16 --grid 1 --shared 1024 --arg 's32[256]' --arg 2 --banks 16 --warp-size 16 --source-shaped --check bank,race,bounds => nothing
//: k --block 16 --grid 1 --shared 1024 --arg 's32[256]' --arg 2 --banks 16 --warp-size 16 --source-shaped -D CONFLICTS=1 --check bank => bank-conflict clear, bank-conflict add, bank-conflict copy
