// Functions of libraries that it is not linked with, one that only looks like that, and a line that both compilations
// warn of.
#if defined(SOLVED)
extern "C" int cusolverDnCreate(void **);
#elif defined(OWN)
int glow(int);
extern "C" int global();
#else
extern "C" int omp_get_thread_num();
#endif

int main() {
    char *text = "text";
#if defined(SOLVED)
    void *handle;
    return cusolverDnCreate(&handle) + *text;
#elif defined(OWN)
    return glow(*text) + global();
#else
    return omp_get_thread_num() + *text;
#endif
}
