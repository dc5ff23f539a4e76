ls_layer(verify base)

# ninja soak_model: Theorem 5.2 on a hundred thousand random kernels (some minutes).
add_executable(verify_soak_model EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/verify/soak_model.c)
target_link_libraries(verify_soak_model PRIVATE ls_verify)
add_custom_target(soak_model COMMAND verify_soak_model USES_TERMINAL)
