# Installs into an empty folder, then builds and runs a C program with nothing but what was installed: against
# the shared library, and against the static one.
# cmake -DBUILD=… -DCC=… -DPROGRAM=… -P TestInstall.cmake
set(root ${BUILD}/installed)
file(REMOVE_RECURSE ${root})
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "${ARGN}: ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${root})
foreach(file bin/lockstep lib/liblockstep.a lib/liblockstep.so share/man/man1/lockstep.1
        share/bash-completion/completions/lockstep include/lockstep/report.h)
  if(NOT EXISTS ${root}/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
run(${root}/bin/lockstep --version)

# Every public header stands by itself.
file(GLOB headers RELATIVE ${root}/include ${root}/include/lockstep/*.h)
foreach(header ${headers})
  file(WRITE ${root}/header.c "#include \"${header}\"\nint main(void) { return 0; }\n")
  run(${CC} -std=c17 -Wall -Wextra -Werror -I${root}/include -fsyntax-only ${root}/header.c)
endforeach()

set(ENV{PKG_CONFIG_PATH} ${root}/lib/pkgconfig)
run(pkg-config --cflags --libs lockstep)
separate_arguments(flags UNIX_COMMAND "${output}")
run(${CC} -std=c17 ${PROGRAM} -o ${root}/shared ${flags} -Wl,-rpath,${root}/lib)
run(${root}/shared)
set(first "${output}")
run(pkg-config --cflags --libs --static lockstep)
string(REPLACE "-llockstep" "${root}/lib/liblockstep.a" output "${output}")
separate_arguments(flags UNIX_COMMAND "${output}")
run(${CC} -std=c17 ${PROGRAM} -o ${root}/static ${flags})
run(${root}/static)
if(NOT output STREQUAL first OR output STREQUAL "")
  message(FATAL_ERROR "the two libraries differ: '${first}' and '${output}'")
endif()
