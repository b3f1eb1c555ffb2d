// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

namespace sparserl {

/// Usual names of files that hold the licence of a model, and of files that have to go along with it.
inline constexpr std::array licenceFiles{"LICENSE", "LICENSE.txt", "LICENSE.md",
                                         "LICENCE", "LICENCE.txt", "COPYING"};
inline constexpr std::array noticeFiles{"NOTICE", "NOTICE.txt"};

} // namespace sparserl
