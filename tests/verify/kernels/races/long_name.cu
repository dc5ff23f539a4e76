//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//write-write race on 'a'
//
// Parameters are kept apart however long the name of the kernel is, which their names in the PTX begin with.
__global__ void kernel_with_a_name_as_long_as_those_that_templates_of_libraries_have_kernel_with_a_name_as_long_as_those_that_templates_of_libraries_have_kernel_with_a_name_as_long_as_those_that_templates_of_libraries_have_kernel_with_a_name_as_l(int *a, int n, int m) {
    if (n != m) a[0] = threadIdx.x;
}
