// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/opcode_form.h"

#include <vector>

namespace sparserl::ptx {

/// An opcode as spelled in a program.
struct Spelling
{
    const OpcodeForm* form = nullptr; ///< nullptr: not allowed.
    /// A cache hint asks to keep data for later, or to fetch more than requested.
    bool keepsInCache = false;
};
/// Cache hints, which do not affect results (".L1::no_allocate", ".L2::128B" and similar ones on loads,
/// stores and copies), are not part of a form.
Spelling readOpcode(std::string_view text);
/// The same without the information from hints.
const OpcodeForm* findOpcode(std::string_view text);
/// Every allowed form, sorted by text.
const std::vector<OpcodeForm>& allOpcodes();

} // namespace sparserl::ptx
