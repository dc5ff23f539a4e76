/* Files and comparisons of NVIDIA's samples, for programs (see helper_cuda.h): PGM and PPM pictures, lists of
 * numbers, and whether two arrays agree. */
#include "helper_functions.h"
#if defined(LS_HELPERS_WHOLE) && !defined(LS_HELPER_IMAGE_H)
#define LS_HELPER_IMAGE_H
#ifdef __clang__
#pragma clang system_header
#endif
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
/* The next number of a picture's header, behind white space and comments. */
inline bool ls_header_number(FILE *file, unsigned *number) {
    for (int c; (c = fgetc(file)) != EOF;) {
        if (c == '#')
            while (c != '\n' && c != EOF) c = fgetc(file);
        else if (c > ' ')
            return ungetc(c, file), fscanf(file, "%u", number) == 1;
    }
    return false;
}
/* The picture's bytes in memory of malloc; `channels` is 1 (P5) or 3 (P6). */
inline bool __loadPPM(const char *name, unsigned char **data, unsigned *width, unsigned *height, unsigned *channels) {
    FILE *file = fopen(name, "rb");
    char kind[3] = "";
    unsigned most = 0;
    bool good = file && fread(kind, 1, 2, file) == 2 && (!strcmp(kind, "P5") || !strcmp(kind, "P6")) &&
                ls_header_number(file, width) && ls_header_number(file, height) && ls_header_number(file, &most) &&
                most < 256;
    *channels = kind[1] == '6' ? 3 : 1;
    size_t size = good ? (size_t)*width * *height * *channels : 0;
    unsigned char *bytes = good ? (unsigned char *)malloc(size ? size : 1) : nullptr;
    good = bytes && fgetc(file) != EOF && fread(bytes, 1, size, file) == size;
    if (file) fclose(file);
    if (!good) return fprintf(stderr, "%s cannot be read as a PGM or PPM picture\n", name), free(bytes), false;
    return *data = bytes, true;
}
inline bool __savePPM(const char *name, const unsigned char *data, unsigned width, unsigned height, unsigned channels) {
    FILE *file = fopen(name, "wb");
    size_t size = (size_t)width * height * channels;
    bool good = file && fprintf(file, "P%c\n%u\n%u\n255\n", channels == 3 ? '6' : '5', width, height) > 0 &&
                fwrite(data, 1, size, file) == size;
    return file ? !fclose(file) && good : false;
}
/* Bytes stay bytes; of other types they become numbers from 0 to 1, and back. */
template <class T> inline T ls_pixel(unsigned char byte) { return (T)byte / (T)255; }
template <> inline unsigned char ls_pixel(unsigned char byte) { return byte; }
template <class T> inline unsigned char ls_byte(T pixel) { return (unsigned char)(pixel * (T)255); }
template <> inline unsigned char ls_byte(unsigned char pixel) { return pixel; }
template <class T> inline bool ls_load(const char *name, T **data, unsigned *width, unsigned *height, unsigned wanted) {
    unsigned char *bytes;
    unsigned channels;
    if (!__loadPPM(name, &bytes, width, height, &channels)) return false;
    size_t count = (size_t)*width * *height;
    if (channels != (wanted == 1 ? 1 : 3)) return free(bytes), false;
    if (!*data) *data = (T *)malloc(count * wanted * sizeof(T));
    for (size_t i = 0; i < count; i++)
        for (unsigned c = 0; c < wanted; c++)
            (*data)[i * wanted + c] = c < channels ? ls_pixel<T>(bytes[i * channels + c]) : (T)0;
    return free(bytes), true;
}
template <class T> inline bool sdkLoadPGM(const char *name, T **data, unsigned *width, unsigned *height) {
    return ls_load(name, data, width, height, 1);
}
template <class T> inline bool sdkLoadPPM4(const char *name, T **data, unsigned *width, unsigned *height) {
    return ls_load(name, data, width, height, 4);
}
inline bool sdkLoadPPM4ub(const char *name, unsigned char **data, unsigned *width, unsigned *height) {
    return ls_load(name, data, width, height, 4);
}
template <class T> inline bool ls_save(const char *name, const T *data, unsigned width, unsigned height, unsigned from) {
    unsigned channels = from == 1 ? 1 : 3;
    std::vector<unsigned char> bytes((size_t)width * height * channels);
    for (size_t i = 0; i < (size_t)width * height; i++)
        for (unsigned c = 0; c < channels; c++) bytes[i * channels + c] = ls_byte<T>(data[i * from + c]);
    return __savePPM(name, bytes.data(), width, height, channels);
}
template <class T> inline bool sdkSavePGM(const char *name, T *data, unsigned width, unsigned height) {
    return ls_save(name, data, width, height, 1);
}
template <class T> inline bool sdkSavePPM4(const char *name, T *data, unsigned width, unsigned height) {
    return ls_save(name, data, width, height, 4);
}
inline bool sdkSavePPM4ub(const char *name, unsigned char *data, unsigned width, unsigned height) {
    return ls_save(name, data, width, height, 4);
}
template <class T> inline bool sdkReadFile(const char *name, T **data, unsigned *count, bool = false) {
    std::ifstream file(name);
    std::vector<T> numbers;
    for (T number; file >> number;) numbers.push_back(number);
    if (numbers.empty() || (*data && *count != numbers.size())) return false;
    if (!*data) *data = (T *)malloc(numbers.size() * sizeof(T));
    std::copy(numbers.begin(), numbers.end(), *data);
    return *count = (unsigned)numbers.size(), true;
}
template <class T, class E>
inline bool sdkWriteFile(const char *name, const T *data, unsigned count, const E &epsilon, bool = false, bool append = false) {
    std::ofstream file(name, append ? std::ios::app : std::ios::out);
    file << "# " << epsilon << "\n";
    for (unsigned i = 0; i < count; i++) file << data[i] << ' ';
    file << "\n";
    return (bool)file;
}
/* How many elements differ by more than epsilon may be a part of all: `threshold`, 0 for none. */
template <class T, class E>
inline bool compareData(const T *reference, const T *data, unsigned count, E epsilon, float threshold) {
    unsigned differ = 0;
    for (unsigned i = 0; i < count; i++) {
        float distance = std::fabs((float)reference[i] - (float)data[i]);
        differ += !(distance <= (float)epsilon);
    }
    return threshold == 0 ? !differ : (float)count * threshold > (float)differ;
}
template <class T, class E>
inline bool compareDataAsFloatThreshold(const T *reference, const T *data, unsigned count, E epsilon, float threshold) {
    return compareData(reference, data, count, std::fmax((float)epsilon, 5e-3f), threshold);
}
/* The distance in relation to the reference. */
inline bool sdkCompareL2fe(const float *reference, const float *data, unsigned count, float epsilon) {
    double distance = 0, length = 0;
    for (unsigned i = 0; i < count; i++) {
        double by = (double)reference[i] - (double)data[i];
        distance += by * by, length += (double)reference[i] * (double)reference[i];
    }
    if (length < 1e-14) return fprintf(stderr, "the reference's L2 norm is 0\n"), false;
    return std::sqrt(distance) / std::sqrt(length) < (double)epsilon;
}
/* An array against the numbers in a binary file. */
template <class T>
inline bool ls_compare_file(const char *name, const T *data, unsigned count, float epsilon, float threshold, char *executable) {
    char *path = sdkFindFilePath(name, executable);
    FILE *file = path ? fopen(path, "rb") : nullptr;
    std::vector<T> reference(count);
    bool good = file && fread(reference.data(), sizeof(T), count, file) == count;
    if (file) fclose(file);
    free(path);
    return good && compareData(reference.data(), data, count, epsilon, threshold);
}
template <class T>
inline bool sdkCompareBin2BinUint(const char *name, const T *data, unsigned count, float epsilon, float threshold, char *executable) {
    return ls_compare_file(name, data, count, epsilon, threshold, executable);
}
template <class T>
inline bool sdkCompareBin2BinFloat(const char *name, const T *data, unsigned count, float epsilon, float threshold, char *executable) {
    return ls_compare_file(name, data, count, epsilon, threshold, executable);
}
/* Two pictures, byte by byte. */
inline bool ls_compare_pictures(const char *name, const char *reference, float epsilon, float threshold) {
    unsigned char *one, *other;
    unsigned width, height, channels, size[3];
    if (!__loadPPM(name, &one, &width, &height, &channels)) return false;
    if (!__loadPPM(reference, &other, &size[0], &size[1], &size[2])) return free(one), false;
    bool same = size[0] == width && size[1] == height && size[2] == channels &&
                compareData(other, one, width * height * channels, epsilon, threshold);
    return free(one), free(other), same;
}
inline bool sdkComparePPM(const char *name, const char *reference, float epsilon, float threshold, bool = false) {
    return ls_compare_pictures(name, reference, epsilon, threshold);
}
inline bool sdkComparePGM(const char *name, const char *reference, float epsilon, float threshold, bool = false) {
    return ls_compare_pictures(name, reference, epsilon, threshold);
}
#endif
