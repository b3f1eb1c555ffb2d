// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/opcode_form.h"

#include <vector>

namespace sparserl::ptx {

/// An opcode as spelled in a program.
struct Spelling
{
    const OpcodeForm* form = nullptr; ///< nullptr if the opcode is not allowed.
    /// The opcode has a cache hint to keep data for later or to fetch more than requested.
    bool keepsInCache = false;
};
/// Looks up the form of an opcode. Ignores cache hints, which do not affect results (".L1::no_allocate",
/// ".L2::128B" and similar hints on loads, stores and copies), except for `keepsInCache`.
Spelling readOpcode(std::string_view text);
/// Returns only the form of an opcode; nullptr if it is not allowed.
const OpcodeForm* findOpcode(std::string_view text);
/// Returns every allowed form, sorted by text.
const std::vector<OpcodeForm>& allOpcodes();

} // namespace sparserl::ptx
