// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

/// What every program is compiled with, before the "-DNAME=value" of its plan's consts. --minimal leaves out
/// textures and the device run-time library, which the gate refuses anyway: a quarter less time. No option
/// here lets the compiler trade exactness for speed.
inline constexpr const char* nvrtcOptions[] = {"--gpu-architecture=compute_80",
                                               "--std=c++17",
                                               "-lineinfo",
                                               "-DNDEBUG",
                                               "--minimal",
                                               "--no-source-include"};
/// And assembled with, behind "-arch=ARCHITECTURE".
inline constexpr const char* nvJitLinkOptions[] = {"-lineinfo"};

} // namespace sparserl
