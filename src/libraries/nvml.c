/* NVML on the emulated device: libnvidia-ml.so.1, by which programs ask which GPUs there are, by what name,
 * with how much memory and at which clocks. What an emulated GPU does not have (power, temperature, fans,
 * samples of its load) is answered as NVML does for a GPU without a sensor: not supported. */
#include "cuda/driver_api.h"

#include <stdio.h>
#include <string.h>

enum {
    OK = 0,
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    UNKNOWN = 999
};
enum { CLOCK_GRAPHICS, CLOCK_SM, CLOCK_MEMORY, CLOCK_VIDEO };
/* Attributes of the driver's. */
enum { CLOCK_RATE = 13, PCI_BUS = 33, PCI_DEVICE = 34, MEMORY_RATE = 36, BUS_WIDTH = 37, PCI_DOMAIN = 50 };
enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };
enum { MOST_DEVICES = 64, UUID_LENGTH = 40 };

typedef struct {
    int number;
} *device_handle;
typedef struct {
    unsigned long long total, free, used;
} memory_info;
typedef struct {
    unsigned version;
    unsigned long long total, reserved, free, used;
} memory_info_v2;
typedef struct {
    unsigned gpu, memory;
} utilization;
typedef struct {
    char old_bus_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
} pci_info;

#define NVML(name, ...)                                                                                      \
    EXPORTED int name(__VA_ARGS__);                                                                          \
    int name(__VA_ARGS__)

static int users; /* calls of nvmlInit without nvmlShutdown */
static struct {
    int number;
} devices[MOST_DEVICES];

/* --- The library --- */
NVML(nvmlInit_v2, void) {
    if (cuInit(0)) return UNKNOWN;
    users++;
    return OK;
}
NVML(nvmlInit, void) {
    return nvmlInit_v2();
}
NVML(nvmlInitWithFlags, unsigned flags) {
    (void)flags;
    return nvmlInit_v2();
}
NVML(nvmlShutdown, void) {
    if (!users) return UNINITIALIZED;
    users--;
    return OK;
}

