ls_layer(report finding base)
target_link_libraries(ls_report PUBLIC PkgConfig::JANSSON)
