/* A library that has cuSOLVER's name, and a function that fails as cuSOLVER's does without a GPU. */
int cusolverDnCreate(void **handle);
int cusolverDnCreate(void **handle) {
    enum { INTERNAL_ERROR = 7 };
    *handle = 0;
    return INTERNAL_ERROR;
}
