# Replay of the verifier's witnesses in the emulator.
if(TARGET ls_verify)
  ls_layer(replay verify launch emulate finding ir ptx base)
endif()
