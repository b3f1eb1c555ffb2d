// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

/// NVRTC's options for every program. The "-DNAME=value" options for the plan's consts follow them. --minimal
/// omits textures and the device run-time library, which the gate refuses anyway, and saves a quarter of the
/// compile time. No option lets the compiler trade exactness for speed.
inline constexpr const char* nvrtcOptions[] = {"--gpu-architecture=compute_80",
                                               "--std=c++17",
                                               "-lineinfo",
                                               "-DNDEBUG",
                                               "--minimal",
                                               "--no-source-include"};
/// nvJitLink's options, which follow "-arch=ARCHITECTURE".
inline constexpr const char* nvJitLinkOptions[] = {"-lineinfo"};

} // namespace sparserl
