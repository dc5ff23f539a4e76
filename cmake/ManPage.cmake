# Writes the man page: the template with the version and the subcommands' own descriptions put in.
# cmake -DLOCKSTEP=… -DTEMPLATE=… -DOUTPUT=… -DVERSION=… -P ManPage.cmake
execute_process(COMMAND ${LOCKSTEP} --man-commands OUTPUT_VARIABLE COMMANDS COMMAND_ERROR_IS_FATAL ANY)
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
