# NVIDIA's libraries for programs that run without a GPU, each under the names that programs ask for: their work is code
# of the host on memory of the emulated device (cuda/work.h). They stand beside libcuda.so.1 in the folder cuda/, and
# where that is not built, as with clang's sanitizers, they are compiled for the tests on a device that is the host.
if(TARGET ls_device AND NOT LOCKSTEP_FUZZ)
  # ls_cuda_library(NAME SOURCES file… SONAMES name…): NAME is what its functions begin with
  function(ls_cuda_library name)
    cmake_parse_arguments(PARSE_ARGV 1 library "" "" "SOURCES;SONAMES")
    list(TRANSFORM library_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/src/libraries/)
    add_library(lockstep_${name}_objects OBJECT ${library_SOURCES} ${CMAKE_SOURCE_DIR}/src/libraries/missing.c)
    set_target_properties(lockstep_${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
    target_compile_definitions(lockstep_${name}_objects PRIVATE _GNU_SOURCE
                               LIBRARY_MISSING="libraries/${name}_missing.def")
    target_compile_options(lockstep_${name}_objects PRIVATE -Wno-missing-prototypes)
    if(NOT TARGET lockstep_cuda)
      return()
    endif()
    foreach(soname ${library_SONAMES})
      set(map ${CMAKE_BINARY_DIR}/${soname}.map)
      string(REGEX REPLACE ".*-.*" "" version ${soname}) # a linker takes no dash in it
      file(WRITE ${map} "${version} { global: ${name}*; local: *; };\n")
      string(MAKE_C_IDENTIFIER ${soname} target)
      add_library(lockstep_${target} SHARED $<TARGET_OBJECTS:lockstep_${name}_objects>)
      target_link_libraries(lockstep_${target} PRIVATE -Wl,--no-as-needed lockstep_cuda -Wl,--as-needed m)
      target_link_options(lockstep_${target} PRIVATE -Wl,--version-script=${map} -Wl,-soname,${soname})
      string(REGEX MATCH "\\.so.*$" suffix ${soname})
      string(REGEX REPLACE "\\.so.*$" "" stem ${soname})
      set_target_properties(lockstep_${target} PROPERTIES PREFIX "" OUTPUT_NAME ${stem} SUFFIX ${suffix} NO_SONAME ON
                            LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cuda INSTALL_RPATH "$ORIGIN/.."
                            BUILD_WITH_INSTALL_RPATH ON)
      install(TARGETS lockstep_${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/cuda)
    endforeach()
    # The name that a linker looks for: the last one's.
    list(GET library_SONAMES -1 last)
    add_custom_command(TARGET lockstep_${target} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E create_symlink ${last} ${CMAKE_BINARY_DIR}/cuda/${stem}.so)
    install(CODE "file(CREATE_LINK ${last}
      \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/cuda/${stem}.so SYMBOLIC)")
  endfunction()

  ls_cuda_library(curand SOURCES curand.c curand_quasi.c sobol.c SONAMES libcurand.so.10)
  ls_cuda_library(cublas SOURCES cublas.c cublas_mixed.c cublas_mixed_vectors.c blas_types.c
                  SONAMES libcublas.so.12 libcublas.so.13)
  ls_cuda_library(cublasLt SOURCES cublaslt.c cublaslt_compute.c cublas.c cublas_mixed.c blas_types.c
                  SONAMES libcublasLt.so.12 libcublasLt.so.13)
  ls_cuda_library(cusparse SOURCES cusparse.c cusparse_compute.c cusparse_convert.c cusparse_products.c
                  cusparse_triangular.c SONAMES libcusparse.so.12)
  ls_cuda_library(cufft SOURCES cufft.c SONAMES libcufft.so.11 libcufft.so.12)
  ls_cuda_library(nvml SOURCES nvml.c SONAMES libnvidia-ml.so.1)

  # The programs that test them, on a device that is the host.
  function(ls_library_on_host name)
    set(target libraries_on_host_${name})
    add_executable(${target} ${CMAKE_SOURCE_DIR}/tests/cuda/${name}.c ${CMAKE_SOURCE_DIR}/tests/cuda/on_host.c)
    foreach(library ${ARGN})
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:lockstep_${library}_objects>)
    endforeach()
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
    target_link_libraries(${target} PRIVATE ls_base m)
    add_test(NAME libraries.on_host.${name} COMMAND ${target})
  endfunction()
  if(CMOCKA_FOUND)
    ls_library_on_host(libraries curand cublas cufft)
    ls_library_on_host(small_matrices cublas)
    ls_library_on_host(matmul cublasLt)
    ls_library_on_host(sparse cusparse)
  endif()

  # Programs of them, which need no compiler of NVIDIA's.
  if(CMOCKA_FOUND AND TARGET lockstep_cuda)
    add_executable(cuda_libraries ${CMAKE_SOURCE_DIR}/tests/cuda/libraries.c)
    target_compile_definitions(cuda_libraries PRIVATE _GNU_SOURCE)
    target_link_libraries(cuda_libraries PRIVATE lockstep_cuda lockstep_libcurand_so_10 lockstep_libcublas_so_13
                          lockstep_libcufft_so_12 m)
    add_test(NAME cuda.libraries COMMAND lockstep run -- $<TARGET_FILE:cuda_libraries>)
    add_test(NAME cuda.libraries.beyond COMMAND lockstep run -- $<TARGET_FILE:cuda_libraries> beyond)
    set_tests_properties(cuda.libraries PROPERTIES PASS_REGULAR_EXPRESSION "0 failures" FAIL_REGULAR_EXPRESSION "error:")
    set_tests_properties(cuda.libraries.beyond PROPERTIES
      PASS_REGULAR_EXPRESSION "cublasSgemm_v2: what it writes goes beyond its allocation")
    add_executable(cuda_small_matrices ${CMAKE_SOURCE_DIR}/tests/cuda/small_matrices.c)
    target_link_libraries(cuda_small_matrices PRIVATE lockstep_cuda lockstep_libcublas_so_13 m)
    add_test(NAME cuda.small_matrices COMMAND lockstep run -- $<TARGET_FILE:cuda_small_matrices>)
    set_tests_properties(cuda.small_matrices PROPERTIES PASS_REGULAR_EXPRESSION "0 failures"
                         FAIL_REGULAR_EXPRESSION "error:|warning:")
    add_executable(cuda_matmul ${CMAKE_SOURCE_DIR}/tests/cuda/matmul.c)
    target_link_libraries(cuda_matmul PRIVATE lockstep_cuda lockstep_libcublasLt_so_13 m)
    foreach(way "" beyond unknown)
      string(JOIN . name cuda.matmul ${way})
      add_test(NAME ${name} COMMAND lockstep run -- $<TARGET_FILE:cuda_matmul> ${way})
    endforeach()
    set_tests_properties(cuda.matmul PROPERTIES PASS_REGULAR_EXPRESSION "0 failures" FAIL_REGULAR_EXPRESSION "error:")
    set_tests_properties(cuda.matmul.beyond PROPERTIES
      PASS_REGULAR_EXPRESSION "cublasLtMatmul: what it reads goes beyond its allocation")
    set_tests_properties(cuda.matmul.unknown PROPERTIES PASS_REGULAR_EXPRESSION "cublasLtMatmul with this epilogue")
    add_executable(cuda_management ${CMAKE_SOURCE_DIR}/tests/cuda/management.c)
    target_link_libraries(cuda_management PRIVATE lockstep_libnvidia_ml_so_1)
    add_test(NAME cuda.management COMMAND lockstep run --gpu h200 --devices 2 -- $<TARGET_FILE:cuda_management>)
    set_tests_properties(cuda.management PROPERTIES PASS_REGULAR_EXPRESSION "0 failures" FAIL_REGULAR_EXPRESSION "error:")
    add_executable(cuda_sparse ${CMAKE_SOURCE_DIR}/tests/cuda/sparse.c)
    target_link_libraries(cuda_sparse PRIVATE lockstep_cuda lockstep_libcusparse_so_12 m)
    add_test(NAME cuda.sparse COMMAND lockstep run -- $<TARGET_FILE:cuda_sparse>)
    add_test(NAME cuda.sparse.beyond COMMAND lockstep run -- $<TARGET_FILE:cuda_sparse> beyond)
    set_tests_properties(cuda.sparse PROPERTIES PASS_REGULAR_EXPRESSION "0 failures" FAIL_REGULAR_EXPRESSION "error:")
    set_tests_properties(cuda.sparse.beyond PROPERTIES
      PASS_REGULAR_EXPRESSION "cusparseSpMV: what it reads goes beyond its allocation")
  endif()
endif()
