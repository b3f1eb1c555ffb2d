// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/types.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace sparserl::ptx {

/// Sizes of a matrix instruction, and registers of D, A, B and C.
struct MatrixShape
{
    int m = 0, n = 0, k = 0;
    int d = 0, a = 0, b = 0, c = 0;
    bool transposed = false;
};

/// One allowed full form (base opcode and modifiers), decoded. What is in this table is what the gate lets
/// through and what the simulator runs; nothing else is either.
struct OpcodeForm
{
    std::string text;         ///< "ld.global.nc.v2.f32"
    std::uint16_t family = 0; ///< The row of FORMS in opcodes.def that it is from, by number.
    Op op{};
    Action action = Action::Lane;
    Pipe pipe = Pipe::Integer;
    AddressFlow address = AddressFlow::None;
    std::string_view operands; ///< Their letters; see opcodes.def.
    Type type = Type::None;    ///< Of the operation; destination of cvt and set.
    Type source = Type::None;  ///< Source type of cvt, set and setp.
    Cmp cmp = Cmp::None;
    BoolOp boolOp = BoolOp::None;
    Rounding rounding = Rounding::None;
    bool ftz = false;
    bool saturate = false; ///< .sat; of vabsdiff: .add
    bool relu = false;     ///< .relu: nothing below 0
    Space space = Space::Generic;
    int vector = 1;           ///< Elements of ld and st: 1, 2 or 4.
    bool nonCoherent = false; ///< ld.global.nc
    CachePolicy cache = CachePolicy::Normal;
    AtomOp atom = AtomOp::None; ///< Of atom and red, redux and bar.red (popc: Add).
    Order order = Order::Weak;
    Scope scope = Scope::None;
    TestpKind testp = TestpKind::Finite;
    bool carryIn = false, carryOut = false;
    ShuffleMode shuffle = ShuffleMode::Index;
    VoteMode vote = VoteMode::Any;
    MatrixShape matrix; ///< mma: sizes; ldmatrix: `k` matrices, transposed or not.
};

} // namespace sparserl::ptx
