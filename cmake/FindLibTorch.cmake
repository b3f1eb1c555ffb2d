# SPDX-License-Identifier: Apache-2.0
# LibTorch as PyPI's torch wheel unpacks it (.deps/site/torch), or TORCH_DIR. Target: LibTorch::LibTorch.
# Only torch_cpu and c10 are linked: the GPU half is opened at run time when a driver exists (docs/design.md 9).
find_path(LibTorch_ROOT NAMES lib/libtorch_cpu.so
    HINTS "${TORCH_DIR}" "$ENV{TORCH_DIR}" "${SPARSERL_DEPS_DIR}/site/torch" NO_DEFAULT_PATH)
find_path(LibTorch_CUDA_RUNTIME NAMES libcudart.so.13
    HINTS "${SPARSERL_DEPS_DIR}/site/nvidia/cu13/lib" "${SPARSERL_DEPS_DIR}/site/nvidia/cuda_runtime/lib"
    /usr/local/cuda/lib64 NO_DEFAULT_PATH)
include(FindPackageHandleStandardArgs)
find_path(LibTorch_SYSTEM_FMT NAMES fmt/format.h PATHS /usr/include /usr/local/include NO_DEFAULT_PATH)
find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_ROOT LibTorch_CUDA_RUNTIME LibTorch_SYSTEM_FMT
    REASON_FAILURE_MESSAGE "run packaging/setup, or point TORCH_DIR at an unpacked torch 2.11 wheel")
if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
    # Its include folder holds an fmt of its own, of another version and without a library: every file that
    # formats a number would compile all of it. The system's goes first, by a folder that holds nothing else.
    set(own_fmt "${CMAKE_BINARY_DIR}/include_first")
    file(MAKE_DIRECTORY "${own_fmt}")
    file(CREATE_LINK "${LibTorch_SYSTEM_FMT}/fmt" "${own_fmt}/fmt" SYMBOLIC)
    add_library(LibTorch::LibTorch INTERFACE IMPORTED)
    target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE "${own_fmt}" "${LibTorch_ROOT}/include"
        "${LibTorch_ROOT}/include/torch/csrc/api/include")
    target_link_libraries(LibTorch::LibTorch INTERFACE "${LibTorch_ROOT}/lib/libtorch_cpu.so"
        "${LibTorch_ROOT}/lib/libc10.so")
    target_compile_definitions(LibTorch::LibTorch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
    target_link_options(LibTorch::LibTorch INTERFACE "LINKER:--allow-shlib-undefined"
        "LINKER:--disable-new-dtags")
    if(NOT SPARSERL_PACKAGE) # whose paths are relative (SparserlInstall.cmake)
        target_link_options(LibTorch::LibTorch INTERFACE "LINKER:-rpath,${LibTorch_ROOT}/lib"
            "LINKER:-rpath,${LibTorch_CUDA_RUNTIME}")
    endif()
endif()
