// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The major version of CUDA whose run-time libraries we load: what the pinned wheels have (docs/design.md
/// 9).
inline constexpr int cudaMajorVersion = 13;

/// What brings a missing or damaged library back, whether the program came as a package or was built from its
/// sources. Goes on or ends a sentence.
inline constexpr std::string_view installAgain =
    "install the package again (packaging/setup if it was built from source)";

/// Headers that programs may include (core/compile/headers), of the wheels nvidia-cuda-runtime,
/// nvidia-cuda-crt (mma.h) and nvidia-cuda-cccl (nv/target). They lie in the folder include beside NVRTC's.
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
/// Folders of them and of what they include, in order of preference: as the runtime has it, as CCCL.
inline constexpr std::array<std::string_view, 2> toolkitHeaderRoots{"", "cccl"};

/// Folders in which NVRTC and nvJitLink are looked for, in order: $SPARSERL_CUDA_DIR (itself, lib64, lib),
/// the build's .deps, .deps or lib/sparserl beside the program or up to four folders above it, and
/// /usr/local/cuda*/lib64.
std::vector<std::filesystem::path> cudaLibraryFolders();

/// A library opened by dlopen. Never closed: the CUDA compilers do not survive dlclose.
struct OpenedLibrary
{
    void* handle = nullptr;
    std::filesystem::path path; ///< As found; only the name where the system's search found it.
    void* symbol(const char* name) const;
    /// Sets `function` to the symbol of that name; false where the library has none.
    template <typename Function>
    bool bind(Function*& function, const char* name) const
    {
        function = reinterpret_cast<Function*>(symbol(name));
        return function != nullptr;
    }
};

/// Opens e.g. "libnvrtc.so.13" from those folders, else by the system's own search. The Error says where it
/// looked.
Result<OpenedLibrary> openCudaLibrary(std::string_view name);

/// "580.159.04" of the NVIDIA kernel module that runs; empty where there is none or a container hides it.
std::string nvidiaModuleVersion();

} // namespace sparserl
