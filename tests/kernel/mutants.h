// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sparserl {

/// Kinds of mistakes that language models make in code.
std::span<const std::string_view> mutantKinds();

/// `program` with one mistake of that kind somewhere in its code; nothing if it has no place for it. Many of
/// them still compile: a compiler has to say.
std::optional<std::string> mutantOf(const std::string& program, std::string_view kind, Rng& rng);

/// The line on which the last ';' of the code stands.
int lineOfLastStatement(std::string_view program);

} // namespace sparserl
