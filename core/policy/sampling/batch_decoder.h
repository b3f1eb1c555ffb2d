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

/// Decodes sequences that begin together, side by side, on any device: all of them write one token a step,
/// and tokens are drawn where the logits are. On a GPU a step is recorded once for each length of the cache
/// that is read, and replayed. Draws depend on a sequence's seed alone, up to roundings of the logits.
class BatchDecoder
{
public:
    /// One sequence a request. `options` must have been checked.
    BatchDecoder(const LanguageModel& model, const std::shared_ptr<const ReadInputs>& inputs,
                 std::span<const SampleRequest> requests, const SamplingOptions& options);

    /// Steps until the last sequence has read its prefix and drawn all tokens that it may draw.
    std::int64_t steps() const { return m_steps; }

    /// Begins to draw the next token of every sequence that is kept, or to read that of its prefix. At most
    /// steps() times.
    void step();
    /// Tokens of a step that was begun, by sequence; waits for it, not for later ones. Those of sequences
    /// that were not kept mean nothing.
    std::span<const std::int64_t> tokens(std::int64_t step);
    /// Goes on with these sequences only.
    void keep(const std::vector<std::int64_t>& sequences);
    /// Of all steps, [steps, sequences], on the CPU.
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
    std::vector<int> m_inputOf;                                 ///< Of each sequence.
    std::vector<std::int64_t> m_running;                        ///< Sequence of each row, by input.
    torch::Tensor m_step;                                       ///< [1]
    torch::Tensor m_row;                                        ///< [rows]: m_running
    torch::Tensor m_token;                                      ///< [rows]: drawn last
    torch::Tensor m_uniform, m_tokens, m_logProbs, m_behaviour; ///< [steps, sequences]
    torch::Tensor m_prefix; ///< [steps, sequences]: -1 behind a sequence's prefix; undefined if there is none
    std::shared_ptr<GraphRecorder> m_recorder;
    std::map<std::int64_t, std::unique_ptr<StepGraph>>
        m_graphs;                     ///< By the keys that are read; null: run once.
    torch::Tensor m_hostTokens;       ///< [steps, sequences], pinned
    std::vector<c10::Event> m_events; ///< One a step, on a GPU.
};

/// generate() by BatchDecoders: as many sequences side by side as memory allows, or `options.batch`.
/// While a step is computed the tokens of the one before are looked at, so a sequence that ends costs a step
/// more.
std::vector<Sample> generateTogether(const LanguageModel& model, const std::vector<ModelInput>& inputs,
                                     const std::vector<SampleRequest>& requests,
                                     const SamplingOptions& options, const TokenHook& hook,
                                     const CancelToken& cancel);

} // namespace sparserl
