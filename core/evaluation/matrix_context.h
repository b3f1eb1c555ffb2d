// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device_model.h"
#include "evaluation/oracle.h"
#include "evaluation/shared_buffer.h"
#include "matrix/csr.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

/// A matrix that runners can map, with its identity in their caches.
struct SharedMatrix
{
    std::string key;
    std::shared_ptr<const Csr> matrix;
    std::shared_ptr<SharedBuffer> buffer;

    static Result<SharedMatrix> make(std::string key, std::shared_ptr<const Csr> matrix);
};

/// Inputs of one evaluation and what they should give.
struct EvaluationInputs
{
    std::vector<float> integers, first, second; ///< second: for the run after timing.
    Reference integersReference, firstReference, secondReference;
};

/// Everything about a target matrix that does not depend on the program: variants, inputs, bytes. The values
/// of the integer variant and of the small relative depend on the judge's secret, the inputs also on the
/// request's seed.
class MatrixContext
{
public:
    static Result<std::shared_ptr<MatrixContext>> make(std::shared_ptr<const Csr> matrix, std::string digest,
                                                       std::uint64_t secret);

    const std::string& digest() const { return m_digest; }
    const SharedMatrix& target() const { return m_target; }
    const SharedMatrix& integers() const { return m_integers; } ///< Key empty: no exact integers possible.
    const SharedMatrix& relativeIntegers() const { return m_relativeIntegers; }
    const SharedMatrix& relative() const { return m_relative; }
    int vectorLimit() const { return m_vectorLimit; }
    std::int64_t bytes() const { return m_bytes; }

    /// Cached for the last few seeds.
    std::shared_ptr<const EvaluationInputs> inputs(std::uint64_t seed, std::int64_t columns);

    /// Bytes any program has to move: every value, every element of x that some entry needs, every element of
    /// y. Indices are left out: a format may do without.
    std::int64_t compulsoryBytes(std::int64_t columns) const;
    /// Microseconds no program can beat: the launch, and those bytes from L2 where all fits, else from DRAM.
    double floorMicroseconds(const DeviceModel& model, std::int64_t columns) const;

private:
    MatrixContext() = default;
    std::string m_digest;
    std::uint64_t m_secret = 0;
    SharedMatrix m_target, m_integers, m_relativeIntegers, m_relative;
    int m_vectorLimit = 0;
    std::int64_t m_usedColumns = 0;
    std::int64_t m_bytes = 0;
    std::map<std::pair<std::uint64_t, std::int64_t>, std::shared_ptr<const EvaluationInputs>> m_inputs;
};

/// A seed for one purpose, from the judge's secret: SHA-256, so that nothing a program sees tells another.
std::uint64_t deriveSeed(std::uint64_t secret, std::uint64_t seed, std::string_view purpose);

} // namespace sparserl