EXPORTED const char *nvmlErrorString(int result);
const char *nvmlErrorString(int result) {
    static const struct {
        int result;
        const char *text;
    } texts[] = {{OK, "Success"},
                 {UNINITIALIZED, "Uninitialized"},
                 {INVALID_ARGUMENT, "Invalid Argument"},
                 {NOT_SUPPORTED, "Not Supported"},
                 {NOT_FOUND, "Not Found"},
                 {INSUFFICIENT_SIZE, "Insufficient Size"}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (texts[k].result == result) return texts[k].text;
    return "Unknown Error";
}

static int give_text(const char *text, char *to, unsigned room) {
    if (!users) return UNINITIALIZED;
    if (!to) return INVALID_ARGUMENT;
    if (strlen(text) >= room) return INSUFFICIENT_SIZE;
    memcpy(to, text, strlen(text) + 1);
    return OK;
}
/* The first driver of this version of CUDA. */
NVML(nvmlSystemGetDriverVersion, char *to, unsigned room) {
    return give_text("580.0", to, room);
}
NVML(nvmlSystemGetNVMLVersion, char *to, unsigned room) {
    return give_text("13.580.0", to, room);
}
NVML(nvmlSystemGetCudaDriverVersion_v2, int *version) {
    return cuDriverGetVersion(version) ? UNKNOWN : OK;
}
NVML(nvmlSystemGetCudaDriverVersion, int *version) {
    return nvmlSystemGetCudaDriverVersion_v2(version);
}

/* --- Devices --- */
NVML(nvmlDeviceGetCount_v2, unsigned *count) {
    int n = 0;
    if (!users) return UNINITIALIZED;
    if (!count) return INVALID_ARGUMENT;
    if (cuDeviceGetCount(&n)) return UNKNOWN;
    *count = (unsigned)n;
    return OK;
}
NVML(nvmlDeviceGetCount, unsigned *count) {
    return nvmlDeviceGetCount_v2(count);
}

NVML(nvmlDeviceGetHandleByIndex_v2, unsigned index, device_handle *out) {
    unsigned count;
    const int result = nvmlDeviceGetCount_v2(&count);
    if (result) return result;
    if (!out || index >= count || index >= MOST_DEVICES) return INVALID_ARGUMENT;
    devices[index].number = (int)index;
    *out = (device_handle)(void *)&devices[index];
    return OK;
}
NVML(nvmlDeviceGetHandleByIndex, unsigned index, device_handle *out) {
    return nvmlDeviceGetHandleByIndex_v2(index, out);
}

/* Its number; or what is wrong, which the caller returns. */
static int number_of(device_handle d, int *number) {
    const char *at = (const char *)d, *first = (const char *)devices;
    if (!users) return UNINITIALIZED;
    if (at < first || at >= first + sizeof devices) return INVALID_ARGUMENT;
    *number = d->number;
    return OK;
}
#define OF_DEVICE                                                                                            \
    int number;                                                                                              \
    const int result = number_of(d, &number);                                                                \
    if (result) return result

static int give_attribute(device_handle d, int attribute, unsigned divisor, unsigned *out) {
    OF_DEVICE;
    int value;
    if (!out) return INVALID_ARGUMENT;
    if (cuDeviceGetAttribute(&value, attribute, number)) return UNKNOWN;
    *out = (unsigned)value / divisor;
    return OK;
}

NVML(nvmlDeviceGetIndex, device_handle d, unsigned *index) {
    OF_DEVICE;
    *index = (unsigned)number;
    return OK;
}
NVML(nvmlDeviceGetMinorNumber, device_handle d, unsigned *minor) {
    return nvmlDeviceGetIndex(d, minor);
}
NVML(nvmlDeviceGetName, device_handle d, char *to, unsigned room) {
    OF_DEVICE;
    char name[96];
    return cuDeviceGetName(name, sizeof name, number) ? UNKNOWN : give_text(name, to, room);
}

static int uuid_of(int number, char text[UUID_LENGTH + 1]) {
    static const int dashes[] = {4, 6, 8, 10};
    unsigned char bytes[16];
    size_t at = 4, dash = 0;
    if (cuDeviceGetUuid_v2(bytes, number)) return UNKNOWN;
    memcpy(text, "GPU-", 4);
    for (int k = 0; k < 16; k++) {
        if (dash < sizeof dashes / sizeof *dashes && dashes[dash] == k) text[at++] = '-', dash++;
        at += (size_t)snprintf(text + at, 3, "%02x", bytes[k]);
    }
    return OK;
}
NVML(nvmlDeviceGetUUID, device_handle d, char *to, unsigned room) {
    OF_DEVICE;
    char text[UUID_LENGTH + 1];
    return uuid_of(number, text) ? UNKNOWN : give_text(text, to, room);
}
NVML(nvmlDeviceGetHandleByUUID, const char *uuid, device_handle *out) {
    unsigned count = 0;
    char text[UUID_LENGTH + 1];
    const int result = nvmlDeviceGetCount_v2(&count);
    for (unsigned k = 0; !result && k < count; k++)
        if (!uuid_of((int)k, text) && !strcmp(uuid, text)) return nvmlDeviceGetHandleByIndex_v2(k, out);
    return result ? result : NOT_FOUND;
}

NVML(nvmlDeviceGetPciInfo_v3, device_handle d, pci_info *out) {
    *out = (pci_info){0};
    int wrong = give_attribute(d, PCI_DOMAIN, 1, &out->domain);
    if (!wrong) wrong = give_attribute(d, PCI_BUS, 1, &out->bus);
    if (!wrong) wrong = give_attribute(d, PCI_DEVICE, 1, &out->device);
    if (wrong) return wrong;
    snprintf(out->bus_id, sizeof out->bus_id, "%08X:%02X:%02X.0", out->domain, out->bus & 255,
             out->device & 255);
    snprintf(out->old_bus_id, sizeof out->old_bus_id, "%04X:%02X:%02X.0", out->domain & 65535, out->bus & 255,
             out->device & 255);
    return OK;
}
NVML(nvmlDeviceGetPciInfo_v2, device_handle d, pci_info *out) {
    return nvmlDeviceGetPciInfo_v3(d, out);
}
NVML(nvmlDeviceGetPciInfo, device_handle d, pci_info *out) {
    return nvmlDeviceGetPciInfo_v3(d, out);
}
/* By the number of the domain in four digits or in eight. */
NVML(nvmlDeviceGetHandleByPciBusId_v2, const char *bus_id, device_handle *out) {
    int number;
    if (!users) return UNINITIALIZED;
    if (!bus_id) return INVALID_ARGUMENT;
    const bool is_long = strcspn(bus_id, ":") == 8;
    if (cuDeviceGetByPCIBusId(&number, bus_id + (is_long ? 4 : 0))) return NOT_FOUND;
    return nvmlDeviceGetHandleByIndex_v2((unsigned)number, out);
}
NVML(nvmlDeviceGetHandleByPciBusId, const char *bus_id, device_handle *out) {
    return nvmlDeviceGetHandleByPciBusId_v2(bus_id, out);
}

NVML(nvmlDeviceGetCudaComputeCapability, device_handle d, int *major, int *minor) {
    OF_DEVICE;
    const bool failed = cuDeviceGetAttribute(major, CAPABILITY_MAJOR, number) ||
                        cuDeviceGetAttribute(minor, CAPABILITY_MINOR, number);
    return failed ? UNKNOWN : OK;
}
NVML(nvmlDeviceGetMemoryBusWidth, device_handle d, unsigned *bits) {
    return give_attribute(d, BUS_WIDTH, 1, bits);
}

/* --- Memory, clocks, load --- */
NVML(nvmlDeviceGetMemoryInfo, device_handle d, memory_info *out) {
    OF_DEVICE;
    CUcontext context;
    size_t available = 0, total = 0;
    if (cuDevicePrimaryCtxRetain(&context, number) || cuCtxPushCurrent_v2(context)) return UNKNOWN;
    const int failed = cuMemGetInfo_v2(&available, &total);
    cuCtxPopCurrent_v2(&context);
    cuDevicePrimaryCtxRelease_v2(number);
    if (failed) return UNKNOWN;
    *out = (memory_info){total, available, total - available};
    return OK;
}
NVML(nvmlDeviceGetMemoryInfo_v2, device_handle d, memory_info_v2 *out) {
    memory_info info;
    const int wrong = nvmlDeviceGetMemoryInfo(d, &info);
    if (!wrong) *out = (memory_info_v2){out->version, info.total, 0, info.free, info.used};
    return wrong;
}

NVML(nvmlDeviceGetMaxClockInfo, device_handle d, int clock, unsigned *mhz) {
    if (clock < CLOCK_GRAPHICS || clock > CLOCK_VIDEO) return INVALID_ARGUMENT;
    return give_attribute(d, clock == CLOCK_MEMORY ? MEMORY_RATE : CLOCK_RATE, 1000, mhz);
}
NVML(nvmlDeviceGetClockInfo, device_handle d, int clock, unsigned *mhz) {
    return nvmlDeviceGetMaxClockInfo(d, clock, mhz);
}
NVML(nvmlDeviceGetApplicationsClock, device_handle d, int clock, unsigned *mhz) {
    return nvmlDeviceGetMaxClockInfo(d, clock, mhz);
}
/* Work is done when it is submitted: whoever asks finds it idle, and nothing slows it down. */
NVML(nvmlDeviceGetUtilizationRates, device_handle d, utilization *out) {
    OF_DEVICE;
    *out = (utilization){0};
    return OK;
}
NVML(nvmlDeviceGetCurrentClocksThrottleReasons, device_handle d, unsigned long long *reasons) {
    OF_DEVICE;
    *reasons = 0;
    return OK;
}
NVML(nvmlDeviceGetComputeMode, device_handle d, unsigned *mode) {
    OF_DEVICE;
    *mode = 0;
    return OK;
}

#define NO_SENSOR(name)                                                                                      \
    NVML(name, device_handle d) {                                                                            \
        OF_DEVICE;                                                                                           \
        return NOT_SUPPORTED;                                                                                \
    }
NO_SENSOR(nvmlDeviceGetPowerUsage)
NO_SENSOR(nvmlDeviceGetPowerManagementLimit)
NO_SENSOR(nvmlDeviceGetEnforcedPowerLimit)
NO_SENSOR(nvmlDeviceGetTotalEnergyConsumption)
NO_SENSOR(nvmlDeviceGetTemperature)
NO_SENSOR(nvmlDeviceGetTemperatureThreshold)
NO_SENSOR(nvmlDeviceGetFanSpeed)
NO_SENSOR(nvmlDeviceGetSamples)
