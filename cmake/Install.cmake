# liblockstep from all layers, the man page, shell completion, `install`, and the Debian package.
get_property(layers GLOBAL PROPERTY LOCKSTEP_LAYERS)
list(REMOVE_ITEM layers cli gate lsp mcp rpc)

# --- The library: every layer's objects, once static and once shared -----------------------------------------
set(objects)
set(libraries)
foreach(layer ${layers})
  list(APPEND objects $<TARGET_OBJECTS:ls_${layer}>)
  get_target_property(linked ls_${layer} LINK_LIBRARIES)
  list(APPEND libraries ${linked})
endforeach()
# Objects that a layer compiles in further ways (see src/emulate/layer.cmake).
get_property(more_objects GLOBAL PROPERTY LOCKSTEP_MORE_OBJECTS)
list(APPEND objects ${more_objects})
list(FILTER libraries EXCLUDE REGEX "^ls_")
list(REMOVE_DUPLICATES libraries)
# Only what the public headers declare is visible (Exports.cmake).
set(generated ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${generated})
file(GLOB public_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/lockstep/*.h)
set(exports ${generated}/lockstep.map ${generated}/exports.txt)
add_custom_command(OUTPUT ${exports}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DMAP=${generated}/lockstep.map
          -DLIST=${generated}/exports.txt -P ${CMAKE_SOURCE_DIR}/cmake/Exports.cmake
  DEPENDS ${public_headers} ${CMAKE_SOURCE_DIR}/cmake/Exports.cmake VERBATIM)
add_custom_target(exports DEPENDS ${exports})

add_library(lockstep_shared SHARED ${objects})
add_dependencies(lockstep_shared exports)
set_target_properties(lockstep_shared PROPERTIES OUTPUT_NAME lockstep LINKER_LANGUAGE C VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${generated}/lockstep.map)
target_link_libraries(lockstep_shared PRIVATE ${libraries})
if(NOT LOCKSTEP_FUZZ)
  target_link_options(lockstep_shared PRIVATE -Wl,--version-script=${generated}/lockstep.map -Wl,--no-undefined)
endif()
if(LOCKSTEP_SANITIZE OR LOCKSTEP_FUZZ)
  set_target_properties(lockstep_shared PROPERTIES EXCLUDE_FROM_ALL ON)
  return() # such builds are not installed
endif()

# The static library is one object, in which everything else is local: it cannot clash with names of a program.
set(archive ${CMAKE_BINARY_DIR}/liblockstep.a)
file(GENERATE OUTPUT ${generated}/objects.txt CONTENT "\"$<JOIN:${objects},\"\n\">\"\n")
add_custom_command(OUTPUT ${archive}
  COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${generated}/lockstep.o @${generated}/objects.txt
  COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${generated}/exports.txt ${generated}/lockstep.o
  COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
  COMMAND ${CMAKE_AR} rcs ${archive} ${generated}/lockstep.o
  DEPENDS lockstep_shared ${exports} ${generated}/objects.txt COMMAND_EXPAND_LISTS VERBATIM) # it has the same objects
add_custom_target(lockstep_static ALL DEPENDS ${archive})

# --- What is written from the command's own tables ------------------------------------------------------------
add_custom_command(OUTPUT ${generated}/lockstep.1
  COMMAND ${CMAKE_COMMAND} -DLOCKSTEP=$<TARGET_FILE:lockstep> -DTEMPLATE=${CMAKE_SOURCE_DIR}/man/lockstep.1.in
          -DOUTPUT=${generated}/lockstep.1 -DVERSION=${PROJECT_VERSION} -P ${CMAKE_SOURCE_DIR}/cmake/ManPage.cmake
  DEPENDS lockstep ${CMAKE_SOURCE_DIR}/man/lockstep.1.in ${CMAKE_SOURCE_DIR}/cmake/ManPage.cmake)
set(completions)
foreach(shell bash zsh fish)
  add_custom_command(OUTPUT ${generated}/lockstep.${shell}
    COMMAND lockstep --completion ${shell} > ${generated}/lockstep.${shell} DEPENDS lockstep)
  list(APPEND completions ${generated}/lockstep.${shell})
endforeach()
add_custom_target(generated ALL DEPENDS ${generated}/lockstep.1 ${completions})

# --- Install ----------------------------------------------------------------------------------------------------
set(private_libraries -lm -lpthread)
foreach(library ${libraries})
  if(library MATCHES "^PkgConfig::(.*)$")
    list(APPEND private_libraries ${${CMAKE_MATCH_1}_LDFLAGS})
  elseif(IS_ABSOLUTE "${library}" AND library MATCHES "/lib([^/]*)\\.(so|a)$") # found by find_library
    list(APPEND private_libraries -l${CMAKE_MATCH_1})
  elseif(library MATCHES "^[a-z][a-z0-9_]*$" AND NOT library STREQUAL "m")
    list(APPEND private_libraries -l${library})
  endif()
endforeach()
list(JOIN private_libraries " " LOCKSTEP_PRIVATE_LIBS)
configure_file(cmake/lockstep.pc.in ${generated}/lockstep.pc @ONLY)
list(JOIN private_libraries ";" LOCKSTEP_PRIVATE_LIST)
configure_file(cmake/lockstep-config.cmake.in ${generated}/lockstep-config.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${generated}/lockstep-config-version.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS lockstep DESTINATION bin)
install(PROGRAMS ${CMAKE_BINARY_DIR}/lockstep-nvcc DESTINATION bin)
install(TARGETS lockstep_shared DESTINATION lib)
install(FILES ${archive} DESTINATION lib)
install(DIRECTORY include/lockstep DESTINATION include)
install(FILES ${generated}/lockstep.pc DESTINATION lib/pkgconfig)
install(FILES ${generated}/lockstep-config.cmake ${generated}/lockstep-config-version.cmake
        DESTINATION lib/cmake/lockstep)
install(FILES ${generated}/lockstep.1 DESTINATION share/man/man1)
install(FILES ${generated}/lockstep.bash DESTINATION share/bash-completion/completions RENAME lockstep)
install(FILES ${generated}/lockstep.zsh DESTINATION share/zsh/vendor-completions RENAME _lockstep)
install(FILES ${generated}/lockstep.fish DESTINATION share/fish/vendor_completions.d)
install(FILES LICENSE DESTINATION share/doc/lockstep RENAME copyright)
install(FILES NOTICE DESTINATION share/doc/lockstep)
install(DIRECTORY docs/ DESTINATION share/doc/lockstep FILES_MATCHING PATTERN "*.md")
if(EXISTS ${CMAKE_SOURCE_DIR}/share/lockstep)
  install(DIRECTORY share/lockstep DESTINATION share)
  install(FILES share/lockstep/lockstep.h DESTINATION include OPTIONAL) # the annotations, for any compiler
endif()

# The Python package, as Debian has them: what its own backend puts into a wheel. Not part of `make install`: there pip
# installs it (docs/python.md).
install(CODE "
  set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/python3/dist-packages\")
  file(MAKE_DIRECTORY \"\${folder}\")
  execute_process(COMMAND python3 -B -c \"import backend, os, sys, zipfile
wheel = os.path.join(sys.argv[1], backend.build_wheel(sys.argv[1]))
zipfile.ZipFile(wheel).extractall(sys.argv[1])
os.remove(wheel)\" \"\${folder}\" WORKING_DIRECTORY \"${CMAKE_SOURCE_DIR}/python\" COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT python EXCLUDE_FROM_ALL)

# --- The Debian packages: lockstep, and python3-lockstep --------------------------------------------------------
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified)
find_program(PYTHON3 python3)
if(PYTHON3)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME lockstep)
set(CPACK_DEBIAN_UNSPECIFIED_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-lockstep)
set(CPACK_DEBIAN_PYTHON_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9), python3-numpy, lockstep (>= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Checks GPU kernels (CUDA, OpenCL, PTX, Triton) without a GPU, from Python")
set(CPACK_PACKAGE_NAME lockstep)
set(CPACK_PACKAGE_CONTACT "The Lockstep developers <lockstep@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-19, libclc-19, libllvm19")
include(CPack)

# --- An installed tree is a test: programs are built against it and run -----------------------------------------
find_program(LOCKSTEP_CXX NAMES c++ g++ clang++-19) # where there is one, the headers are tried as C++, too
if(NOT LOCKSTEP_CXX)
  set(LOCKSTEP_CXX)
endif()
if(CMOCKA_FOUND)
  add_test(NAME install.tree
    COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -DCC=${CMAKE_C_COMPILER} -DCXX=${LOCKSTEP_CXX}
            -DNM=${CMAKE_NM} -DEXAMPLES=${CMAKE_SOURCE_DIR}/examples/api
            -P ${CMAKE_SOURCE_DIR}/cmake/TestInstall.cmake)
endif()
