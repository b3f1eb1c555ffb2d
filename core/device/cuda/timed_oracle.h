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

/// The matrix of an oracle in device memory that no plan refers to. Kept while the same matrix is requested.
class OracleMatrix
{
public:
    /// Returns `kept` if it holds this matrix, otherwise a new one.
    static Result<std::shared_ptr<const OracleMatrix>> of(Gpu& gpu, std::shared_ptr<const OracleMatrix>& kept,
                                                          const std::shared_ptr<const Csr>& matrix);
    const Csr& matrix() const { return *m_matrix; }
    /// Mean length of a row drawn for comparison.
    double meanDrawnLength() const { return m_meanDrawnLength; }
    CUdeviceptr rowPtr() const { return m_memory.address(); }
    CUdeviceptr col() const { return m_col; }
    CUdeviceptr val() const { return m_val; }
    /// The whole matrix, in words.
    Range range() const { return {m_memory.address(), static_cast<std::uint64_t>(m_memory.bytes()) / 4}; }

private:
    OracleMatrix() = default;
    static double meanDrawn(const Csr& matrix);
    std::shared_ptr<const Csr> m_matrix;
    DeviceMemory m_memory;
    CUdeviceptr m_col = 0, m_val = 0;
    double m_meanDrawnLength = 1;
};

/// Compares outputs of timed calls in place with products of the same inputs, in double precision (twice that
/// for doubles): the timed results are also the compared ones (docs/evaluation.md 4). Runs between samples,
/// outside the timed part. Nothing readable in a call depends on whether or where its output is compared.
///
/// A comparison covers some elements of a call, half of them drawn by row and half by entry, so long rows,
/// which hold most of the work, are drawn in proportion to their cost. For some calls, and for small outputs,
/// it covers all elements. Inputs come from a copy at an address unknown to programs, and the program's
/// inputs must equal it. Results are sums of keys that differ per sample and exist only in kernel parameters:
/// even a program that found their location could not write a correct one.
class TimedOracle
{
public:
    /// `inputs`: the areas of the plan's input by slot, in state 0 (no signs changed); empty if the plan
    /// reads none. `ring`: their contents, in the matrix's type. `signSeed`: from the renewal.
    static Result<TimedOracle> make(Gpu& gpu, std::shared_ptr<const OracleMatrix> matrix,
                                    const CompareRequest& request, const InputRanges& inputs,
                                    std::span<const CallInputs> ring, std::uint64_t signSeed,
                                    std::uint64_t seed);

    /// A compared call.
    struct Look
    {
        std::uint64_t output = 0;
        std::uint32_t slot = 0, from = 0; ///< The slot of its input, and its first element there.
    };
    /// Records the results of a sequence of calls and returns its number. Do not call it during a capture.
    Result<int> watch(const std::vector<Look>& looks);
    /// Enqueues a comparison of a sequence's results.
    Status compare(int sequence, const Renewal& renewal);
    /// Waits and returns the results, or a Fault if the program wrote to memory that it must not know.
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
    CUdeviceptr m_common = 0;   ///< Constant parameters of the kernel.
    std::uint64_t m_stride = 0; ///< Elements per slot.
    std::uint32_t m_inputs = 0, m_items = 0, m_longest = 0;
    int m_wholes = 0; ///< Remaining samples with comparison of a whole call.
    std::vector<Sequence> m_sequences;
    std::vector<std::uint64_t> m_keys, m_expected; ///< Per comparison.
    std::uint64_t m_random = 0;
    std::int64_t m_calls = 0, m_elements = 0;
};

} // namespace sparserl::cuda
