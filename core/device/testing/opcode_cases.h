// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// How far a result may differ from its expected value.
enum class OpcodeCompare
{
    Bits,
    Float32, ///< The bits must be equal, or both must be NaN.
    Float64,
    Float16, ///< The bits must be equal, or both must be NaN.
    Near32,  ///< For approximations: the error is at most `tolerance`, relative above 1 and absolute below.
    Near64
};

/// One use of an opcode form. It has 32 results, one per lane, which are 8 bytes apart.
struct OpcodeCheck
{
    std::string form;       ///< As in ptx::allOpcodes().
    std::size_t offset = 0; ///< Position of the results in the output, in bytes.
    std::vector<std::uint64_t> expected;
    OpcodeCompare compare = OpcodeCompare::Bits;
    double tolerance = 0;
};

/// A PTX module with one kernel `k(.param .u64 in, .param .u64 out)`, its input and its expected output. It
/// runs on any device, with one block unless `blocks` says otherwise, no dynamic shared memory, and zeroed
/// output.
struct OpcodeCase
{
    std::string name; ///< "add 1", "atom.global 3"
    std::string ptx;
    std::int64_t blocks = 1, threads = 32;
    std::vector<std::uint64_t> input;
    std::size_t outputBytes = 0;
    std::vector<OpcodeCheck> checks;
    bool faults = false; ///< The kernel traps, so it has no output.
};

/// Returns cases that together use every form in the table. Expected values come from plain C++ (reference.h)
/// and from hand-written results, never from the simulator's own operations.
std::vector<OpcodeCase> opcodeCases();

/// Returns a sentence about the first wrong result, or an empty text. `output` has outputBytes bytes.
std::string firstDifference(const OpcodeCase& one, std::span<const std::byte> output);

} // namespace sparserl
