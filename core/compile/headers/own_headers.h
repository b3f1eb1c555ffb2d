// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace sparserl {

struct OwnHeader
{
    std::string_view name;
    std::string_view text;
};

/// Headers that programs often include and for which NVRTC has no file: the C headers, the small part of the
/// C++ library that device code can use, and headers of the CUDA runtime whose device part is built into
/// NVRTC.
const std::vector<OwnHeader>& ownHeaders();

} // namespace sparserl
