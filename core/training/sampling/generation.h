// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "evaluation/judge.h"
#include "matrix/target.h"
#include "policy/sampling/sampling.h"
#include "training/data/refine_prompt.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

struct GeneratedProgram
{
    std::string text;
    double logProb = 0; ///< Of the whole program under the policy at the sampling temperature.
    std::size_t tokens = 0;
    bool finished = false;
    std::string stopReason; ///< Why it cannot compile; empty if it may.
};

/// Some of the programs that a policy may write for a matrix.
struct ProgramRange
{
    std::size_t first = 0;  ///< Number of the first.
    std::size_t count = 10; ///< How many.
    double temperature = 0; ///< 0: as the options say. Greedy and beams ignore it.
    bool forTask = false;   ///< The prompt asks for the target's task, where the policy's asks for another.
    /// The programs improve on this one, which the prompt shows.
    std::optional<ProgramToRefine> from = {};
};

/// What is told while a policy writes; each may be empty.
struct WritingEvents
{
    std::function<void(double fraction)> progress; ///< Of the longest that this can take.
    /// More of the text of a program: whole characters. Bytes that are none are U+FFFD.
    std::function<void(std::size_t program, std::string_view text)> onText;
    /// A program is complete, but for its probability. Not called by a search, nor for what is cancelled.
    std::function<void(std::size_t index, const GeneratedProgram& program)> onProgram;
};

/// A policy that writes programs for matrices, for those who know no tensors (command line, window).
class ProgramWriter
{
public:
    /// Loads a policy directory (findPolicy()). Fails too where the options make no sense.
    static Result<ProgramWriter> load(const std::filesystem::path& policy, const GenerationOptions& options);
    ProgramWriter(ProgramWriter&&) noexcept;
    ProgramWriter& operator=(ProgramWriter&&) noexcept;
    ~ProgramWriter();

    /// Programs in order. On cancel those that were not finished are returned as they are.
    std::vector<GeneratedProgram> write(const Target& target, const CancelToken& cancel,
                                        const WritingEvents& events) const;
    /// The same for some programs, in place of the first GenerationOptions::count.
    std::vector<GeneratedProgram> write(const Target& target, const ProgramRange& range,
                                        const CancelToken& cancel, const WritingEvents& events) const;
    /// At which programs are drawn: what was asked for, or the policy's own.
    double temperature() const;
    /// Whether the policy was trained to improve on a program that it is shown.
    bool refines() const;

private:
    struct Impl;
    explicit ProgramWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Verdicts of a target's programs, in their order. Programs with a stopReason are not compiled; what a
/// policy wrote of SpMV is judged as that. `done` is called with each as it comes.
Result<std::vector<VerdictRecord>>
judgeGenerated(Judge& judge, const Target& target, const std::vector<GeneratedProgram>& programs,
               std::uint64_t seed, const CancelToken& cancel,
               const std::function<void(std::size_t index, const VerdictRecord& record)>& done);

} // namespace sparserl
