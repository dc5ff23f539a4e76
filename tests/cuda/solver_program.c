/* A program linked with cuSOLVER, which does not look at what its functions return: without a word of the
 * report it would seem to be right. */
#include <stdio.h>

int cusolverDnCreate(void **handle);

int main(void) {
    void *handle;
    cusolverDnCreate(&handle);
    printf("done\n");
    return 0;
}
