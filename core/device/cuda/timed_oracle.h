// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/arena.h"
#include "device/cuda/checksums.h"
#include "device/cuda/measurement.h"
#include "device/cuda/renewal.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace sparserl::cuda {

/// The matrix of an oracle in device memory, where no plan names it. Kept while the same one is asked for.
class OracleMatrix
{
public:
    /// The last one where it is of this matrix, else another.
    static Result<std::shared_ptr<const OracleMatrix>> of(Gpu& gpu, std::shared_ptr<const OracleMatrix>& kept,
                                                          const std::shared_ptr<const Csr>& matrix);
    const Csr& matrix() const { return *m_matrix; }
    /// Of a row that is drawn for a comparison.
    double meanDrawnLength() const { return m_meanDrawnLength; }
    CUdeviceptr rowPtr() const { return m_memory.address(); }
    CUdeviceptr col() const { return m_col; }
    CUdeviceptr val() const { return m_val; }
    /// All of it, in words.
    Range range() const { return {m_memory.address(), static_cast<std::uint64_t>(m_memory.bytes()) / 4}; }

private:
    OracleMatrix() = default;
    static double meanDrawn(const Csr& matrix);
    std::shared_ptr<const Csr> m_matrix;
    DeviceMemory m_memory;
    CUdeviceptr m_col = 0, m_val = 0;
    double m_meanDrawnLength = 1;
};

/// Compares outputs of timed calls, where they lie, with products of the inputs that those calls had, in
/// double precision, for doubles in twice that: what is timed is what is compared (docs/evaluation.md 4).
/// Runs between samples, after the clock has stopped; nothing that a call can read depends on whether, or
/// where, its output is looked at.
///
/// Of a call that is looked at some elements are compared, half of them drawn by row and half by entry, so
/// that long rows, where most of the work is, come as often as they cost; of some calls, and where there are
/// few, all elements. Inputs are taken from a copy that no program has the address of, and what it read has
/// to equal it. Results are sums of keys that differ by sample and are in kernels' parameters only: a program
/// that found the place could not write a right one.
class TimedOracle
{
public:
    /// `inputs`: the areas of the plan's input by slot, in state 0 (no signs changed); empty where the plan
    /// reads none. `ring`: what they hold, of the matrix's type. `signSeed`: of the renewal.
    static Result<TimedOracle> make(Gpu& gpu, std::shared_ptr<const OracleMatrix> matrix,
                                    const CompareRequest& request, const InputRanges& inputs,
                                    std::span<const CallInputs> ring, std::uint64_t signSeed,
                                    std::uint64_t seed);

    /// A call that is looked at.
    struct Look
    {
        std::uint64_t output = 0;
        std::uint32_t slot = 0, from = 0; ///< The slot of its input, and its first element there.
    };
    /// Notes what a sequence of calls leaves; gives its number. Not during a capture.
    Result<int> watch(const std::vector<Look>& looks);
    /// Enqueues a comparison of what a sequence has left.
    Status compare(int sequence, const Renewal& renewal);
    /// Waits, and says what was found. A Fault: the program wrote to what it may not know of.
    Result<std::optional<Fault>> finish(ComparedCalls& found);

private:
    explicit TimedOracle(Gpu& gpu)
        : m_gpu(&gpu)
    {
    }
    struct Sequence
    {
        DeviceMemory looks;
        std::uint32_t count = 0;
    };
    Status planItems(const CompareRequest& request);
    Status takeInputs(const InputRanges& inputs, std::span<const CallInputs> ring, std::uint64_t signSeed);

    Gpu* m_gpu;
    std::shared_ptr<const OracleMatrix> m_matrix;
    std::int64_t m_columns = 1;
    double m_underflow = 0;
    DeviceMemory m_given, m_results;
    std::optional<Checksums> m_sums;
    CUdeviceptr m_common = 0;   ///< Parameters of the kernel that do not change.
    std::uint64_t m_stride = 0; ///< Elements of a slot.
    std::uint32_t m_inputs = 0, m_items = 0, m_longest = 0;
    int m_wholes = 0; ///< Samples of which a whole call is still to be compared.
    std::vector<Sequence> m_sequences;
    std::vector<std::uint64_t> m_keys, m_expected; ///< Of each comparison.
    std::uint64_t m_random = 0;
    std::int64_t m_calls = 0, m_elements = 0;
};

} // namespace sparserl::cuda
