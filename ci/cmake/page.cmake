# cmake -DSOURCE=folder -DSCRIPTS=a.js;b.js -DVEGA=file -DOUTPUT=page.html -P page.cmake: the page of the
# report (perf/output/page/source/) as one file, with a Content-Security-Policy that lets in exactly its own
# style and scripts, by their hashes. VEGA, the bundle that draws plots, may be empty: then there are none.

# Base64 of a SHA-256 hash, as browsers compare it.
function(base64 hexadecimal result)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(text "")
  string(APPEND hexadecimal 00)  # 32 bytes: 33 are groups of three, of which the last sign stands for none
  foreach(at RANGE 0 65 6)
    string(SUBSTRING ${hexadecimal} ${at} 6 group)
    foreach(shift 18 12 6 0)
      math(EXPR index "(0x${group} >> ${shift}) & 63")
      string(SUBSTRING ${alphabet} ${index} 1 sign)
      string(APPEND text ${sign})
    endforeach()
  endforeach()
  string(SUBSTRING ${text} 0 43 text)
  set(${result} ${text}= PARENT_SCOPE)
endfunction()

# The text in the place of its mark, and its hash in the place of the mark's.
function(put mark text)
  if(text MATCHES "</script|</style|<!--")
    message(FATAL_ERROR "the part ${mark} of the page holds what would end it in HTML")
  endif()
  string(SHA256 hash "${text}")
  base64(${hash} hash)
  string(REPLACE "@${mark}_HASH@" "'sha256-${hash}'" page "${page}")
  string(REPLACE "@${mark}@" "${text}" page "${page}")
  set(page "${page}" PARENT_SCOPE)
endfunction()

file(READ ${SOURCE}/page.html page)
file(READ ${SOURCE}/page.css style)
set(scripts "")
foreach(name IN LISTS SCRIPTS)
  file(READ ${SOURCE}/${name} script)
  string(APPEND scripts "${script}")
endforeach()
set(vega "")
if(VEGA)
  file(READ ${VEGA} vega)
endif()
put(STYLE "${style}")
put(SCRIPT "\"use strict\";\n${scripts}")
put(VEGA "${vega}")
file(WRITE ${OUTPUT} "${page}")
