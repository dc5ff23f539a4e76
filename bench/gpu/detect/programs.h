/* The eleven kinds of programs of paper 002 (Table V): launches of kernels.cu with their inputs. For the
 * benchmark (bench.c) and, at small sizes, for tests in the emulator (tests/detect/test_programs.c). */
#ifndef BENCH_GPU_DETECT_PROGRAMS_H
#define BENCH_GPU_DETECT_PROGRAMS_H

#include "lockstep/detect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ls_detect_device *device;
    ls_detect_launch launch;
    uint8_t params[128];
    ls_detect_buffer buffers[8];
    void *inputs[8];
} job;

static uint32_t random_state = 1;

static uint32_t next_random(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static void push(job *j, const void *value, size_t size) {
    j->launch.params_size = (j->launch.params_size + size - 1) / size * size;
    memcpy(j->params + j->launch.params_size, value, size);
    j->launch.params_size += size;
}

static void push_int(job *j, int value) {
    push(j, &value, sizeof value);
}

/* A buffer of 32-bit words; the caller fills what is returned before start(). */
static uint32_t *push_buffer(job *j, uint64_t words) {
    uint32_t n = j->launch.buffer_count++;
    uint64_t address = ls_detect_alloc(j->device, words * 4);
    if (!address) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    j->inputs[n] = calloc(words, 4);
    j->buffers[n] = (ls_detect_buffer){address, words * 4, NULL};
    push(j, &address, 8);
    return j->inputs[n];
}

static void fill_floats(uint32_t *words, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        float value = (float)(next_random() % 2000) * 0.01f - 10;
        memcpy(&words[i], &value, 4);
    }
}

static void fill_words(uint32_t *words, uint64_t count, uint32_t below) {
    for (uint64_t i = 0; i < count; i++)
        words[i] = below ? next_random() % below : next_random() << 8 ^ next_random();
}

static void set_launch(job *j, uint32_t grid, uint32_t x, uint32_t y, uint32_t shared) {
    memcpy(j->launch.grid, (uint32_t[]){grid, 1, 1}, sizeof j->launch.grid);
    memcpy(j->launch.block, (uint32_t[]){x, y, 1}, sizeof j->launch.block);
    j->launch.shared_bytes = shared;
}

/* --- The inputs ------------------------------------------------------------------------------------------
 */
static void make_scan(job *j, uint32_t scale) {
    uint64_t n = 16384 / scale;
    set_launch(j, (uint32_t)n, 512, 1, 0);
    push_buffer(j, n * 1024);
    fill_floats(push_buffer(j, n * 1024), n * 1024);
}

static void make_histogram64(job *j, uint32_t scale) {
    uint64_t blocks = 4135 / scale + 1;
    set_launch(j, (uint32_t)blocks, 192, 1, 0);
    push_buffer(j, blocks * 64);
    fill_words(push_buffer(j, blocks * 192 * 48), blocks * 192 * 48, 0);
    push_int(j, 48);
}

static void make_bisection(job *j, uint32_t scale) {
    uint32_t n = 1024;
    set_launch(j, 264 / scale + 1, 256, 1, 0);
    push_buffer(j, (264 / scale + 1) * 256);
    fill_floats(push_buffer(j, n), n);
    fill_floats(push_buffer(j, n), n);
    push_int(j, (int)n);
}

static void make_nbody(job *j, uint32_t scale) {
    uint32_t n = 32768 / scale;
    set_launch(j, n / 256, 256, 1, 0);
    push_buffer(j, n * 4);
    fill_floats(push_buffer(j, n * 4), n * 4);
    push_int(j, (int)n);
}

static void make_radix(job *j, uint32_t scale) {
    uint32_t blocks = 8192 / scale;
    set_launch(j, blocks, 256, 1, 0);
    push_buffer(j, blocks * 256);
    fill_words(push_buffer(j, blocks * 256), blocks * 256, 0);
}

static void make_bfs(job *j, uint32_t scale) {
    uint32_t nodes = (1u << 22) / scale, degree = 8;
    set_launch(j, nodes / 256, 256, 1, 0);
    uint32_t *first = push_buffer(j, nodes + 1);
    for (uint32_t i = 0; i <= nodes; i++) first[i] = i * degree;
    fill_words(push_buffer(j, (uint64_t)nodes * degree), (uint64_t)nodes * degree, nodes);
    uint32_t *cost = push_buffer(j, nodes);
    for (uint32_t i = 0; i < nodes; i++) cost[i] = next_random() % 16 ? UINT32_MAX : 3;
    push_buffer(j, nodes);
    push_int(j, (int)nodes);
    push_int(j, 3);
}

