// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// The output of nvdisasm for a cubin, with line and encoding comments. It runs in a sandboxed process of
/// sparserl-runner, because no other process parses the code of model-written programs. Fails if this machine
/// has no nvdisasm (findCudaTool), or if it does not finish.
Result<std::string> disassemble(const std::filesystem::path& runner, const std::string& cubin);

} // namespace sparserl
