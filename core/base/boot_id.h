// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparserl {

/// Which start of which machine this is: the kernel's boot_id, a word; "-" where there is none. Numbers of
/// processes and times since the start mean something beside it only.
std::string bootId();

} // namespace sparserl