static void make_backprop(job *j, uint32_t scale) {
    uint32_t blocks = 131072 / scale;
    uint64_t weights = 17ull * (16ull * blocks + 2);
    set_launch(j, blocks, 16, 16, 0);
    fill_floats(push_buffer(j, weights), weights);
    push_buffer(j, blocks * 16);
    fill_floats(push_buffer(j, blocks * 16 + 1), blocks * 16 + 1);
    push_int(j, 16);
}

static void make_btree(job *j, uint32_t scale) {
    uint32_t queries = 262144 / scale, height = 3, nodes = 1 + 128 + 128 * 128;
    set_launch(j, queries, 128, 1, 0);
    uint32_t *keys = push_buffer(j, (uint64_t)nodes * 128);
    uint32_t *children = push_buffer(j, (uint64_t)nodes * 128);
    for (uint32_t node = 0, level = 0, first = 0, width = 1; node < nodes; node++) {
        if (node == first + width) first = node, width *= 128, level++;
        uint32_t step = level == 0 ? 1 << 14 : level == 1 ? 1 << 7 : 1;
        for (uint32_t k = 0; k < 128; k++) {
            keys[node * 128 + k] = ((node - first) * 128 + k) * step;
            children[node * 128 + k] =
                level == 2 ? (node - first) * 128 + k : first + width + (node - first) * 128 + k;
        }
    }
    fill_words(push_buffer(j, queries), queries, 1 << 21);
    push_buffer(j, queries);
    push_int(j, (int)height);
}

static void make_kmeans(job *j, uint32_t scale) {
    uint32_t n = (1u << 22) / scale, k = 32;
    set_launch(j, n / 128, 128, 1, 0);
    push_buffer(j, n);
    push_buffer(j, n / 128);
    fill_floats(push_buffer(j, (uint64_t)n * 8), (uint64_t)n * 8);
    fill_floats(push_buffer(j, k * 8), k * 8);
    push_int(j, (int)n);
    push_int(j, (int)k);
}

static void make_cocluster(job *j, uint32_t scale) {
    uint32_t blocks = 2048 / scale, columns = 1024;
    set_launch(j, blocks, 256, 1, 0);
    push_buffer(j, blocks * 256);
    fill_floats(push_buffer(j, (uint64_t)blocks * 8 * columns), (uint64_t)blocks * 8 * columns);
    fill_words(push_buffer(j, columns), columns, 32);
    push_int(j, (int)columns);
}

static void make_em(job *j, uint32_t scale) {
    uint32_t n = (1u << 21) / scale, clusters = 8;
    set_launch(j, 256, 128, 1, 15 * 128 * 4);
    push_buffer(j, 256 * 9);
    fill_floats(push_buffer(j, (uint64_t)n * 3), (uint64_t)n * 3);
    fill_floats(push_buffer(j, (uint64_t)n * clusters), (uint64_t)n * clusters);
    push_int(j, (int)n);
    push_int(j, (int)clusters);
}

static const struct program {
    const char *name;
    void (*make)(job *, uint32_t);
    uint32_t small; /* what the sizes are divided by for the emulator */
} programs[] = {
    {"scan", make_scan, 8192},
    {"histogram64", make_histogram64, 4000},
    {"bisection", make_bisection, 264},
    {"nbody", make_nbody, 64},
    {"radix", make_radix, 4096},
    {"bfs", make_bfs, 16384},
    {"backprop", make_backprop, 32768},
    {"btree", make_btree, 131072},
    {"kmeans", make_kmeans, 32768},
    {"cocluster", make_cocluster, 1024},
    {"em", make_em, 8192},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* --- Running ---------------------------------------------------------------------------------------------
 */
static void start(job *j) {
    for (uint32_t i = 0; i < j->launch.buffer_count; i++)
        ls_detect_write(j->device, j->buffers[i].address, j->inputs[i], j->buffers[i].size);
    j->launch.params = j->params;
    j->launch.buffers = j->buffers;
}

static void open_job(job *j, ls_detect_device *device, const struct program *p, const char *name,
                     uint32_t scale) {
    *j = (job){.device = device};
    j->launch.kernel = name;
    random_state = 12345;
    p->make(j, scale);
    start(j);
}

static void close_job(job *j) {
    for (uint32_t i = 0; i < j->launch.buffer_count; i++) {
        ls_detect_free(j->device, j->buffers[i].address);
        free(j->inputs[i]);
    }
}

#endif
