# SPDX-License-Identifier: Apache-2.0
# What every folder's CMakeLists.txt uses: sparserl_library, sparserl_program, sparserl_test.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_INCLUDE_CURRENT_DIR OFF)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

find_program(SPARSERL_CCACHE ccache)
if(SPARSERL_CCACHE)
    # Precompiled headers and ccache agree only with these sloppiness settings.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime;CCACHE_NOHASHDIR=1;${SPARSERL_CCACHE}")
endif()

add_library(sparserl_flags INTERFACE)
target_compile_options(sparserl_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers
    -ffp-contract=off -fpch-preprocess)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # At -O3 GCC 12 warns of overlaps inside its own std::string (GCC bug 105651).
    target_compile_options(sparserl_flags INTERFACE $<$<CONFIG:Release>:-Wno-restrict>)
endif()
if(SPARSERL_WERROR)
    target_compile_options(sparserl_flags INTERFACE -Werror)
endif()
if(SPARSERL_SANITIZE)
    target_compile_options(sparserl_flags INTERFACE -fsanitize=${SPARSERL_SANITIZE} -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    target_compile_definitions(sparserl_flags INTERFACE _GLIBCXX_ASSERTIONS)
    target_link_options(sparserl_flags INTERFACE -fsanitize=${SPARSERL_SANITIZE})
endif()

# What tests and the programs they start run with under the sanitizers: a finding ends the process, and only
# foreign code has suppressions (tests/tools/sanitizers says why for each). Everything takes several times as long.
set(sparserl_test_environment "")
set(sparserl_timeout_factor 1)
if(SPARSERL_SANITIZE)
    set(sparserl_timeout_factor 8)
    set(folder "${CMAKE_SOURCE_DIR}/tests/tools/sanitizers")
    # An exit status of its own, because some tests keep a program's output for themselves. The link order is off
    # because tests preload a library of faults.
    set(sparserl_test_environment
        "ASAN_OPTIONS=exitcode=97:detect_leaks=1:check_initialization_order=1:verify_asan_link_order=0"
        "LSAN_OPTIONS=suppressions=${folder}/lsan.supp:print_suppressions=0"
        "UBSAN_OPTIONS=exitcode=97:print_stacktrace=1"
        "QTEST_FUNCTION_TIMEOUT=2400000" # Milliseconds; Qt Test's own five minutes, as many times as above.
        "TSAN_OPTIONS=exitcode=97:halt_on_error=1:second_deadlock_stack=1:suppressions=${folder}/tsan.supp")
endif()
target_compile_definitions(sparserl_flags INTERFACE QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII
    QT_NO_FOREACH QT_USE_QSTRINGBUILDER)
target_include_directories(sparserl_flags INTERFACE "${CMAKE_SOURCE_DIR}/core" "${CMAKE_SOURCE_DIR}")

# sparserl_library(NAME SOURCES ... DEPS ...): static library sparserl_NAME, alias SparseRL::NAME.
function(sparserl_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
    add_library(sparserl_${name} STATIC ${ARG_SOURCES})
    add_library(SparseRL::${name} ALIAS sparserl_${name})
    target_link_libraries(sparserl_${name} PUBLIC sparserl_flags ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
endfunction()

# sparserl_program(NAME OUTPUT SOURCES ... DEPS ...): executable NAME in build/PRESET/bin.
function(sparserl_program name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE sparserl_flags ${ARG_DEPS})
endfunction()

# sparserl_test(NAME SOURCES ... DEPS ... [LABELS ...] [TIMEOUT s] [SERIAL] [GUI]): a Qt Test executable.
# Its working directory is a scratch folder; SPARSERL_SOURCE_DIR and SPARSERL_BIN_DIR are defined as strings.
function(sparserl_test name)
    cmake_parse_arguments(ARG "SERIAL;GUI" "TIMEOUT" "SOURCES;DEPS;LABELS;ENVIRONMENT" ${ARGN})
    add_executable(tst_${name} ${ARG_SOURCES})
    set_target_properties(tst_${name} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    target_link_libraries(tst_${name} PRIVATE sparserl_flags ${ARG_DEPS} Qt6::Test)
    if(SPARSERL_SANITIZE)
        target_compile_options(tst_${name} PRIVATE -Wno-maybe-uninitialized) # GCC 12 warns of its own std::regex.
    endif()
    target_compile_definitions(tst_${name} PRIVATE SPARSERL_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
        SPARSERL_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
    set(scratch "${CMAKE_BINARY_DIR}/tests/scratch/${name}")
    file(MAKE_DIRECTORY "${scratch}")
    add_test(NAME ${name} COMMAND tst_${name} WORKING_DIRECTORY "${scratch}")
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 120)
    endif()
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * ${sparserl_timeout_factor}")
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8;OMP_NUM_THREADS=1;${sparserl_test_environment};${ARG_ENVIRONMENT}")
    if(ARG_SERIAL)
        set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
endfunction()
