// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/plan.h"
#include "machine/shared_memory.h"
#include "matrix/formats.h"
#include "matrix/target.h"

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace sparserl {

/// The role of a buffer in a bound plan. It decides who may write the buffer and how it is filled
/// (docs/formats.md 1).
enum class BufferRole
{
    Matrix,   ///< An array of CSR, of a format or of a part; read-only, filled from `data`.
    Scratch,  ///< Poisoned, or zeroed if `zero`, before every call.
    Prepared, ///< Poisoned once, written by prepare calls, then read-only.
    Input,    ///< x or B, or an input or weight of an operator.
    Output    ///< y or C, or an output of an operator; poisoned, or zeroed if `zero`.
};

struct BoundBuffer
{
    std::string name; ///< The name in the plan: "sell.col", "x", "carry".
    BufferRole role = BufferRole::Matrix;
    ElementType type = ElementType::I32;
    std::int64_t count = 0;
    bool zero = false;
    std::vector<std::byte> data; ///< The contents of a Matrix buffer; empty for other roles.
    std::int64_t bytes() const { return count * static_cast<std::int64_t>(sizeOf(type)); }
};

/// An argument of a call: the index of a buffer, an integer (the PTX gives its size), a float32, or a factor
/// of the call in a given type. Arguments match parameters by position.
struct BufferRef
{
    int index = 0;
};
struct FactorRef
{
    Factor factor = Factor::Alpha;
    ElementType type = ElementType::F32;
};
using BoundArgument = std::variant<BufferRef, std::int64_t, float, FactorRef>;

struct BoundCall
{
    std::string kernel;
    std::array<std::int64_t, 3> grid{1, 1, 1};
    std::array<std::int64_t, 3> block{1, 1, 1};
    std::int64_t dynamicSharedBytes = 0;
    std::vector<BoundArgument> arguments;
    int line = 0;         ///< The line in the plan, from 1.
    bool skipped = false; ///< The grid has a zero extent; nothing is launched.
};

/// A plan evaluated for one target.
struct BoundPlan
{
    std::vector<BoundBuffer> buffers;      ///< The buffers that a call uses, in the order of first use.
    std::vector<BoundCall> prepares;       ///< Run once, in order.
    std::vector<BoundCall> launches;       ///< Run on every call, in order.
    std::int64_t setupBytes = 0;           ///< Bytes of formats and prepared buffers in addition to CSR.
    double conversionSeconds = 0;          ///< Seconds on the host to build the formats; part of t_setup.
    int find(std::string_view name) const; ///< Index of a buffer, or -1.
};

/// Says why a plan cannot be bound: the resulting verdict (docs/formats.md 2), the line and the reason.
struct BindFailure
{
    enum class Kind
    {
        PlanError,
        FormatError,
        LaunchError
    };
    Kind kind = Kind::PlanError;
    int line = 0;
    std::string reason;
    bool outOfMemory = false; ///< Binding needed more memory than is available.
};

struct DeviceLimits
{
    std::int64_t maxThreadsPerBlock = 1024;
    std::array<std::int64_t, 3> maxBlock{1024, 1024, 64};
    std::array<std::int64_t, 3> maxGrid{2147483647, 65535, 65535};
    std::int64_t maxSharedBytes = sharedBytesOfEveryDevice; ///< Static plus dynamic bytes, without opt-in.
    std::int64_t maxSharedOptinBytes = 227 * 1024;
    int smCount = 132;
};

/// Evaluates all expressions and builds formats and parts. A plan whose element type differs from the type of
/// the contents is a PlanError.
tl::expected<BoundPlan, BindFailure> bindPlan(const Plan& plan, const SparseContents& contents,
                                              const DeviceLimits& limits);
/// The same for contents of any kind. A plan for another kind of target is a PlanError.
tl::expected<BoundPlan, BindFailure> bindPlan(const Plan& plan, const Contents& contents,
                                              const TargetVariant& variant, const DeviceLimits& limits);

} // namespace sparserl
