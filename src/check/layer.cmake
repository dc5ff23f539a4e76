# A whole file in one call, and results in the words of a report. Without the verifier only the words remain.
ls_layer(check base emulate finding frontend ir ptx report OPTIONAL replay verify)
target_compile_definitions(ls_check PRIVATE _GNU_SOURCE)
if(NOT TARGET ls_verify)
  get_target_property(sources ls_check SOURCES)
  list(FILTER sources EXCLUDE REGEX "/(check|flat_check)\\.c$")
  set_target_properties(ls_check PROPERTIES SOURCES "${sources}")
endif()
