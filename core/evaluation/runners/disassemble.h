// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// Returns the output of nvdisasm for a cubin, with line and encoding comments. nvdisasm runs in a sandboxed
/// process of sparserl-runner, because no other process may parse the code of model-written programs. Fails
/// if this machine has no nvdisasm (findCudaTool), or if nvdisasm does not finish.
Result<std::string> disassemble(const std::filesystem::path& runner, const std::string& cubin);

} // namespace sparserl
