# Makes a C header of a file: `cmake -DINPUT=page.js -DOUTPUT=page_js.h -DNAME=page_js -P Embed.cmake`. It has the
# bytes as an array, their number, and their SHA-256 as base64, as a Content-Security-Policy names a script.
file(READ ${INPUT} bytes HEX)
string(LENGTH "${bytes}" length)
math(EXPR length "${length} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")

file(SHA256 ${INPUT} hash)
set(letters ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
set(base64)
set(hash "${hash}0000") # 32 bytes and 2 of padding: 11 groups of 3, and a third
foreach(group RANGE 10)
  math(EXPR at "${group} * 6")
  string(SUBSTRING ${hash} ${at} 6 three)
  math(EXPR number "0x${three}")
  foreach(shift 18 12 6 0)
    math(EXPR index "(${number} >> ${shift}) & 63")
    string(SUBSTRING ${letters} ${index} 1 letter)
    string(APPEND base64 ${letter})
  endforeach()
endforeach()
string(SUBSTRING ${base64} 0 43 base64)
file(WRITE ${OUTPUT} "/* Made from ${NAME} by cmake/Embed.cmake. */
static const unsigned char ${NAME}[] = {
${bytes}};
enum { ${NAME}_length = ${length} };
static const char ${NAME}_hash[] = \"${base64}=\";
")
