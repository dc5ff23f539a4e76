// Functions of libraries that it is not linked with, and a line that both compilations warn of.
#ifdef SOLVED
extern "C" int cusolverDnCreate(void **);
#else
extern "C" int omp_get_thread_num();
#endif

int main() {
    char *text = "text";
#ifdef SOLVED
    void *handle;
    return cusolverDnCreate(&handle) + *text;
#else
    return omp_get_thread_num() + *text;
#endif
}
