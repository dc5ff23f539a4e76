# Replay of the verifier's witnesses in the emulator.
ls_layer(replay verify emulate ir ptx base)
