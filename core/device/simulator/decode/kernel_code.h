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
    Scalar, ///< Works on one lane at a time.
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

/// Selects the operands that make the result of a lane operation uninitialised if they are uninitialised.
enum class Passes : std::uint8_t
{
    All,
    Chosen, ///< selp: the operand that the predicate selects.
    Both,   ///< and.pred: an operand, unless the other operand is false.
    Either  ///< or.pred: an operand, unless the other operand is true.
};

/// An executable instruction. Its operands are byte offsets in the register file of a warp.
struct Insn
{
    LaneFn full = nullptr, masked = nullptr; ///< Kind::Lane
    ScalarFn scalar = nullptr;               ///< Kind::Scalar
    LaneArgs args;
    Kind kind = Kind::Lane;
    std::uint8_t mode = 0; ///< ptx::ShuffleMode for a shuffle; ptx::VoteMode for a vote or match.
    ptx::Type type = ptx::Type::None;
    ptx::Space space = ptx::Space::Generic;
    ptx::AtomOp atom = ptx::AtomOp::None;
    ptx::Order order = ptx::Order::Weak;
    ptx::Scope scope = ptx::Scope::None;
    ptx::Pipe pipe = ptx::Pipe::Integer;
    std::uint8_t width = 4;  ///< Bytes per element in memory.
    std::uint8_t vector = 1; ///< Number of elements.
    bool join = false;       ///< Sides of a branch reconverge here.
    bool leader = false;     ///< A branch leads here.
    bool guarded = false, guardNegated = false;
    bool addressWide = true; ///< The address register has 64 bits.
    bool internal = false;   ///< Decoding added this instruction. It is not counted.
    bool cachedL1 = true;    ///< Whether L1 may serve this load.
    bool fullMask = false; ///< The member mask of a warp-wide instruction is constant and includes all lanes.
    bool readOnly = false; ///< ld.global.nc: the memory must not change during the launch.
    Passes passes = Passes::All;     ///< Kind::Lane
    std::array<bool, 4> valueWide{}; ///< Which registers of `values` have 64 bits.
    std::array<std::uint32_t, 4> values{noSlot, noSlot, noSlot,
                                        noSlot}; ///< The registers that are loaded or stored.
    std::uint32_t guard = noSlot;
    std::uint32_t address = noSlot; ///< The register with the address.
    std::int64_t offset = 0;
    std::uint32_t target = 0; ///< Branch target.
    std::uint32_t reconverge =
        0; ///< Where the sides of a branch meet. The size of the code means that they do not meet.
    std::uint32_t lineIndex = 0; ///< Index into KernelCode::lines.
    std::uint16_t latency = 4;   ///< For arithmetic: clocks until a dependent instruction can start.
    std::array<std::uint16_t, 4> writes{}; ///< Scoreboard numbers of the registers; 0: none.
    std::array<std::uint16_t, 6> reads{};
    std::uint8_t writeCount = 0, readCount = 0;
};

/// The registers that each instruction reads and writes, by number. Used to track what they contain.
class RegisterOperands
{
public:
    struct Operand
    {
        std::uint32_t number = 0;
        bool write = false;
        bool guard = false; ///< The operand is the predicate that guards the instruction.
    };

    RegisterOperands() = default;
    /// `begins` has the start of each instruction's operands and, at its end, the number of operands. `slots`
    /// has the location of each register.
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

/// A decoded kernel: calls are inlined, registers have their places, and branches have their reconvergence
/// points.
struct KernelCode
{
    std::string name;
    AddressPlan addresses;
    std::vector<Insn> code;
    std::vector<int> lines;    ///< Program line of each line index.
    std::vector<int> ptxLines; ///< PTX line of each line index; only if `byPtxLine`.
    bool byPtxLine = false;    ///< Every PTX line has a line index of its own.
    /// Registers of all matrix instructions. Those of one instruction (D, A, B, C) start at index `args.imm`.
    std::vector<std::uint32_t> matrixSlots;
    std::vector<const ptx::OpcodeForm*> matrixForms; ///< Forms of matrix instructions; `args.e` is the index.
    std::uint32_t registerBytes = 0;
    /// A register that is read before any write on some path.
    struct Unwritten
    {
        std::uint32_t offset = 0;
        std::uint8_t bytes = 4; ///< Size of the value in a lane; 0: a predicate.
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
    /// A constant that holds `bytes` bytes of the parameter block, starting at byte `at`.
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
    std::array<std::uint32_t, 19>
        specials{}; ///< Locations by SpecialRegister; noSlot: the kernel does not read it.
    std::vector<SharedVariable> shared;
    std::int64_t staticShared = 0;
    std::int64_t localBytes = 0;
    std::vector<std::byte> constantBytes; ///< Initial contents of .const variables.
    std::vector<std::byte> variableBytes; ///< Initial contents of .global variables, which are read-only;
                                          ///< zero unless initialised.
    std::array<std::int64_t, 3> maxntid{0, 0, 0}, reqntid{0, 0, 0};
    int registerEstimate = 0; ///< Registers per thread, used if the assembler reports none.
    bool floatAtomics = false;
    bool strongStores = false; ///< The kernel has volatile, relaxed or ordered stores, or swaps.
    bool orders =
        false; ///< The kernel has fences or ordered accesses, so blocks may observe each other's actions.
    bool blockScope = false; ///< The kernel has fences or strong accesses with block scope.
};

/// Decodes an entry of a module that has no unsupported instructions (ptx::firstUnsupported). Variables have
/// the addresses of the plan. Returns an Error if the code exceeds a limit or an assembler would refuse it;
/// both are faults of the program, not ours. `byPtxLine`: see KernelCode.
Result<KernelCode> decodeKernel(const ptx::Module& module, const ptx::Function& entry,
                                const AddressPlan& addresses = {}, bool byPtxLine = false);

} // namespace sparserl::sim
