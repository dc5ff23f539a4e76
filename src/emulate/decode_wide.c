/* Decoding of matrices, textures and asynchronous copies. */
#include "emulate/decode.h"

bool em_decode_matrix(decoder *d) {
    (void)d;
    return false;
}
bool em_decode_texture(decoder *d) {
    (void)d;
    return false;
}
bool em_decode_async(decoder *d) {
    (void)d;
    return false;
}
