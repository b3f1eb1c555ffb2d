// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparserl {

/// A file's name, or any other text, as one word of a shell command that can be pasted.
std::string shellWord(const std::string& name);

} // namespace sparserl
