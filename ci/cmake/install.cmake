# What an installed ratchet is: the program, its licence, its manual and the README; and the packages
# that carry these (cpack -G DEB, and by pyproject.toml a Python wheel).
include(GNUInstallDirs)
install(TARGETS ratchet RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
if(SKBUILD)  # a wheel has places of its own for the rest
  return()
endif()
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
install(FILES perf/gate/third_party/README.md RENAME MANUAL.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)

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
