# Compiled execution: needs LLVM's headers, and the clang of that version for the library of rows; without them
# kernels are interpreted.
ls_layer(jit emulate frontend isa base)
if(LLVM_CONFIG)
  execute_process(COMMAND ${LLVM_CONFIG} --includedir OUTPUT_VARIABLE llvm_include OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${LLVM_CONFIG} --bindir OUTPUT_VARIABLE llvm_bin OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_program(ROWS_CLANG NAMES clang-19 clang HINTS ${llvm_bin})
  mark_as_advanced(ROWS_CLANG)
endif()
target_compile_definitions(ls_jit PRIVATE _GNU_SOURCE)
if(LLVM_CONFIG AND ROWS_CLANG AND EXISTS "${llvm_include}/llvm-c/LLJIT.h")
  set(rows ${CMAKE_BINARY_DIR}/jit)
  file(MAKE_DIRECTORY ${rows})
  add_custom_command(
    OUTPUT ${rows}/rows_bc.h
    COMMAND ${ROWS_CLANG} -x c -std=gnu17 -O2 -fno-strict-aliasing -ffp-contract=off -fno-math-errno
            -fno-trapping-math -fno-slp-vectorize -fno-stack-protector -Wno-pass-failed
            -I${CMAKE_SOURCE_DIR}/include -I${CMAKE_SOURCE_DIR}/src
            -emit-llvm -c ${CMAKE_SOURCE_DIR}/src/jit/rows.inc -o ${rows}/rows.bc
    COMMAND ${CMAKE_COMMAND} -DINPUT=${rows}/rows.bc -DOUTPUT=${rows}/rows_bc.h -DNAME=rows_bc
            -P ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${CMAKE_SOURCE_DIR}/src/jit/rows.inc ${CMAKE_SOURCE_DIR}/src/emulate/lanes/ops.def
            ${CMAKE_SOURCE_DIR}/src/emulate/lanes/arithmetic.h ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake)
  target_sources(ls_jit PRIVATE ${rows}/rows_bc.h)
  target_include_directories(ls_jit PRIVATE ${CMAKE_BINARY_DIR})
  target_include_directories(ls_jit SYSTEM PRIVATE ${llvm_include})
  target_compile_definitions(ls_jit PRIVATE LS_HAVE_JIT=1 LS_HAVE_LLVM=1)
else()
  message(STATUS "LLVM 19 or its clang is not installed: kernels are interpreted, not compiled (docs/compiled.md)")
endif()
if(TARGET jit_bench_jit)
  target_link_libraries(jit_bench_jit PRIVATE ls_detect)
endif()
if(TARGET isa_test_forms) # every form of an instruction as machine code, too
  target_sources(isa_test_forms PRIVATE ${CMAKE_SOURCE_DIR}/tests/isa/form_compiled.c)
  target_link_libraries(isa_test_forms PRIVATE ls_jit)
endif()
