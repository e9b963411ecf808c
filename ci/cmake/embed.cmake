# cmake -DINPUT=x.cl -DOUTPUT=x.cl.h -P embed.cmake: the text of a kernel as a C++ constant x_cl.
get_filename_component(name ${INPUT} NAME)
string(MAKE_C_IDENTIFIER ${name} identifier)
file(READ ${INPUT} text)
file(WRITE ${OUTPUT} "// Made from ${name} by the build.\n#pragma once\n"
  "inline constexpr char ${identifier}[] = R\"opencl(${text})opencl\";\n")
