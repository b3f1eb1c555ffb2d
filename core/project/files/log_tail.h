// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Returns the last lines of a log, at most `count`, the newest last. Reads only the end of a large log.
/// Returns none if the file does not exist.
std::vector<std::string> lastLines(const std::filesystem::path& log, std::size_t count);

} // namespace sparserl
