ls_layer(ptx base)
target_link_libraries(ls_ptx PUBLIC ${CMAKE_DL_LIBS}) # image.c loads zstd
