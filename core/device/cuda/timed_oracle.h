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

/// An oracle's copy of a matrix in device memory, to which no plan refers. It is kept as long as the same
/// matrix is requested.
class OracleMatrix
{
public:
    /// Returns `kept` if it holds this matrix, otherwise a new object.
    static Result<std::shared_ptr<const OracleMatrix>> of(Gpu& gpu, std::shared_ptr<const OracleMatrix>& kept,
                                                          const std::shared_ptr<const Csr>& matrix);
    const Csr& matrix() const { return *m_matrix; }
    /// Returns the mean length of a row that is drawn for comparison.
    double meanDrawnLength() const { return m_meanDrawnLength; }
    CUdeviceptr rowPtr() const { return m_memory.address(); }
    CUdeviceptr col() const { return m_col; }
    CUdeviceptr val() const { return m_val; }
    /// Returns the address range of the whole matrix, with its size in words.
    Range range() const { return {m_memory.address(), static_cast<std::uint64_t>(m_memory.bytes()) / 4}; }

private:
    OracleMatrix() = default;
    static double meanDrawn(const Csr& matrix);
    std::shared_ptr<const Csr> m_matrix;
    DeviceMemory m_memory;
    CUdeviceptr m_col = 0, m_val = 0;
    double m_meanDrawnLength = 1;
};

/// Compares outputs of timed calls in place with products of the same inputs, in double precision (for
/// doubles, in twice that precision). The results that are timed are therefore also the results that are
/// compared (docs/evaluation.md 4). Runs between samples, outside the timed part. Nothing that a call can
/// read depends on whether or where its output is compared.
///
/// A comparison covers some elements of a call. Half of them are drawn by row and half by entry, so long
/// rows, which hold most of the work, are drawn in proportion to their cost. For some calls, and for small
/// outputs, a comparison covers all elements. It takes the inputs from a copy at an address that programs do
/// not know, and the program's inputs must equal the copy. The results of comparisons are sums of keys that
/// differ per sample and exist only in kernel parameters: even a program that found the location of a result
/// could not write a correct one.
class TimedOracle
{
public:
    /// `inputs`: the areas of the plan's input by slot, in state 0 (no signs changed); empty if the plan
    /// reads no input. `ring`: the contents of the areas, in the matrix's type. `signSeed`: Renewal::seed().
    static Result<TimedOracle> make(Gpu& gpu, std::shared_ptr<const OracleMatrix> matrix,
                                    const CompareRequest& request, const InputRanges& inputs,
                                    std::span<const CallInputs> ring, std::uint64_t signSeed,
                                    std::uint64_t seed);

    /// A compared call.
    struct Look
    {
        std::uint64_t output = 0;
        std::uint32_t slot = 0,
                      from = 0; ///< The slot of the call's input, and the first element in that slot.
    };
    /// Records the results of a sequence of calls and returns its number. Do not call it during a capture.
    Result<int> watch(const std::vector<Look>& looks);
    /// Enqueues a comparison of a sequence's results.
    Status compare(int sequence, const Renewal& renewal);
    /// Waits for all comparisons and sets `found`. Returns a Fault if the program wrote to an input or to the
    /// oracle's memory.
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
    std::uint64_t m_stride = 0; ///< Number of elements per slot.
    std::uint32_t m_inputs = 0, m_items = 0, m_longest = 0;
    int m_wholes = 0; ///< Number of remaining samples in which a whole call is compared.
    std::vector<Sequence> m_sequences;
    std::vector<std::uint64_t> m_keys, m_expected; ///< One element per comparison.
    std::uint64_t m_random = 0;
    std::int64_t m_calls = 0, m_elements = 0;
};

} // namespace sparserl::cuda
