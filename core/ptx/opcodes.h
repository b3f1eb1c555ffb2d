// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/types.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
    std::string text; ///< "ld.global.nc.v2.f32"
    Op op = Op::Mov;
    Type type = Type::None;   ///< Of the operation; destination of cvt and set.
    Type source = Type::None; ///< Source type of cvt, set and setp.
    Cmp cmp = Cmp::None;
    BoolOp boolOp = BoolOp::None;
    Rounding rounding = Rounding::None;
    bool ftz = false;
    bool saturate = false; ///< .sat; of vabsdiff: .add
    Space space = Space::Generic;
    int vector = 1;           ///< Elements of ld and st: 1, 2 or 4.
    bool nonCoherent = false; ///< ld.global.nc
    AtomOp atom = AtomOp::None;
    Order order = Order::Weak;
    Scope scope = Scope::None;
    TestpKind testp = TestpKind::Finite;
    MatrixShape matrix; ///< mma: sizes; ldmatrix: `k` matrices, transposed or not.
};

/// The form with exactly this text, or nullptr: not allowed.
const OpcodeForm* findOpcode(std::string_view text);
/// Every allowed form, sorted by text.
const std::vector<OpcodeForm>& allOpcodes();

/// A special register that may be read ("%tid.x"), or nothing: clocks, SM and warp numbers are not allowed.
std::optional<SpecialRegister> findSpecialRegister(std::string_view name);

/// True for names such as "%clock64" that PTX reserves, allowed or not.
bool isSpecialRegisterName(std::string_view name);

} // namespace sparserl::ptx
