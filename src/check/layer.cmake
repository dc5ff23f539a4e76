# A whole file in one call, and results in the words of a report. Without the verifier only the words remain.
ls_layer(check base emulate finding frontend ir ptx report OPTIONAL replay verify)
target_compile_definitions(ls_check PRIVATE _GNU_SOURCE)
if(NOT TARGET ls_verify)
  get_target_property(sources ls_check SOURCES)
  list(FILTER sources EXCLUDE REGEX "/(check|flat_check)\\.c$")
  set_target_properties(ls_check PROPERTIES SOURCES "${sources}")
endif()
if(TARGET check_test_memory) # allocations fail there, one after the other
  target_link_libraries(check_test_memory PRIVATE ls_analyze ls_allocate ls_launch ls_detect ls_usimd)
  target_link_options(check_test_memory PRIVATE LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free)
endif()
