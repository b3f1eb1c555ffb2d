// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "evaluation/judge.h"
#include "matrix/csr.h"
#include "policy/sampling.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// How a policy shall write programs. What is 0 stays as the policy's own generation settings say.
struct GenerationOptions
{
    int count = 10;         ///< Programs per matrix.
    double temperature = 0; ///< 0: the policy's own.
    int maxTokens = 0;      ///< 0: the policy's own.
    int topK = 0;
    double topP = 1;
    double broadShare = 0; ///< Of the mixture that is drawn from all tokens at broadTemperature.
    double broadTemperature = 0.7;
    bool greedy = false;
    int beam = 0; ///< Beams of a search in place of sampling, at least `count`; 0: sampling.
    bool verifier = true;
    std::string device = "auto", precision = "fp32"; ///< Where the policy computes: compute.h, computeFor.
    std::uint64_t seed = 1; ///< The n-th program of a matrix depends on it, on the matrix and on n only.
};

/// A matrix that programs are written for.
struct GenerationTarget
{
    std::string name;
    std::string digest;
    std::shared_ptr<const Csr> matrix;
    std::int64_t denseColumns = 8; ///< Of B, for programs whose plan says SpMM.
};

struct GeneratedProgram
{
    std::string text;
    double logProb = 0; ///< Of the whole program under the policy at the sampling temperature.
    std::size_t tokens = 0;
    bool finished = false;
    std::string stopReason; ///< Why it cannot compile; empty if it may.
};

/// A policy that writes programs for matrices, for those who know no tensors (command line, window).
class ProgramWriter
{
public:
    /// Loads a policy directory (stage.h, findPolicy). Fails too where the options make no sense.
    static Result<ProgramWriter> load(const std::filesystem::path& policy, const GenerationOptions& options);
    ProgramWriter(ProgramWriter&&) noexcept;
    ProgramWriter& operator=(ProgramWriter&&) noexcept;
    ~ProgramWriter();

    /// Programs in order; `progress` gets a fraction of the longest that this can take. On cancel those that
    /// were not finished are returned as they are.
    std::vector<GeneratedProgram> write(const GenerationTarget& target, const CancelToken& cancel,
                                        const std::function<void(double fraction)>& progress) const;

private:
    struct Impl;
    explicit ProgramWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Verdicts of a matrix's programs, in their order. Programs with a stopReason are not compiled.
Result<std::vector<VerdictRecord>> judgeGenerated(Judge& judge, const GenerationTarget& target,
                                                  const std::vector<GeneratedProgram>& programs,
                                                  std::uint64_t seed, const CancelToken& cancel,
                                                  const std::function<void(double fraction)>& progress);

} // namespace sparserl
