ls_layer(report finding base)
target_link_libraries(ls_report PUBLIC PkgConfig::JANSSON)

# The page of the HTML report is written as CSS and JavaScript and becomes part of the library.
foreach(part page.css page.js)
  string(REPLACE . _ name ${part})
  set(header ${CMAKE_BINARY_DIR}/generated/report/${name}.h)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${CMAKE_SOURCE_DIR}/src/report/page/${part} -DOUTPUT=${header} -DNAME=${name}
            -P ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${CMAKE_SOURCE_DIR}/src/report/page/${part} ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
    VERBATIM)
  target_sources(ls_report PRIVATE ${header})
endforeach()
target_include_directories(ls_report PRIVATE ${CMAKE_BINARY_DIR}/generated)

# The page in a real browser, where there is one; skipped where not.
find_program(PYTHON3 python3)
if(PYTHON3 AND NOT LOCKSTEP_FUZZ)
  add_test(NAME report.page COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/tests/report/test_page.py
                                    $<TARGET_FILE_DIR:ls_report>/lockstep)
  set_tests_properties(report.page PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()
