/* cuRAND's host side. */
#ifndef LS_CURAND_H
#define LS_CURAND_H
#pragma GCC system_header
#define CURAND_H_
#include "lockstep_cuda.h"
#include "ls_api.h"
typedef enum curandStatus { CURAND_STATUS_SUCCESS = 0, CURAND_STATUS_VERSION_MISMATCH = 100, CURAND_STATUS_NOT_INITIALIZED, CURAND_STATUS_ALLOCATION_FAILED, CURAND_STATUS_TYPE_ERROR, CURAND_STATUS_OUT_OF_RANGE, CURAND_STATUS_LENGTH_NOT_MULTIPLE, CURAND_STATUS_DOUBLE_PRECISION_REQUIRED, CURAND_STATUS_LAUNCH_FAILURE = 201, CURAND_STATUS_PREEXISTING_FAILURE, CURAND_STATUS_INITIALIZATION_FAILED, CURAND_STATUS_ARCH_MISMATCH, CURAND_STATUS_INTERNAL_ERROR = 999 } curandStatus_t;
typedef enum curandRngType { CURAND_RNG_PSEUDO_DEFAULT = 100, CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A = 121, CURAND_RNG_PSEUDO_MTGP32 = 141, CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161, CURAND_RNG_QUASI_DEFAULT = 200, CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, CURAND_RNG_QUASI_SOBOL64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 } curandRngType_t;
typedef enum curandOrdering { CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT, CURAND_ORDERING_PSEUDO_SEEDED, CURAND_ORDERING_QUASI_DEFAULT = 201 } curandOrdering_t;
typedef enum curandDirectionVectorSet { CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6, CURAND_DIRECTION_VECTORS_64_JOEKUO6, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 } curandDirectionVectorSet_t;
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
typedef struct curandGenerator_st *curandGenerator_t;
typedef struct curandDistributionShift_st *curandDistributionShift_t;
typedef struct curandDiscreteDistribution_st *curandDiscreteDistribution_t;
#define LS_RAND(NAME, PARAMETERS) LS_FN(curandStatus_t, NAME, PARAMETERS)
LS_RAND(curandCreateGenerator, (curandGenerator_t *generator, curandRngType_t type))
LS_RAND(curandCreateGeneratorHost, (curandGenerator_t *generator, curandRngType_t type))
LS_RAND(curandDestroyGenerator, (curandGenerator_t generator))
LS_RAND(curandGetVersion, (int *version))
LS_RAND(curandSetStream, (curandGenerator_t generator, cudaStream_t stream))
LS_RAND(curandSetPseudoRandomGeneratorSeed, (curandGenerator_t generator, unsigned long long seed))
LS_RAND(curandSetGeneratorOffset, (curandGenerator_t generator, unsigned long long offset))
LS_RAND(curandSetGeneratorOrdering, (curandGenerator_t generator, curandOrdering_t order))
LS_RAND(curandSetQuasiRandomGeneratorDimensions, (curandGenerator_t generator, unsigned int dimensions))
LS_RAND(curandGenerate, (curandGenerator_t generator, unsigned int *out, size_t count))
LS_RAND(curandGenerateLongLong, (curandGenerator_t generator, unsigned long long *out, size_t count))
LS_RAND(curandGenerateUniform, (curandGenerator_t generator, float *out, size_t count))
LS_RAND(curandGenerateUniformDouble, (curandGenerator_t generator, double *out, size_t count))
LS_RAND(curandGenerateNormal, (curandGenerator_t generator, float *out, size_t count, float mean, float deviation))
LS_RAND(curandGenerateNormalDouble, (curandGenerator_t generator, double *out, size_t count, double mean, double deviation))
LS_RAND(curandGenerateLogNormal, (curandGenerator_t generator, float *out, size_t count, float mean, float deviation))
LS_RAND(curandGenerateLogNormalDouble, (curandGenerator_t generator, double *out, size_t count, double mean, double deviation))
LS_RAND(curandGeneratePoisson, (curandGenerator_t generator, unsigned int *out, size_t count, double lambda))
LS_RAND(curandGenerateSeeds, (curandGenerator_t generator))
LS_RAND(curandGetDirectionVectors32, (curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set))
LS_RAND(curandGetDirectionVectors64, (curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set))
LS_RAND(curandGetScrambleConstants32, (unsigned int **constants))
LS_RAND(curandGetScrambleConstants64, (unsigned long long **constants))
#undef LS_RAND
#endif
