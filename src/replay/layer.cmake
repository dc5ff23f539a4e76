# Replay of the verifier's witnesses in the emulator.
if(Z3_LIBRARY AND Z3_INCLUDE_DIR)
  ls_layer(replay verify emulate ir ptx base)
endif()
