// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/files/gguf_types.h"
#include "policy/policy/policy.h"

#include <filesystem>

namespace sparserl {

/// Writes the language model of a causal policy, without its matrix embedding, and its tokenizer as a GGUF
/// file that llama.cpp reads. Adapters are merged. `type`: F32, F16 or Q8_0 of the matrices; vectors are F32,
/// and matrices whose rows do not fill blocks are F16. The file must not be there yet. Refuses other
/// families, what llama.cpp would compute otherwise, and a tokenizer whose rules have no name there.
Status writeGguf(const Policy& policy, const std::filesystem::path& file, GgufType type,
                 const CancelToken& cancel = {});

} // namespace sparserl
