# What an installed ratchet is: the program, its licence and its README; and the packages that carry the
# tool alone (cpack -G DEB, and by pyproject.toml a Python wheel).
include(GNUInstallDirs)
if(SKBUILD)  # in a wheel, which has a place of its own for programs, and metadata for the rest
  install(TARGETS ratchet RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT tool)
  return()
endif()
install(TARGETS ratchet RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
install(FILES perf/gate/third_party/README.md RENAME MANUAL.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
if(NOT RATCHET_TOOL_ONLY OR NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

set(CPACK_PACKAGE_NAME ratchet)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_CONTACT "the ratchet developers")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "git, cmake")
include(CPack)
