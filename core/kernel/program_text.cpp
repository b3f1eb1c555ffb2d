// SPDX-License-Identifier: Apache-2.0
#include "kernel/program_text.h"

#include "base/hash.h"

#include <utility>

namespace sparserl {

ProgramText::ProgramText(std::string text)
{
    std::string hash = sha256Hex(text);
    m_shared = std::make_shared<const Hashed>(Hashed{std::move(text), std::move(hash)});
}

const ProgramText::Hashed& ProgramText::nothing()
{
    static const Hashed empty{{}, sha256Hex(std::string_view())};
    return empty;
}

} // namespace sparserl
