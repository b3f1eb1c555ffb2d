# SPDX-License-Identifier: Apache-2.0
# What every folder's CMakeLists.txt uses: sparserl_library, sparserl_program, sparserl_test.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
# Beside the programs as in an installation (core/project/run/default_policy.h).
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/share/sparserl")
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/resources/policy" "${CMAKE_BINARY_DIR}/share/sparserl/policy" SYMBOLIC)
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
    # GCC 12 warns of overlaps and of impossible sizes inside its own std::string (GCC bugs 105651, 105329), of the
    # latter where that comes out of a precompiled header: at -O3 everywhere, at -O2 in tests, which join many strings.
    set(sparserl_false_warnings -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
    target_compile_options(sparserl_flags INTERFACE "$<$<CONFIG:Release>:${sparserl_false_warnings}>")
endif()
if(SPARSERL_UNITY)
    # Of names in an unnamed namespace that a neighbour in the unit sees too: each file by itself has neither (preset dev).
    target_compile_options(sparserl_flags INTERFACE -Wno-shadow -Wno-subobject-linkage)
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
# QTEST_FUNCTION_TIMEOUT: milliseconds of one function, where Qt Test has five minutes: longer than CTest's limits, which end
# what hangs. Those are of a machine that does nothing else, three times: a loaded one takes more, and no test says how fast it is.
set(sparserl_test_environment "QTEST_FUNCTION_TIMEOUT=7200000")
set(sparserl_timeout_factor 3)
if(SPARSERL_SANITIZE)
    set(sparserl_timeout_factor 20)
    set(folder "${CMAKE_SOURCE_DIR}/tests/tools/sanitizers")
    # An exit status of its own, because some tests keep a program's output for themselves. The link order is off
    # because tests preload a library of faults.
    set(sparserl_test_environment
        "ASAN_OPTIONS=exitcode=97:detect_leaks=1:check_initialization_order=1:verify_asan_link_order=0"
        "LSAN_OPTIONS=suppressions=${folder}/lsan.supp:print_suppressions=0"
        "UBSAN_OPTIONS=exitcode=97:print_stacktrace=1"
        "QTEST_FUNCTION_TIMEOUT=14400000"
        "TSAN_OPTIONS=exitcode=97:halt_on_error=1:second_deadlock_stack=1:suppressions=${folder}/tsan.supp")
endif()
target_compile_definitions(sparserl_flags INTERFACE QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII
    QT_NO_FOREACH QT_USE_QSTRINGBUILDER)
target_include_directories(sparserl_flags INTERFACE "${CMAKE_SOURCE_DIR}/core" "${CMAKE_SOURCE_DIR}")

# What most files of core include: precompiled once, for base, and used by every library that has no LibTorch.
# Half of a file's time was parsing these (tests/benchmarks/build_time.md). Files still include what they use.
set(sparserl_common_headers <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <map> <memory>
    <optional> <set> <span> <string> <string_view> <unordered_map> <variant> <vector> <fmt/format.h> <tl/expected.hpp>)

# sparserl_compile_together(TARGET): with SPARSERL_UNITY, compiles the source files of TARGET in a few units, where their
# local names differ (cmake/unity_groups.py). Files with options of their own stay alone, and so do those that are generated:
# a fresh clone has none of them yet.
if(SPARSERL_UNITY)
    find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
    # Itself, where a script of pyenv stands for it: that takes a tenth of a second each time.
    execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import sys; print(sys.executable)" OUTPUT_VARIABLE sparserl_python
        OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/cmake/unity_groups.py")
endif()
function(sparserl_compile_together target)
    if(NOT SPARSERL_UNITY)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    foreach(source IN LISTS sources)
        cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${source}" generated)
        if(generated)
            list(REMOVE_ITEM sources "${source}")
        endif()
    endforeach()
    execute_process(COMMAND "${sparserl_python}" "${CMAKE_SOURCE_DIR}/cmake/unity_groups.py" ${sources}
        WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" lines "${lines}")
    foreach(line IN LISTS lines)
        string(REGEX MATCH "^([0-9]+) (.*)$" matched "${line}")
        set_source_files_properties("${CMAKE_MATCH_2}" PROPERTIES UNITY_GROUP "${CMAKE_MATCH_1}")
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# sparserl_library(NAME [TENSORS] SOURCES ... DEPS ...): static library sparserl_NAME, alias SparseRL::NAME.
# TENSORS: it has the precompiled header of sparserl_policy (sparserl_use_torch) instead of the common one.
function(sparserl_library name)
    cmake_parse_arguments(ARG "TENSORS" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
    add_library(sparserl_${name} STATIC ${ARG_SOURCES})
    add_library(SparseRL::${name} ALIAS sparserl_${name})
    target_link_libraries(sparserl_${name} PUBLIC sparserl_flags ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
    sparserl_compile_together(sparserl_${name})
    if(name STREQUAL "base")
        target_precompile_headers(sparserl_base PRIVATE ${sparserl_common_headers})
    elseif(NOT ARG_TENSORS)
        target_precompile_headers(sparserl_${name} REUSE_FROM sparserl_base)
    endif()
endfunction()

# sparserl_source_options(OPTION... SOURCES FILE...): options of single files, which then have no precompiled header,
# since that is made with the options of all others.
function(sparserl_source_options)
    cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
    set_source_files_properties(${ARG_SOURCES} PROPERTIES COMPILE_OPTIONS "${ARG_UNPARSED_ARGUMENTS}"
        SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# sparserl_program(NAME OUTPUT SOURCES ... DEPS ...): executable NAME in build/PRESET/bin.
function(sparserl_program name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE sparserl_flags ${ARG_DEPS})
    sparserl_compile_together(${name})
endfunction()

# What a precompiled header of tests takes: code as of a library, and no macros with the path of each test's folder.
set(sparserl_test_options -fPIC -UQT_TESTCASE_BUILDDIR -UQT_TESTCASE_SOURCEDIR ${sparserl_false_warnings})
# Tests are half of all code and hardly any of it runs long: compiled with less effort, a whole build takes a tenth less
# (tests/benchmarks/build_time.md). Those with a precompiled header of the policy or of the widgets have to have its options.
set(SPARSERL_TEST_OPTIMISATION "" CACHE STRING "Options of tests' own code, after those of the build type (-O1)")

# sparserl_test_moc(TARGET FILE...): what moc makes of test classes: FILE.moc of a source file that includes it, a source of its
# own of a header in the list. CMake's AUTOMOC reads and compiles an empty unit for each of 150 programs: a tenth of a whole build.
function(sparserl_test_moc target)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_moc")
    set(macros "") # Those that tests ask for inside of classes.
    if(SPARSERL_SANITIZE MATCHES "address")
        list(APPEND macros -D__SANITIZE_ADDRESS__)
    elseif(SPARSERL_SANITIZE MATCHES "thread")
        list(APPEND macros -D__SANITIZE_THREAD__)
    endif()
    foreach(file IN LISTS ARGN)
        get_filename_component(stem "${file}" NAME_WE)
        get_filename_component(path "${file}" ABSOLUTE)
        if(file MATCHES "\\.h$")
            set(made "${folder}/moc_${stem}.cpp")
        else()
            file(STRINGS "${path}" included REGEX "^#include \"${stem}\\.moc\"$")
            if(NOT included)
                continue()
            endif()
            set(made "${folder}/${stem}.moc")
        endif()
        add_custom_command(OUTPUT "${made}" COMMAND Qt6::moc ${macros} -o "${made}" "${path}" DEPENDS "${path}" VERBATIM
            COMMENT "moc of ${file}")
        target_sources(${target} PRIVATE "${made}")
    endforeach()
    file(MAKE_DIRECTORY "${folder}")
    target_include_directories(${target} PRIVATE "${folder}")
endfunction()

# sparserl_test_program(TARGET [TENSORS] [WIDGETS] SOURCES ... DEPS ...): the program of one test or of a group.
function(sparserl_test_program target)
    cmake_parse_arguments(ARG "TENSORS;WIDGETS" "" "SOURCES;DEPS" ${ARGN})
    add_executable(${target} ${ARG_SOURCES})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    target_link_libraries(${target} PRIVATE sparserl_flags ${ARG_DEPS} Qt6::Test)
    target_compile_options(${target} PRIVATE ${sparserl_test_options})
    if(ARG_TENSORS)
        sparserl_use_torch(${target})
    elseif(ARG_WIDGETS)
        target_precompile_headers(${target} REUSE_FROM sparserl_widgets_common)
    else()
        target_precompile_headers(${target} REUSE_FROM sparserl_test_headers)
        target_compile_options(${target} PRIVATE ${SPARSERL_TEST_OPTIMISATION})
    endif()
    if(SPARSERL_SANITIZE)
        target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized) # GCC 12 warns of its own std::regex.
    endif()
    target_compile_definitions(${target} PRIVATE SPARSERL_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
        SPARSERL_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
endfunction()

# sparserl_test_group(GROUP [TENSORS] DEPS ...): with SPARSERL_UNITY, the tests of this folder that name the group are one program,
# compiled in a few units (tests/grouped_main.cpp). A file that includes LibTorch costs as much as ten that do not, and what tests of
# the window include is the same for all of them.
function(sparserl_test_group group)
    if(NOT SPARSERL_UNITY)
        return()
    endif()
    sparserl_test_program(${group} ${ARGN} SOURCES "${CMAKE_SOURCE_DIR}/tests/grouped_main.cpp")
    set_source_files_properties("${CMAKE_SOURCE_DIR}/tests/grouped_main.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    set_target_properties(${group} PROPERTIES UNITY_BUILD_CODE_BEFORE_INCLUDE "#include \"tests/grouped_tests.h\"")
    cmake_language(EVAL CODE "cmake_language(DEFER CALL sparserl_compile_together ${group})") # When it has all its sources.
endfunction()

# sparserl_test(NAME SOURCES ... DEPS ... [GROUP group] [LABELS ...] [TIMEOUT s] [COST s] [DRAWN n] [SERIAL] [TENSORS] [WIDGETS]): a Qt Test
# executable tst_NAME. The main function of one of a group is in tst_NAME.cpp.
# TENSORS, WIDGETS: with the precompiled header of the policy or of the widgets; else with that of all tests.
# DRAWN: each run of the suite draws one in n of its functions (tests/tools/drawn_functions.py), because it takes long.
# COST: seconds that it takes, so that a run without records of its own begins with the longest.
# Its working directory is a scratch folder; SPARSERL_SOURCE_DIR and SPARSERL_BIN_DIR are defined as strings.
function(sparserl_test name)
    cmake_parse_arguments(ARG "SERIAL;TENSORS;WIDGETS" "TIMEOUT;COST;DRAWN;GROUP" "SOURCES;DEPS;LABELS;ENVIRONMENT" ${ARGN})
    if(ARG_GROUP AND TARGET ${ARG_GROUP})
        target_sources(${ARG_GROUP} PRIVATE ${ARG_SOURCES})
        sparserl_test_moc(${ARG_GROUP} ${ARG_SOURCES})
        add_custom_target(tst_${name} DEPENDS ${ARG_GROUP})
        file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
        file(CREATE_LINK ${ARG_GROUP} "${CMAKE_BINARY_DIR}/tests/tst_${name}" SYMBOLIC)
    else()
        set(kind "")
        foreach(one TENSORS WIDGETS)
            if(ARG_${one})
                list(APPEND kind ${one})
            endif()
        endforeach()
        sparserl_test_program(tst_${name} ${kind} SOURCES ${ARG_SOURCES} DEPS ${ARG_DEPS})
        sparserl_test_moc(tst_${name} ${ARG_SOURCES})
        set(units ${ARG_SOURCES})
        list(FILTER units INCLUDE REGEX "\\.cpp$")
        list(LENGTH units count)
        if(count GREATER 1)
            sparserl_compile_together(tst_${name})
        endif()
    endif()
    set(scratch "${CMAKE_BINARY_DIR}/tests/scratch/${name}")
    file(MAKE_DIRECTORY "${scratch}")
    set(drawing "")
    if(ARG_DRAWN)
        find_package(Python3 3.10 COMPONENTS Interpreter)
        if(Python3_FOUND)
            set(drawing "${Python3_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/tests/tools/drawn_functions.py" --one-in ${ARG_DRAWN})
        endif()
    endif()
    add_test(NAME ${name} COMMAND ${drawing} "${CMAKE_BINARY_DIR}/tests/tst_${name}" WORKING_DIRECTORY "${scratch}")
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 120)
    endif()
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * ${sparserl_timeout_factor}")
    if(ARG_TIMEOUT LESS 1800)
        set(ARG_TIMEOUT 1800) # Of a test that takes seconds, under a load of twenty: none shorter tells that it hangs.
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8;OMP_NUM_THREADS=1;SPARSERL_TRUST=all;${sparserl_test_environment};${ARG_ENVIRONMENT}")
    if(ARG_COST)
        set_tests_properties(${name} PROPERTIES COST ${ARG_COST})
    endif()
    if(ARG_SERIAL)
        set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
endfunction()
