// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Plain enumerations of PTX. No standard containers here: files compiled for one instruction set include it.
namespace sparserl::ptx {

enum class Type : std::uint8_t
{
    None,
    Pred,
    B8,
    B16,
    B32,
    B64,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F32,
    F64,
    // What only some instructions know; registers that hold them are bits.
    F16,
    BF16,
    F16x2,
    BF16x2,
    TF32
};

constexpr int bytesOf(Type type)
{
    switch (type) {
    case Type::B8:
    case Type::U8:
    case Type::S8:
        return 1;
    case Type::B16:
    case Type::U16:
    case Type::S16:
    case Type::F16:
    case Type::BF16:
        return 2;
    case Type::B32:
    case Type::U32:
    case Type::S32:
    case Type::F32:
    case Type::F16x2:
    case Type::BF16x2:
    case Type::TF32:
        return 4;
    case Type::B64:
    case Type::U64:
    case Type::S64:
    case Type::F64:
        return 8;
    case Type::Pred:
        return 1;
    case Type::None:
        break;
    }
    return 0;
}
constexpr bool isFloat(Type type)
{
    return type == Type::F32 || type == Type::F64;
}
constexpr bool isSigned(Type type)
{
    return type >= Type::S8 && type <= Type::S64;
}

enum class Space : std::uint8_t
{
    Generic,
    Param,
    Global,
    Const,
    Shared,
    Local
};

enum class Op : std::uint8_t
{
    // lane by lane, registers only
    Add,
    Sub,
    Mul,
    MulHi,
    MulWide,
    Mul24,
    Mad,
    MadHi,
    MadWide,
    Fma,
    Div,
    DivApprox,
    DivFull,
    Rem,
    Abs,
    Neg,
    Min,
    Max,
    MinNaN,
    MaxNaN,
    And,
    Or,
    Xor,
    Not,
    Shl,
    Shr,
    ShfLeftWrap,
    ShfLeftClamp,
    ShfRightWrap,
    ShfRightClamp,
    Bfe,
    Bfi,
    Bfind,
    BfindShift,
    Brev,
    Popc,
    Clz,
    Prmt,
    Lop3,
    Sad,
    Setp,
    Set,
    Selp,
    Mov,
    MovPack,
    Cvt,
    Rcp,
    RcpApprox,
    Sqrt,
    SqrtApprox,
    RsqrtApprox,
    Ex2,
    Lg2,
    Sin,
    Cos,
    Tanh,
    Testp,
    Copysign,
    AddCC,
    AddC,
    AddCCC,
    SubCC,
    SubC,
    SubCCC,
    CvtPair,
    Dp4a,
    Dp2aLo,
    Dp2aHi,
    AbsDiff4,
    AbsDiff2,
    // addresses
    Cvta,
    CvtaTo,
    Isspacep,
    // memory
    Ld,
    St,
    Atom,
    Red,
    Prefetch,
    CpAsync,
    CpAsyncCommit,
    CpAsyncWaitGroup,
    CpAsyncWaitAll,
    // between lanes
    LdMatrix,
    Mma,
    ShflUp,
    ShflDown,
    ShflBfly,
    ShflIdx,
    VoteAny,
    VoteAll,
    VoteUni,
    VoteBallot,
    MatchAny,
    MatchAll,
    Activemask,
    ReduxAdd,
    ReduxMin,
    ReduxMax,
    ReduxAnd,
    ReduxOr,
    ReduxXor,
    BarWarpSync,
    // between warps
    BarSync,
    BarArrive,
    BarRedPopc,
    BarRedAnd,
    BarRedOr,
    Fence,
    // control
    Bra,
    Call,
    Ret,
    Exit,
    Trap
};

enum class Cmp : std::uint8_t
{
    None,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    Num,
    Nan
};
enum class BoolOp : std::uint8_t
{
    None,
    And,
    Or,
    Xor
};
/// Rounding of a conversion: R* to a float, R*i to an integral value.
enum class Rounding : std::uint8_t
{
    None,
    Rn,
    Rz,
    Rm,
    Rp,
    Rni,
    Rzi,
    Rmi,
    Rpi
};
enum class AtomOp : std::uint8_t
{
    None,
    Add,
    Cas,
    Exch,
    Min,
    Max,
    And,
    Or,
    Xor,
    Inc,
    Dec
};
/// How strong a memory operation is: weak (plain), volatile or relaxed (no race among themselves), or with
/// order.
enum class Order : std::uint8_t
{
    Weak,
    Volatile,
    Relaxed,
    Acquire,
    Release,
    AcqRel
};
/// How far a fence or an ordered operation reaches.
enum class Scope : std::uint8_t
{
    None,
    Cta,
    Gpu,
    Sys
};
enum class TestpKind : std::uint8_t
{
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal
};

enum class SpecialRegister : std::uint8_t
{
    TidX,
    TidY,
    TidZ,
    NtidX,
    NtidY,
    NtidZ,
    CtaidX,
    CtaidY,
    CtaidZ,
    NctaidX,
    NctaidY,
    NctaidZ,
    LaneId,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    WarpSize
};

} // namespace sparserl::ptx
