// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Enumerations for PTX. This header includes no standard containers, because files that are compiled for a
// specific instruction set include it.
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
    // Only a few instructions have these types. Registers for their values have bit types.
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

/// The operations. ptx/op.h defines their names.
enum class Op : std::uint8_t;

/// How an instruction is executed.
enum class Action : std::uint8_t
{
    Lane,     ///< Computes registers from registers, separately in each lane.
    Compare,  ///< The same, but results are predicates or, for set, numbers for true and false.
    Classify, ///< The same, but results are predicates (testp).
    Carry,    ///< The same, but with the carry flag.
    Move,     ///< The same, but also for parts of a register and for addresses of variables.
    Convert,  ///< The same, but between registers of any width.
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

/// Returns whether the action computes registers from registers, separately in each lane.
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
/// Returns the clocks after an arithmetic instruction until a dependent instruction can start.
constexpr std::uint16_t latencyOf(Pipe pipe)
{
    return pipe == Pipe::Double ? 8 : pipe == Pipe::Special ? 18 : 4;
}

/// What an operation does with an address among its sources.
enum class AddressFlow : std::uint8_t
{
    None,       ///< Anything else.
    Copy,       ///< Copies the address. The source may be the name of a variable.
    Sum,        ///< If one source is an address, the result is another position in the same data.
    Difference, ///< The same if the address is the first source.
    Addend,     ///< The same if the address is the last source.
    Choice      ///< The result is one of the sources.
};

/// Whether L1 keeps loaded data.
enum class CachePolicy : std::uint8_t
{
    Normal,
    /// .cg bypasses L1. The data of streaming loads (.cs) are evicted first, which behaves like a bypass in
    /// measurements.
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
/// Rounding of a conversion. R* rounds to a float, R*i to an integral value.
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
/// How an atomic operation, or a reduction over the lanes of a warp or the threads of a block, combines
/// values.
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
/// The strength of a memory operation: plain (weak), volatile or relaxed (two such operations do not race),
/// or ordered.
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
/// The mode of a vote or a match.
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
