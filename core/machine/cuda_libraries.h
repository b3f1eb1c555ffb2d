// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The major version of the CUDA run-time libraries that we load. It is the version of the pinned wheels
/// (docs/design.md 9).
inline constexpr int cudaMajorVersion = 13;

/// How to restore a missing or damaged library, both for an installed package and for a build from source. A
/// phrase for the middle or the end of a sentence.
inline constexpr std::string_view installAgain =
    "install the package again (packaging/setup if it was built from source)";

/// Headers that programs may include (core/compile/headers), from the wheels nvidia-cuda-runtime,
/// nvidia-cuda-crt (mma.h) and nvidia-cuda-cccl (nv/target). They are in the include folder next to the
/// folder of NVRTC.
inline constexpr std::array<std::string_view, 11> toolkitHeaders{"cooperative_groups.h",
                                                                 "cooperative_groups/reduce.h",
                                                                 "cooperative_groups/scan.h",
                                                                 "cuComplex.h",
                                                                 "cuda_bf16.h",
                                                                 "cuda_fp16.h",
                                                                 "cuda_pipeline.h",
                                                                 "cuda_pipeline_primitives.h",
                                                                 "math_constants.h",
                                                                 "cuda_pipeline_helpers.h",
                                                                 "mma.h"};
/// Folders of these headers and of the headers that they include, in order of preference: the folder of the
/// runtime, then the folder of CCCL.
inline constexpr std::array<std::string_view, 2> toolkitHeaderRoots{"", "cccl"};

/// Folders to search for NVRTC and nvJitLink, in order: $SPARSERL_CUDA_DIR (itself, lib64, lib), the build's
/// .deps, .deps or lib/sparserl next to the program or up to four folders above it, and
/// /usr/local/cuda*/lib64.
std::vector<std::filesystem::path> cudaLibraryFolders();

/// A library opened by dlopen. It is never closed, because the CUDA compilers do not survive dlclose.
struct OpenedLibrary
{
    void* handle = nullptr;
    std::filesystem::path path; ///< Full path, or only the name if the system's search found the library.
    void* symbol(const char* name) const;
    /// Sets `function` to the symbol `name`. Returns false if the library has no symbol of that name.
    template <typename Function>
    bool bind(Function*& function, const char* name) const
    {
        function = reinterpret_cast<Function*>(symbol(name));
        return function != nullptr;
    }
};

/// Opens a library such as "libnvrtc.so.13" from cudaLibraryFolders() or, if they do not contain it, by the
/// system's search. The Error lists the searched places.
Result<OpenedLibrary> openCudaLibrary(std::string_view name);

/// The version of the running NVIDIA kernel module ("580.159.04"). Empty if no module runs or a container
/// hides it.
std::string nvidiaModuleVersion();

} // namespace sparserl
