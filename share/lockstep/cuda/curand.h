/* cuRAND's host side, declared for host code. */
#ifndef LS_CURAND_H
#define LS_CURAND_H
#pragma GCC system_header
#define CURAND_H_
#include "lockstep_cuda.h"
typedef enum curandStatus { CURAND_STATUS_SUCCESS = 0, CURAND_STATUS_VERSION_MISMATCH = 100, CURAND_STATUS_NOT_INITIALIZED, CURAND_STATUS_ALLOCATION_FAILED, CURAND_STATUS_TYPE_ERROR, CURAND_STATUS_OUT_OF_RANGE, CURAND_STATUS_LENGTH_NOT_MULTIPLE, CURAND_STATUS_DOUBLE_PRECISION_REQUIRED, CURAND_STATUS_LAUNCH_FAILURE = 201, CURAND_STATUS_PREEXISTING_FAILURE, CURAND_STATUS_INITIALIZATION_FAILED, CURAND_STATUS_ARCH_MISMATCH, CURAND_STATUS_INTERNAL_ERROR = 999 } curandStatus_t;
typedef enum curandRngType { CURAND_RNG_PSEUDO_DEFAULT = 100, CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A = 121, CURAND_RNG_PSEUDO_MTGP32 = 141, CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161, CURAND_RNG_QUASI_DEFAULT = 200, CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, CURAND_RNG_QUASI_SOBOL64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 } curandRngType_t;
typedef enum curandOrdering { CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT, CURAND_ORDERING_PSEUDO_SEEDED, CURAND_ORDERING_QUASI_DEFAULT = 201 } curandOrdering_t;
typedef enum curandDirectionVectorSet { CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6, CURAND_DIRECTION_VECTORS_64_JOEKUO6, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 } curandDirectionVectorSet_t;
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
typedef struct curandGenerator_st *curandGenerator_t;
#define LS_API(NAME) extern "C" curandStatus_t NAME(...);
LS_API(curandCreateGenerator) LS_API(curandCreateGeneratorHost) LS_API(curandDestroyGenerator) LS_API(curandSetPseudoRandomGeneratorSeed)
LS_API(curandSetQuasiRandomGeneratorDimensions) LS_API(curandSetGeneratorOrdering) LS_API(curandSetGeneratorOffset) LS_API(curandSetStream)
LS_API(curandGenerate) LS_API(curandGenerateUniform) LS_API(curandGenerateUniformDouble) LS_API(curandGenerateNormal) LS_API(curandGenerateNormalDouble)
LS_API(curandGenerateLogNormal) LS_API(curandGeneratePoisson) LS_API(curandGenerateSeeds) LS_API(curandGetDirectionVectors32) LS_API(curandGetVersion) LS_API(curandGetDirectionVectors64)
#undef LS_API
#endif
