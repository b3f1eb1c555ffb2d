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

/// What programs include by habit and NVRTC has no file for: the C headers and a little of the C++ library as
/// far as device code can use it, and headers of the CUDA runtime whose device part NVRTC has built in.
const std::vector<OwnHeader>& ownHeaders();

} // namespace sparserl
