# The functions that the public headers declare, as a version script for the shared library and as a list for the
# static one: nothing else is visible in them.
# cmake -DSOURCE=… -DMAP=… -DLIST=… -P Exports.cmake
file(GLOB headers ${SOURCE}/include/lockstep/*.h)
set(names)
foreach(header ${headers})
  file(READ ${header} text)
  string(REPLACE ";" "@" text "${text}") # ; would make a list of it
  string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")        # comments
  string(REGEX REPLACE "static inline[^{]*{[^}]*(}[^}]*)?\n}" "" text "${text}") # functions of the header itself
  string(REGEX MATCHALL "[ *]ls_[a-z0-9_]+\\(" found "${text}")
  foreach(name ${found})
    string(REGEX REPLACE "[ *(]" "" name "${name}")
    list(APPEND names ${name})
  endforeach()
endforeach()
list(REMOVE_DUPLICATES names)
list(SORT names)
list(JOIN names ";\n    " map)
file(WRITE ${MAP} "{\n  global:\n    ${map};\n  local: *;\n};\n")
list(JOIN names "\n" list)
file(WRITE ${LIST} "${list}\n")
