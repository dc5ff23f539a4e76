/* What a program asks NVML: which GPUs there are, what they are called and how much memory they have; handles
 * that are wrong, and sensors that an emulated GPU does not have. */
#include <stdio.h>
#include <string.h>

typedef struct device *device;
typedef struct {
    unsigned long long total, free, used;
} memory;
typedef struct {
    char old_bus_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
} pci;

int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int result);
int nvmlSystemGetDriverVersion(char *to, unsigned room);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, device *out);
int nvmlDeviceGetHandleByUUID(const char *uuid, device *out);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, device *out);
int nvmlDeviceGetName(device d, char *to, unsigned room);
int nvmlDeviceGetUUID(device d, char *to, unsigned room);
int nvmlDeviceGetIndex(device d, unsigned *index);
int nvmlDeviceGetMemoryInfo(device d, memory *out);
int nvmlDeviceGetPciInfo_v3(device d, pci *out);
int nvmlDeviceGetClockInfo(device d, int clock, unsigned *mhz);
int nvmlDeviceGetUtilizationRates(device d, unsigned *out);
int nvmlDeviceGetCudaComputeCapability(device d, int *major, int *minor);
int nvmlDeviceGetPowerUsage(device d, unsigned *milliwatts);
int nvmlDeviceGetBrand(device d, unsigned *brand);

static int failures;
#define CHECK(what)                                                                                          \
    do {                                                                                                     \
        if (!(what)) printf("line %d: %s\n", __LINE__, #what), failures++;                                   \
    } while (0)

static void one_device(void) {
    device d, again;
    char text[96];
    unsigned index, mhz, rates[2];
    int major, minor;
    memory m;
    pci place;
    CHECK(nvmlDeviceGetHandleByIndex_v2(1, &d) == 0);
    CHECK(nvmlDeviceGetName(d, text, sizeof text) == 0 && !strcmp(text, "NVIDIA H200"));
    CHECK(nvmlDeviceGetName(d, text, 4) == 7);
    CHECK(nvmlDeviceGetIndex(d, &index) == 0 && index == 1);
    CHECK(nvmlDeviceGetUUID(d, text, sizeof text) == 0 && strlen(text) == 40 && !strncmp(text, "GPU-", 4));
    CHECK(nvmlDeviceGetHandleByUUID(text, &again) == 0 && again == d);
    CHECK(nvmlDeviceGetHandleByUUID("GPU-0", &again) == 6);
    CHECK(nvmlDeviceGetPciInfo_v3(d, &place) == 0);
    CHECK(nvmlDeviceGetHandleByPciBusId_v2(place.bus_id, &again) == 0 && again == d);
    CHECK(nvmlDeviceGetHandleByPciBusId_v2(place.old_bus_id, &again) == 0 && again == d);
    CHECK(nvmlDeviceGetMemoryInfo(d, &m) == 0 && m.total > 1ull << 32 && m.free + m.used == m.total);
    CHECK(nvmlDeviceGetClockInfo(d, 1, &mhz) == 0 && mhz > 100 && mhz < 10000);
    CHECK(nvmlDeviceGetClockInfo(d, 9, &mhz) == 2);
    CHECK(nvmlDeviceGetUtilizationRates(d, rates) == 0 && rates[0] <= 100);
    CHECK(nvmlDeviceGetCudaComputeCapability(d, &major, &minor) == 0 && major == 9 && minor == 0);
    CHECK(nvmlDeviceGetPowerUsage(d, &mhz) == 3 && !strcmp(nvmlErrorString(3), "Not Supported"));
    CHECK(nvmlDeviceGetBrand(d, &mhz) == 3); /* named in the report */
}

int main(void) {
    unsigned count = 0;
    device d;
    char version[80];
    CHECK(nvmlDeviceGetCount_v2(&count) == 1); /* before nvmlInit */
    CHECK(nvmlInit_v2() == 0);
    CHECK(nvmlSystemGetDriverVersion(version, sizeof version) == 0 && version[0]);
    CHECK(nvmlDeviceGetCount_v2(&count) == 0 && count == 2);
    CHECK(nvmlDeviceGetHandleByIndex_v2(2, &d) == 2);
    CHECK(nvmlDeviceGetName(NULL, version, sizeof version) == 2);
    one_device();
    CHECK(nvmlShutdown() == 0 && nvmlShutdown() == 1);
    printf("%d failures\n", failures);
    return failures != 0;
}
