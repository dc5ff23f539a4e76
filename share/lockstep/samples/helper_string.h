/* How NVIDIA's samples read their arguments ("-name", "--name=value", also without dashes) and find their files, for programs (see
 * helper_cuda.h). */
#include "helper_functions.h"
#if defined(LS_HELPERS_WHOLE) && !defined(LS_HELPER_STRING_H)
#define LS_HELPER_STRING_H
#ifdef __clang__
#pragma clang system_header
#endif
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <strings.h>
inline int stringRemoveDelimiter(char delimiter, const char *text) {
    int start = 0;
    while (text[start] && text[start] == delimiter) start++;
    return start;
}
inline int getFileExtension(char *name, char **extension) {
    char *dot = strrchr(name, '.');
    *extension = dot ? dot + 1 : name + strlen(name);
    return (int)(*extension - name);
}
/* What stands behind the argument's name and '='; NULL: it is not given. */
inline const char *ls_argument(int argc, const char **argv, const char *name) {
    size_t length = strcspn(name, "="); /* it may be asked for as "name=" */
    for (int i = 1; i < argc; i++) {
        const char *given = argv[i] + stringRemoveDelimiter('-', argv[i]);
        if (strncasecmp(given, name, length) || (given[length] && given[length] != '=')) continue;
        return given + length + (given[length] == '=');
    }
    return nullptr;
}
inline bool checkCmdLineFlag(int argc, const char **argv, const char *name) {
    return ls_argument(argc, argv, name) != nullptr;
}
inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name) {
    const char *value = ls_argument(argc, argv, name);
    return value ? atoi(value) : 0;
}
inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name) {
    const char *value = ls_argument(argc, argv, name);
    return value ? (float)atof(value) : 0;
}
inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **text) {
    const char *value = ls_argument(argc, argv, name);
    *text = const_cast<char *>(value);
    return value != nullptr;
}
template <class T> inline bool getCmdLineArgumentValue(int argc, const char **argv, const char *name, T *value) {
    const char *text = ls_argument(argc, argv, name);
    return text && (std::istringstream(text) >> *value);
}
/* In the folders where the samples have their data; NULL: in none of them. */
inline char *sdkFindFilePath(const char *name, const char *) {
    static const char *const FOLDERS[] = {"", "./data/", "../data/", "../../data/", "./common/data/", "../common/data/",
                                          "../../common/data/", "../../../common/data/", "../../Common/data/"};
    for (const char *folder : FOLDERS) {
        std::string path = std::string(folder) + name;
        FILE *file = fopen(path.c_str(), "rb");
        if (!file) continue;
        fclose(file);
        return strdup(path.c_str());
    }
    return nullptr;
}
#endif
