// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/files/gguf_types.h"
#include "policy/policy/policy.h"

#include <filesystem>

namespace sparserl {

/// Writes the language model of a causal policy, without its matrix embedding, and its tokenizer as a GGUF
/// file for llama.cpp. Adapters are merged. `type`: F32, F16 or Q8_0 for matrices; vectors are F32, and
/// matrices whose rows do not fill blocks are F16. The file must not exist yet. Refuses other families,
/// settings that llama.cpp computes differently, and a tokenizer whose rules have no GGUF name.
Status writeGguf(const Policy& policy, const std::filesystem::path& file, GgufType type,
                 const CancelToken& cancel = {});

} // namespace sparserl
