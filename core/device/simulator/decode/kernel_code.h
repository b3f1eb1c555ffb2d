// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "device/simulator/decode/address_space.h"
#include "device/simulator/lanes/lane_ops.h"
#include "device/simulator/lanes/scalar_ops.h"
#include "ptx/module.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sparserl::sim {

enum class Kind : std::uint8_t
{
    Lane,
    Scalar, ///< One lane at a time.
    Pack,
    Unpack,
    IsInSpace,
    Load,
    Store,
    Atomic,
    Shuffle,
    Vote,
    Match,
    ActiveMask,
    Reduce,
    LoadMatrix,
    MultiplyMatrix,
    CopyAsync,
    CopyCommit,
    CopyWait,
    WarpSync,
    Barrier,
    BarrierArrive,
    BarrierReduce,
    Fence,
    Branch,
    Exit,
    Trap
};

/// The operands from which an operation on lanes propagates the uninitialised state.
enum class Passes : std::uint8_t
{
    All,
    Chosen, ///< selp: the operand selected by the predicate.
    Both,   ///< and.pred: none if the other operand is false.
    Either  ///< or.pred: none if the other operand is true.
};

/// An executable instruction: operands are byte offsets in the register file of a warp.
struct Insn
{
    LaneFn full = nullptr, masked = nullptr; ///< Kind::Lane
    ScalarFn scalar = nullptr;               ///< Kind::Scalar
    LaneArgs args;
    Kind kind = Kind::Lane;
    std::uint8_t mode = 0; ///< For a shuffle (ptx::ShuffleMode), vote or match (ptx::VoteMode).
    ptx::Type type = ptx::Type::None;
    ptx::Space space = ptx::Space::Generic;
    ptx::AtomOp atom = ptx::AtomOp::None;
    ptx::Order order = ptx::Order::Weak;
    ptx::Scope scope = ptx::Scope::None;
    ptx::Pipe pipe = ptx::Pipe::Integer;
    std::uint8_t width = 4;  ///< Bytes per element in memory.
    std::uint8_t vector = 1; ///< Number of elements.
    bool join = false;       ///< A branch reconverges here.
    bool leader = false;     ///< A branch target.
    bool guarded = false, guardNegated = false;
    bool addressWide = true;     ///< The address register has 64 bits.
    bool internal = false;       ///< Created during decoding, not counted.
    bool cachedL1 = true;        ///< Loads that L1 may serve.
    bool fullMask = false;       ///< The member mask of a warp-wide instruction is constant and includes all
                                 ///< lanes.
    bool readOnly = false;       ///< ld.global.nc: the memory must not change during the launch.
    Passes passes = Passes::All; ///< Kind::Lane
    std::array<bool, 4> valueWide{}; ///< The registers of `values` have 64 bits.
    std::array<std::uint32_t, 4> values{noSlot, noSlot, noSlot, noSlot}; ///< Loaded or stored registers.
    std::uint32_t guard = noSlot;
    std::uint32_t address = noSlot; ///< Address register.
    std::int64_t offset = 0;
    std::uint32_t target = 0;              ///< Branch target.
    std::uint32_t reconverge = 0;          ///< Where the sides of a branch meet; the code size: nowhere.
    std::uint32_t lineIndex = 0;           ///< Index into KernelCode::lines.
    std::uint16_t latency = 4;             ///< Clocks until a dependent instruction, for arithmetic.
    std::array<std::uint16_t, 4> writes{}; ///< Scoreboard numbers; 0: none.
    std::array<std::uint16_t, 6> reads{};
    std::uint8_t writeCount = 0, readCount = 0;
};

/// The registers that each instruction reads and writes, by number, for tracking their contents.
class RegisterOperands
{
public:
    struct Operand
    {
        std::uint32_t number = 0;
        bool write = false;
        bool guard = false; ///< The guarding predicate of the instruction.
    };

