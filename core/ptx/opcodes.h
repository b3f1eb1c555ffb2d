// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/opcode_form.h"

#include <vector>

namespace sparserl::ptx {

/// An opcode as a program writes it.
struct Spelling
{
    const OpcodeForm* form = nullptr; ///< Or nullptr: not allowed.
    /// A hint about caches says to keep data for later, or to bring more than is asked for.
    bool keepsInCache = false;
};
/// Hints about caches, which change no result (".L1::no_allocate", ".L2::128B" and their like on loads,
/// stores and copies), are not part of a form.
Spelling readOpcode(std::string_view text);
/// The same without what hints say.
const OpcodeForm* findOpcode(std::string_view text);
/// Every allowed form, sorted by text.
const std::vector<OpcodeForm>& allOpcodes();

} // namespace sparserl::ptx
