ls_layer(report finding base)
target_link_libraries(ls_report PUBLIC PkgConfig::JANSSON)
target_compile_definitions(ls_report PRIVATE LOCKSTEP_VERSION="${PROJECT_VERSION}")
