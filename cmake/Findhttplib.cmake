# SPDX-License-Identifier: Apache-2.0
# Target: httplib::httplib. Debian's package has no CMake files; the macros are those that its library was compiled with.
find_path(httplib_INCLUDE_DIR NAMES httplib.h)
find_library(httplib_LIBRARY NAMES cpp-httplib)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(httplib REQUIRED_VARS httplib_LIBRARY httplib_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "run packaging/setup, which installs libcpp-httplib-dev")
if(httplib_FOUND AND NOT TARGET httplib::httplib)
    add_library(httplib::httplib UNKNOWN IMPORTED)
    set_target_properties(httplib::httplib PROPERTIES IMPORTED_LOCATION "${httplib_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${httplib_INCLUDE_DIR}"
        INTERFACE_COMPILE_DEFINITIONS "CPPHTTPLIB_OPENSSL_SUPPORT;CPPHTTPLIB_ZLIB_SUPPORT;CPPHTTPLIB_BROTLI_SUPPORT")
endif()