    RegisterOperands() = default;
    /// `begins`: the start of each instruction's operands, and the end of the last ones. `slots`: location of
    /// each register.
    RegisterOperands(std::vector<Operand> operands, std::vector<std::uint32_t> begins,
                     std::vector<std::uint32_t> slots)
        : m_operands(std::move(operands))
        , m_begins(std::move(begins))
        , m_slots(std::move(slots))
    {
    }
    std::span<const Operand> of(std::uint32_t instruction) const
    {
        return {m_operands.data() + m_begins[instruction], m_operands.data() + m_begins[instruction + 1]};
    }
    std::size_t registers() const { return m_slots.size(); }
    std::uint32_t slot(std::uint32_t number) const { return m_slots[number]; }

private:
    std::vector<Operand> m_operands;
    std::vector<std::uint32_t> m_begins, m_slots;
};

struct SharedVariable
{
    std::string name;
    std::int64_t offset = 0, bytes = 0;
    int elementBytes = 1;
};

/// A kernel decoded once: calls inlined, registers placed, branches with their reconvergence points.
struct KernelCode
{
    std::string name;
    AddressPlan addresses;
    std::vector<Insn> code;
    std::vector<int> lines;    ///< Program line of each line index.
    std::vector<int> ptxLines; ///< PTX line of each line index; only if `byPtxLine`.
    bool byPtxLine = false;    ///< Every PTX line has its own index.
    /// Registers of matrix instructions: `args.imm` of the instruction gives the start of its D, A, B and C.
    std::vector<std::uint32_t> matrixSlots;
    std::vector<const ptx::OpcodeForm*> matrixForms; ///< `args.e` of a matrix instruction.
    std::uint32_t registerBytes = 0;
    /// A register that some path reads before any write.
    struct Unwritten
    {
        std::uint32_t offset = 0;
        std::uint8_t bytes = 4; ///< Size of a lane's value; 0: a predicate.
    };
    std::vector<Unwritten> unwritten;
    RegisterOperands operands;
    std::uint32_t scoreboardSize = 1;
    struct Constant
    {
        std::uint32_t offset = 0;
        bool wide = false;
        std::uint64_t bits = 0;
    };
    std::vector<Constant> constants;
    /// A constant with `bytes` bytes of the parameter block from `at`.
    struct ParamUse
    {
        std::uint32_t offset = 0;
        bool wide = false;
        std::uint32_t at = 0;
        std::uint8_t bytes = 4;
        bool sign = false;
    };
    std::vector<ParamUse> paramUses;
    std::vector<std::uint32_t> paramOffsets;
    std::vector<std::int64_t> paramSizes;
    std::uint32_t paramBytes = 0;
    std::array<std::uint32_t, 19> specials{}; ///< By SpecialRegister; noSlot: not read.
    std::vector<SharedVariable> shared;
    std::int64_t staticShared = 0;
    std::int64_t localBytes = 0;
    std::vector<std::byte> constantBytes; ///< .const variables
    std::vector<std::byte> variableBytes; ///< .global variables: read-only, zero where not initialised
    std::array<std::int64_t, 3> maxntid{0, 0, 0}, reqntid{0, 0, 0};
    int registerEstimate = 0; ///< Used if the assembler reports none.
    bool floatAtomics = false;
    bool strongStores = false; ///< Volatile, relaxed and ordered stores, and swaps.
    bool orders = false;       ///< Fences or ordered accesses: blocks may observe each other's actions.
    bool blockScope = false;   ///< Fences or strong accesses with block scope.
};

/// Decodes an entry of a module without unsupported instructions (ptx::firstUnsupported). An Error is an
/// exceeded limit or code that an assembler would refuse: the program's fault, not ours. Addresses of
/// variables are those of the plan. `byPtxLine`: see KernelCode.
Result<KernelCode> decodeKernel(const ptx::Module& module, const ptx::Function& entry,
                                const AddressPlan& addresses = {}, bool byPtxLine = false);

} // namespace sparserl::sim
