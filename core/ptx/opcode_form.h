// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/types.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace sparserl::ptx {

/// Sizes of a matrix instruction, and register counts of D, A, B and C.
struct MatrixShape
{
    int m = 0, n = 0, k = 0;
    int d = 0, a = 0, b = 0, c = 0;
    bool transposed = false;
};

/// One allowed full form (base opcode and modifiers), decoded. The table of these forms defines exactly the
/// instructions that the gate accepts and the simulator executes.
struct OpcodeForm
{
    std::string text;         ///< "ld.global.nc.v2.f32"
    std::uint16_t family = 0; ///< Index of its row of FORMS in opcodes.def.
    Op op{};
    Action action = Action::Lane;
    Pipe pipe = Pipe::Integer;
    AddressFlow address = AddressFlow::None;
    std::string_view operands; ///< Operand letters; see opcodes.def.
    Type type = Type::None;    ///< Type of the operation; destination type of cvt and set.
    Type source = Type::None;  ///< Source type of cvt, set and setp.
    Cmp cmp = Cmp::None;
    BoolOp boolOp = BoolOp::None;
    Rounding rounding = Rounding::None;
    bool ftz = false;
    bool saturate = false; ///< .sat, or .add of vabsdiff.
    bool relu = false;     ///< .relu: clamps negative results to 0
    Space space = Space::Generic;
    int vector = 1;           ///< Number of elements of ld and st: 1, 2 or 4.
    bool nonCoherent = false; ///< ld.global.nc
    CachePolicy cache = CachePolicy::Normal;
    AtomOp atom = AtomOp::None; ///< Used by atom, red, redux and bar.red (popc: Add).
    Order order = Order::Weak;
    Scope scope = Scope::None;
    TestpKind testp = TestpKind::Finite;
    bool carryIn = false, carryOut = false;
    ShuffleMode shuffle = ShuffleMode::Index;
    VoteMode vote = VoteMode::Any;
    MatrixShape matrix; ///< For mma, the sizes. For ldmatrix, the number of matrices (`k`) and `transposed`.
};

} // namespace sparserl::ptx
