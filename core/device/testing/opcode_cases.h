// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// The allowed difference between a result and its expected value.
enum class OpcodeCompare
{
    Bits,
    Float32, ///< The same bits, or both NaN.
    Float64,
    Float16, ///< The same bits, or both NaN.
    Near32,  ///< Approximations: within `tolerance`, relative above 1 and absolute below.
    Near64
};

/// One use of an opcode form: 32 results, one per lane, 8 bytes apart.
struct OpcodeCheck
{
    std::string form;       ///< As in ptx::allOpcodes().
    std::size_t offset = 0; ///< In the output, bytes.
    std::vector<std::uint64_t> expected;
    OpcodeCompare compare = OpcodeCompare::Bits;
    double tolerance = 0;
};

/// A PTX module with one kernel `k(.param .u64 in, .param .u64 out)`, its input and its expected output. Runs
/// on any device: one block unless `blocks` says otherwise, no dynamic shared memory, zeroed output.
struct OpcodeCase
{
    std::string name; ///< "add 1", "atom.global 3"
    std::string ptx;
    std::int64_t blocks = 1, threads = 32;
    std::vector<std::uint64_t> input;
    std::size_t outputBytes = 0;
    std::vector<OpcodeCheck> checks;
    bool faults = false; ///< The kernel traps: there is no output.
};

/// Cases that together use every form in the table. Expected values come from plain C++ (reference.h) and
/// from hand-written results, never from the simulator's own operations.
std::vector<OpcodeCase> opcodeCases();

/// Empty, or a sentence about the first wrong result. `output` has outputBytes bytes.
std::string firstDifference(const OpcodeCase& one, std::span<const std::byte> output);

} // namespace sparserl
