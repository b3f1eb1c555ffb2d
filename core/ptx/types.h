// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Plain enumerations of PTX, without standard containers: files compiled for one instruction set include this
// header.
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
    // Types of a few instructions only; registers that hold them are bits.
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

/// Operations; ptx/op.h names them.
enum class Op : std::uint8_t;

/// How an instruction is executed.
enum class Action : std::uint8_t
{
    Lane,     ///< Registers to registers, lane by lane.
    Compare,  ///< The same, with predicates or all ones as results.
    Classify, ///< The same, with predicates as results: testp.
    Carry,    ///< The same, with the carry flag.
    Move,     ///< The same, also for parts of a register and addresses of variables.
    Convert,  ///< The same, between registers of any width.
    ToGeneric,
    FromGeneric,
    IsInSpace,
    Load,
    Store,
    Atomic,
    Prefetch,
    CopyAsync,
    CopyCommit,
    CopyWait,
    LoadMatrix,
    MultiplyMatrix,
    Shuffle,
    Vote,
    Match,
    ActiveMask,
    Reduce,
    WarpSync,
    Barrier,
    BarrierArrive,
    BarrierReduce,
    Fence,
    Branch,
    Call,
    Return,
    Exit,
    Trap
};

/// From registers to registers, each lane separately.
constexpr bool isByLane(Action action)
{
    return action <= Action::FromGeneric;
}

/// The execution unit of an instruction in the cost model.
enum class Pipe : std::uint8_t
{
    Integer,
    Float,
    Double,
    Special,
    Memory,
    Shared,
    Shuffle,
    Control
};
constexpr int pipeCount = 8;
/// Clocks until a dependent instruction can start, for arithmetic.
constexpr std::uint16_t latencyOf(Pipe pipe)
{
    return pipe == Pipe::Double ? 8 : pipe == Pipe::Special ? 18 : 4;
}

/// The effect of an operation on an address among its sources.
enum class AddressFlow : std::uint8_t
{
    None,       ///< Any other effect.
    Copy,       ///< Copies it; the source may be the name of a variable.
    Sum,        ///< Another position in the same data, if one source is an address.
    Difference, ///< The same, if the first source is the address.
    Addend,     ///< The same, if the last source is the address.
    Choice      ///< One of the sources.
};

/// Whether L1 keeps loaded data.
enum class CachePolicy : std::uint8_t
{
    Normal,
    /// .cg bypasses L1. Streaming loads (.cs) are evicted first: measurements show the same behaviour as
    /// bypassing.
    PastL1
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
/// How an atomic operation, or one over the lanes of a warp or the threads of a block, combines values.
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
/// The strength of a memory operation: weak (plain), volatile or relaxed (no races among themselves), or
/// ordered.
enum class Order : std::uint8_t
{
    Weak,
    Volatile,
    Relaxed,
    Acquire,
    Release,
    AcqRel
};
/// The scope of a fence or an ordered operation.
enum class Scope : std::uint8_t
{
    None,
    Cta,
    Gpu,
    Sys
};
enum class ShuffleMode : std::uint8_t
{
    Up,
    Down,
    Butterfly,
    Index
};
/// For votes and matches.
enum class VoteMode : std::uint8_t
{
    Any,
    All,
    Uniform,
    Ballot
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
