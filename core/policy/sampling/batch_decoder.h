// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/compute/step_graph.h"
#include "policy/model/language_model.h"
#include "policy/sampling/generate.h"
#include "policy/sampling/sampling.h"

#include <c10/core/Event.h>
#include <map>
#include <span>

namespace sparserl {

/// Generates sequences that begin together, in parallel, on any device. Each step generates one token per
/// sequence, and draws it on the device that has the logits. On a GPU, a step is recorded once for each cache
/// length and then replayed. The tokens of a sequence depend only on its seed, apart from the rounding of the
/// logits.
class BatchDecoder
{
public:
    /// Starts one sequence per request. `options` must be valid.
    BatchDecoder(const LanguageModel& model, const std::shared_ptr<const ReadInputs>& inputs,
                 std::span<const SampleRequest> requests, const SamplingOptions& options);

    /// Returns the number of steps after which every sequence has read its prefix and drawn its maximum
    /// number of tokens.
    std::int64_t steps() const { return m_steps; }

    /// Starts a step, in which every sequence that was kept draws its next token or reads it from its prefix.
    /// May be called at most steps() times.
    void step();
    /// Returns the tokens of a step that was started, by sequence. Waits for this step but not for later
    /// ones. The tokens of sequences that were not kept have no meaning.
    std::span<const std::int64_t> tokens(std::int64_t step);
    /// Continues with only these sequences.
    void keep(const std::vector<std::int64_t>& sequences);
    /// Return the log-probabilities of all steps, [steps, sequences], on the CPU (see Sample).
    torch::Tensor logProbs() const { return m_logProbs.to(torch::kCPU); }
    torch::Tensor behaviourLogProbs() const { return m_behaviour.to(torch::kCPU); }

private:
    void arrange(std::vector<std::int64_t> sequences);
    void run(std::int64_t keys);
    void draw(const torch::Tensor& logits);
    torch::Tensor behaviour(const torch::Tensor& logits) const;

    SamplingOptions m_options;
    torch::Device m_device;
    std::int64_t m_sequences = 0, m_steps = 0, m_begun = 0;
    std::unique_ptr<JointStepper> m_stepper;
    std::vector<int> m_inputOf;          ///< Per sequence.
    std::vector<std::int64_t> m_running; ///< The sequence of each row, sorted by input.
    torch::Tensor m_step;                ///< [1]
    torch::Tensor m_row;                 ///< [rows]: the same as m_running.
    torch::Tensor m_token;               ///< [rows]: the last tokens.
    torch::Tensor m_uniform, m_tokens, m_logProbs, m_behaviour; ///< [steps, sequences]
    torch::Tensor m_prefix; ///< [steps, sequences]: -1 after the prefix of a sequence; undefined if no
                            ///< sequence has a prefix.
    std::shared_ptr<GraphRecorder> m_recorder;
    std::map<std::int64_t, std::unique_ptr<StepGraph>>
        m_graphs; ///< By cache length; null after the first step with this length, until the second records
                  ///< it.
    torch::Tensor m_hostTokens;       ///< [steps, sequences], in pinned memory.
    std::vector<c10::Event> m_events; ///< One per step, on a GPU.
};

/// Implements generate() with BatchDecoders. The number of parallel sequences is `options.batch` or, if that
/// is 0, as many as memory allows. The host examines the tokens of a step while the next step is computed, so
/// a sequence that has ended takes part in one more step.
std::vector<Sample> generateTogether(const LanguageModel& model, const std::vector<ModelInput>& inputs,
                                     const std::vector<SampleRequest>& requests,
                                     const SamplingOptions& options, const TokenHook& hook,
                                     const CancelToken& cancel, const std::function<void()>& reading);

} // namespace sparserl
