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

/// Decodes sequences that begin together, in parallel, on any device. Each step generates one token per
/// sequence and samples on the device of the logits. On a GPU, a step is recorded once per cache length and
/// replayed. Samples depend only on a sequence's seed, up to rounding of the logits.
class BatchDecoder
{
public:
    /// One sequence per request. `options` must be valid.
    BatchDecoder(const LanguageModel& model, const std::shared_ptr<const ReadInputs>& inputs,
                 std::span<const SampleRequest> requests, const SamplingOptions& options);

    /// The number of steps until the last sequence has read its prefix and drawn its maximum number of
    /// tokens.
    std::int64_t steps() const { return m_steps; }

    /// Starts a step: draws the next token of every kept sequence, or reads it from the prefix. At most
    /// steps() times.
    void step();
    /// Tokens of a started step, by sequence. Waits for this step but not for later ones. Tokens of dropped
    /// sequences are meaningless.
    std::span<const std::int64_t> tokens(std::int64_t step);
    /// Continues only with these sequences.
    void keep(const std::vector<std::int64_t>& sequences);
    /// For all steps, [steps, sequences], on the CPU.
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
    std::vector<int> m_inputOf;                                 ///< Per sequence.
    std::vector<std::int64_t> m_running;                        ///< Sequence of each row, sorted by input.
    torch::Tensor m_step;                                       ///< [1]
    torch::Tensor m_row;                                        ///< [rows]: m_running
    torch::Tensor m_token;                                      ///< [rows]: the last token
    torch::Tensor m_uniform, m_tokens, m_logProbs, m_behaviour; ///< [steps, sequences]
    torch::Tensor m_prefix; ///< [steps, sequences]: -1 after a sequence's prefix; undefined if there is none
    std::shared_ptr<GraphRecorder> m_recorder;
    std::map<std::int64_t, std::unique_ptr<StepGraph>>
        m_graphs;                     ///< By cache length; null after the first run.
    torch::Tensor m_hostTokens;       ///< [steps, sequences], pinned
    std::vector<c10::Event> m_events; ///< One per step, on a GPU.
};

/// Implements generate() with BatchDecoders: as many parallel sequences as memory allows, or `options.batch`.
/// The host examines the tokens of a step while the next step is computed, so a finished sequence costs one
/// extra step.
std::vector<Sample> generateTogether(const LanguageModel& model, const std::vector<ModelInput>& inputs,
                                     const std::vector<SampleRequest>& requests,
                                     const SamplingOptions& options, const TokenHook& hook,
                                     const CancelToken& cancel, const std::function<void()>& reading);

} // namespace sparserl
