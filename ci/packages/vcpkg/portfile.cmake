# The program and what benchmarks link, as a port of vcpkg: vcpkg install ratchet --overlay-ports=THIS_FOLDER
# `ci/lab release` fills in what stands between two @ and packs the port; OWNER is where ratchet's repository lies.
vcpkg_download_distfile(archive
  URLS "https://github.com/OWNER/ratchet/releases/download/v${VERSION}/ratchet-${VERSION}.tar.gz"
  FILENAME "ratchet-${VERSION}.tar.gz"
  SHA512 @SHA512@)
vcpkg_extract_source_archive(source ARCHIVE "${archive}")
set(VCPKG_BUILD_TYPE release)  # a timing library without optimization is of no use
vcpkg_cmake_configure(SOURCE_PATH "${source}"
  OPTIONS -DRATCHET_TOOL_ONLY=ON -DRATCHET_LIBRARY=ON -DRATCHET_CUDA=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/ratchet)
vcpkg_copy_tools(TOOL_NAMES ratchet AUTO_CLEAN)
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
