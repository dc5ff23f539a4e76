/* A program that loads a library while it runs, twice: as a file, and under the name of NVIDIA's compiler;
 * and the driver and cuBLAS by paths of another folder, as Python's packages do. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int devices_of(void *library, int *early) {
    int (*devices)(int *);
    void *f = library ? dlsym(library, "devices") : NULL;
    memcpy(&devices, &f, sizeof f);
    return f ? devices(early) : -1;
}

static void *function(void *library, const char *name) {
    void *f = library ? dlsym(library, name) : NULL;
    if (!f) fprintf(stderr, "%s: %s\n", name, dlerror());
    return f;
}

int main(int count, char **paths) {
    if (count < 3) return 2;
    int (*get)(void *, char *), (*version)(int *), early = -1, number = 0;
    for (int times = 0; times < 2; times++) {
        void *library = dlopen(paths[1], RTLD_NOW);
        const int now = devices_of(library, &early);
        printf("devices: %d when loaded, %d now\n", early, now);
        if (library) dlclose(library);
    }
    void *f;
    char text[64] = "nothing";
    f = function(dlopen(paths[2], RTLD_NOW | RTLD_LOCAL), "nvrtcGetCUBIN");
    memcpy(&get, &f, sizeof f);
    if (f && !get(text, text)) printf("compiled: %s\n", text);
    f = function(dlopen("/there/is/no/such/folder/libcuda.so.1", RTLD_NOW), "cuDriverGetVersion");
    memcpy(&version, &f, sizeof f);
    if (f && !version(&number)) printf("driver: %d\n", number);
    f = function(dlopen("/there/is/no/such/folder/libcublas.so.13", RTLD_NOW), "cublasCreate_v2");
    printf("cuBLAS: %s\n", f ? "there" : "missing");
    return 0;
}
