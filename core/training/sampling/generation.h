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

/// Options for writing programs.
struct GenerationOptions
{
    int count = 10;         ///< Programs per matrix.
    double temperature = 0; ///< 0: the policy's own setting.
    int maxTokens = 0;      ///< 0: the policy's own setting.
    int topK = 0;
    double topP = 1;
    double broadShare = 0; ///< Probability of drawing a token from all tokens, at broadTemperature.
    double broadTemperature = 0.7;
    bool greedy = false;
    int beam = 0; ///< Number of beams of a beam search, at least `count`; 0: sampling.
    bool verifier = true;
    std::string device = "auto", precision = "fp32"; ///< For the policy; see computeFor() (compute.h).
    std::uint64_t seed = 1; ///< The n-th program for a matrix depends only on seed, matrix and n.
};

struct GeneratedProgram
{
    std::string text;
    /// Log-probability of the whole program under the policy, at the sampling temperature.
    double logProb = 0;
    std::size_t tokens = 0;
    bool finished = false;
    std::string stopReason; ///< Why the program cannot compile; empty if it may.
};

/// A range of the numbered programs that a policy can write for a matrix.
struct ProgramRange
{
    std::size_t first = 0;  ///< Number of the first program.
    std::size_t count = 10; ///< Number of programs.
    double temperature = 0; ///< 0: that of the options. Ignored in greedy decoding and beam search.
    bool forTask = false;   ///< Uses the prompt for the target's task instead of the policy's own.
    /// The program that the prompt shows and asks to improve on.
    std::optional<ProgramToRefine> from = {};
};

/// Callbacks while a policy writes; each may be empty.
struct WritingEvents
{
    std::function<void(double fraction)> progress; ///< Called with the completed fraction.
    /// Called with further text of a program, in whole characters. Invalid bytes become U+FFFD.
    std::function<void(std::size_t program, std::string_view text)> onText;
    /// Called when a program is complete except for its probability. Not called in beam search, nor after
    /// cancellation.
    std::function<void(std::size_t index, const GeneratedProgram& program)> onProgram;
};

class EndpointClient;
class ProgramWriter;

/// Returns a writer for one of the user's endpoints, by its name (see ProgramWriter::ofEndpoint()). `log`
/// gets a sentence for each repeated request, from any thread.
Result<ProgramWriter> endpointWriter(const std::string& endpoint, const GenerationOptions& options,
                                     const std::function<void(std::string_view sentence)>& log);

/// Writes programs for matrices with a policy. Code without tensors (command line, window) uses this class.
class ProgramWriter
{
public:
    /// Loads a policy directory (findPolicy()). Fails for invalid options, too.
    static Result<ProgramWriter> load(const std::filesystem::path& policy, const GenerationOptions& options);
    /// Makes a writer that uses the model of an endpoint. The model reads the matrix in words
    /// (endpoint_prompt.h) and gives no probabilities, so logProb is 0. Programs are repeatable only if the
    /// server honours seeds. Fails for options that a server does not have.
    static Result<ProgramWriter> ofEndpoint(std::shared_ptr<const EndpointClient> client,
                                            const GenerationOptions& options);
    ProgramWriter(ProgramWriter&&) noexcept;
    ProgramWriter& operator=(ProgramWriter&&) noexcept;
    ~ProgramWriter();

    /// Returns the programs in order. On cancellation, unfinished programs are returned as they are. Fails
    /// only for an endpoint; `events.onProgram` was then called with the programs that had arrived.
    Result<std::vector<GeneratedProgram>> write(const Target& target, const CancelToken& cancel,
                                                const WritingEvents& events) const;
    /// Writes a range of programs, instead of the first GenerationOptions::count programs.
    Result<std::vector<GeneratedProgram>> write(const Target& target, const ProgramRange& range,
                                                const CancelToken& cancel, const WritingEvents& events) const;
    /// Returns the sampling temperature: the requested one or, without a request, the policy's own.
    double temperature() const;
    /// Returns whether the policy was trained to improve on a program that it is shown. True for an endpoint.
    bool refines() const;

    struct Impl; ///< program_writer_impl.h

private:
    explicit ProgramWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Judges programs for a target and returns the verdicts in order. A program with a stopReason is not
/// compiled. A program for SpMV is judged as SpMV. Calls `done` with each verdict as it arrives.
Result<std::vector<VerdictRecord>>
judgeGenerated(Judge& judge, const Target& target, const std::vector<GeneratedProgram>& programs,
               std::uint64_t seed, const CancelToken& cancel,
               const std::function<void(std::size_t index, const VerdictRecord& record)>& done);

} // namespace sparserl
