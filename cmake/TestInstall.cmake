# Installs into an empty folder, then builds and runs the examples with nothing but what was installed: against the
# shared library and the static one, as C and as C++, by pkg-config and by find_package.
# cmake -DBUILD=… -DCC=… [-DCXX=…] -DNM=… -DEXAMPLES=… -P TestInstall.cmake
cmake_minimum_required(VERSION 3.25)
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

# Every public header stands by itself, in C and in C++.
file(GLOB headers RELATIVE ${root}/include ${root}/include/lockstep/*.h)
set(languages "${CC} -std=c17 -x c")
if(CXX)
  list(APPEND languages "${CXX} -std=c++17 -x c++")
endif()
foreach(header ${headers})
  file(WRITE ${root}/header.c "#include \"${header}\"\nint main(void) { return 0; }\n")
  foreach(language ${languages})
    separate_arguments(compiler UNIX_COMMAND "${language}")
    run(${compiler} -Wall -Wextra -Werror -I${root}/include -fsyntax-only ${root}/header.c)
  endforeach()
endforeach()

# Nothing but what these headers declare is visible in the libraries.
file(STRINGS ${BUILD}/generated/exports.txt public)
foreach(library "-D;${root}/lib/liblockstep.so" "-g;${root}/lib/liblockstep.a")
  run(${NM} --defined-only ${library})
  string(REGEX MATCHALL "[0-9a-f]+ [A-Z] [^\n]+" symbols "${output}")
  foreach(symbol ${symbols})
    string(REGEX REPLACE "^[0-9a-f]+ [A-Z] " "" symbol "${symbol}")
    if(NOT symbol IN_LIST public)
      message(FATAL_ERROR "${library} exports '${symbol}', which no public header declares")
    endif()
  endforeach()
  list(LENGTH symbols count)
  list(LENGTH public wanted)
  if(NOT count EQUAL wanted)
    message(FATAL_ERROR "${library} has ${count} symbols, the headers declare ${wanted}")
  endif()
endforeach()

# The examples, against both libraries, by pkg-config; and as C++.
set(ENV{PKG_CONFIG_PATH} ${root}/lib/pkgconfig)
function(flags_of result) # OPTION…
  run(pkg-config ${ARGN} lockstep)
  separate_arguments(flags UNIX_COMMAND "${output}")
  set(${result} ${flags} PARENT_SCOPE)
endfunction()
flags_of(shared --cflags --libs)
flags_of(static --cflags --libs --static)
list(TRANSFORM static REPLACE "^-llockstep$" "${root}/lib/liblockstep.a")
function(example name status) # ARGUMENT…
  set(first)
  foreach(kind shared static c++)
    set(compiler ${CC} -std=c17)
    set(flags ${${kind}})
    if(kind STREQUAL "c++")
      if(NOT CXX)
        continue()
      endif()
      set(compiler ${CXX} -std=c++17 -x c++)
      set(flags ${shared})
    endif()
    run(${compiler} -Wall -Wextra -Werror ${EXAMPLES}/${name}.c -x none -o ${root}/${name}-${kind} ${flags}
        -Wl,-rpath,${root}/lib)
    execute_process(COMMAND ${root}/${name}-${kind} ${ARGN} WORKING_DIRECTORY ${EXAMPLES} OUTPUT_VARIABLE output
                    ERROR_VARIABLE output RESULT_VARIABLE got)
    if(NOT got EQUAL status OR output STREQUAL "" OR (first AND NOT output STREQUAL first))
      message(FATAL_ERROR "${name} (${kind}) ended with ${got}, expected ${status}:\n${output}\n${first}")
    endif()
    set(first "${output}")
  endforeach()
endfunction()
example(verify 0 ${EXAMPLES}/rotate.ptx)
example(run 0 ${EXAMPLES}/scale.ptx scale "f32[64]=iota" 2)
example(analyze 0 ${EXAMPLES}/scale.ptx)
example(embed 1)
example(check 1 ${EXAMPLES}/rotate.ptx)

# find_package(lockstep), both libraries.
file(WRITE ${root}/package/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(user C)\n"
  "find_package(lockstep 0.1 REQUIRED)\nadd_executable(one \"${EXAMPLES}/embed.c\")\n"
  "target_link_libraries(one lockstep::lockstep)\nadd_executable(two \"${EXAMPLES}/embed.c\")\n"
  "target_link_libraries(two lockstep::static)\n")
run(${CMAKE_COMMAND} -S ${root}/package -B ${root}/package/build -DCMAKE_PREFIX_PATH=${root} -DCMAKE_C_COMPILER=${CC})
run(${CMAKE_COMMAND} --build ${root}/package/build)
