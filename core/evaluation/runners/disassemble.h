// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// What nvdisasm says of a cubin, with remarks on lines and encodings, in a locked process of
/// sparserl-runner: what a model's program became is read by nobody else. Fails with a sentence where this
/// machine has no nvdisasm (findCudaTool), or where it does not come to an end.
Result<std::string> disassemble(const std::filesystem::path& runner, const std::string& cubin);

} // namespace sparserl
