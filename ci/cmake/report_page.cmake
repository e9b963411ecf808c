# The page of the report as a file that the program carries: RATCHET_REPORT_PAGE. Its plots are drawn by
# Vega-Lite, a bundle that the Python package vl-convert-python holds; ci/setup leaves that in a folder of
# ratchet's own. Without it the page shows tables in their place.
find_package(Python3 QUIET COMPONENTS Interpreter)
set(_vega_tools $ENV{XDG_CACHE_HOME})
if(NOT _vega_tools)
  set(_vega_tools $ENV{HOME}/.cache)
endif()
set(_vega_tools ${_vega_tools}/ratchet/vega-tools)
set(_python ${CMAKE_COMMAND} -E env PYTHONPATH=${_vega_tools} ${Python3_EXECUTABLE})
set(RATCHET_HAVE_VEGA OFF)
if(Python3_FOUND)
  execute_process(COMMAND ${_python} -c "import vl_convert" RESULT_VARIABLE _failed OUTPUT_QUIET ERROR_QUIET)
  if(_failed EQUAL 0)
    set(RATCHET_HAVE_VEGA ON)
  endif()
endif()
if(NOT RATCHET_HAVE_VEGA)
  message(STATUS "Not found: Vega-Lite (Python package vl-convert-python): reports show tables in place of plots")
endif()

set(_source ${PROJECT_SOURCE_DIR}/perf/output/page/source)
set(_generated ${PROJECT_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${_generated})  # Ninja makes the folders of outputs, make does not
set(RATCHET_REPORT_PAGE ${_generated}/report_page.html)
set(_vega "")
if(RATCHET_HAVE_VEGA)
  set(_vega ${_generated}/vega.js)
  # Vega, Vega-Lite and Vega-Embed as one script.
  set(_bundle "open(__import__('sys').argv[1], 'wb').write(__import__('vl_convert').javascript_bundle().encode())")
  add_custom_command(OUTPUT ${_vega} VERBATIM COMMAND ${_python} -c ${_bundle} ${_vega})
endif()
# In the order in which they are joined: each uses those before it.
set(_scripts text.js dom.js plots.js forest.js rows.js row_plots.js row.js run.js bisect.js profile.js selftest.js
  history.js main.js)
list(TRANSFORM _scripts PREPEND ${_source}/ OUTPUT_VARIABLE _script_files)
set(_glossary ${PROJECT_SOURCE_DIR}/perf/guide/glossary.md)
add_custom_command(OUTPUT ${RATCHET_REPORT_PAGE} VERBATIM
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${_source} "-DSCRIPTS=${_scripts}" -DVEGA=${_vega}
          -DGLOSSARY=${_glossary} -DOUTPUT=${RATCHET_REPORT_PAGE} -P ${PROJECT_SOURCE_DIR}/ci/cmake/page.cmake
  DEPENDS ${_source}/page.html ${_source}/page.css ${_script_files} ${_vega} ${_glossary}
          ${PROJECT_SOURCE_DIR}/ci/cmake/page.cmake)
