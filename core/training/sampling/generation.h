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

/// Options for writing programs. A value of 0 selects the policy's own generation setting.
struct GenerationOptions
{
    int count = 10;         ///< Programs per matrix.
    double temperature = 0; ///< 0: the policy's own.
    int maxTokens = 0;      ///< 0: the policy's own.
    int topK = 0;
    double topP = 1;
    double broadShare = 0; ///< Weight of the mixture component drawn from all tokens at broadTemperature.
    double broadTemperature = 0.7;
    bool greedy = false;
    int beam = 0; ///< Beams of a beam search, at least `count`; 0: sampling.
    bool verifier = true;
    std::string device = "auto", precision = "fp32"; ///< Device and precision of the policy: compute.h,
                                                     ///< computeFor.
    std::uint64_t seed = 1; ///< The n-th program of a matrix depends only on the seed, the matrix and n.
};

struct GeneratedProgram
{
    std::string text;
    /// Log-probability of the whole program under the policy at the sampling temperature.
    double logProb = 0;
    std::size_t tokens = 0;
    bool finished = false;
    std::string stopReason; ///< Why it cannot compile; empty if it may.
};

/// A range of the programs that a policy can write for a matrix.
struct ProgramRange
{
    std::size_t first = 0;  ///< Number of the first program.
    std::size_t count = 10; ///< Number of programs.
    double temperature = 0; ///< 0: as in the options. Ignored with greedy decoding and beams.
    bool forTask = false;   ///< Uses the prompt for the target's task instead of the policy's own.
    /// Program to improve on, shown in the prompt.
    std::optional<ProgramToRefine> from = {};
};

/// Callbacks while a policy writes; each may be empty.
struct WritingEvents
{
    std::function<void(double fraction)> progress; ///< Fraction of the maximum duration.
    /// More text of a program in whole characters. Invalid bytes become U+FFFD.
    std::function<void(std::size_t program, std::string_view text)> onText;
    /// A program is complete except for its probability. Not called for a beam search or after cancellation.
    std::function<void(std::size_t index, const GeneratedProgram& program)> onProgram;
};

class EndpointClient;
class ProgramWriter;

/// The writer of one of the user's endpoints, by its name (ProgramWriter::ofEndpoint). `log` gets a sentence
/// for each request that is repeated, from any thread.
Result<ProgramWriter> endpointWriter(const std::string& endpoint, const GenerationOptions& options,
                                     const std::function<void(std::string_view sentence)>& log);

/// A policy that writes programs for matrices, for code without tensors (command line, window).
class ProgramWriter
{
public:
    /// Loads a policy directory (findPolicy()). Also fails for invalid options.
    static Result<ProgramWriter> load(const std::filesystem::path& policy, const GenerationOptions& options);
    /// The model of an endpoint. It reads the matrix in words (endpoint_prompt.h), gives no probabilities
    /// (logProb is 0), and repeats a program only as far as its server honours seeds. Fails for options that
    /// a server does not have.
    static Result<ProgramWriter> ofEndpoint(std::shared_ptr<const EndpointClient> client,
                                            const GenerationOptions& options);
    ProgramWriter(ProgramWriter&&) noexcept;
    ProgramWriter& operator=(ProgramWriter&&) noexcept;
    ~ProgramWriter();

    /// Returns programs in order. On cancellation, returns unfinished programs as they are. Only an endpoint
    /// can fail; `events.onProgram` has then had the programs that came.
    Result<std::vector<GeneratedProgram>> write(const Target& target, const CancelToken& cancel,
                                                const WritingEvents& events) const;
    /// The same for a range of programs instead of the first GenerationOptions::count.
    Result<std::vector<GeneratedProgram>> write(const Target& target, const ProgramRange& range,
                                                const CancelToken& cancel, const WritingEvents& events) const;
    /// The sampling temperature: the requested one, or the policy's own.
    double temperature() const;
    /// Whether the policy was trained to improve on a program that it is shown. True for an endpoint.
    bool refines() const;

    struct Impl; ///< program_writer_impl.h

private:
    explicit ProgramWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Verdicts of a target's programs, in order. Programs with a stopReason are not compiled. Programs of an
/// SpMV policy are judged as SpMV. Calls `done` with each verdict as it arrives.
Result<std::vector<VerdictRecord>>
judgeGenerated(Judge& judge, const Target& target, const std::vector<GeneratedProgram>& programs,
               std::uint64_t seed, const CancelToken& cancel,
               const std::function<void(std::size_t index, const VerdictRecord& record)>& done);

} // namespace sparserl
