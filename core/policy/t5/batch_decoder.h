// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/compute/step_graph.h"
#include "policy/kernels/packing.h"
#include "policy/sampling/sampling.h"
#include "policy/t5/t5.h"

#include <c10/core/Event.h>
#include <map>
#include <optional>
#include <span>

namespace sparserl {

/// Decodes sequences that begin together, side by side, on any device by LibTorch's own operations: all of
/// them write one token a step into caches of fixed size, and tokens are drawn where the logits are. On a GPU
/// a step is recorded once for each length of the cache that is read, and replayed. Draws depend on a
/// sequence's seed alone, up to roundings of the logits.
class BatchDecoder
{
public:
    /// Sequence b reads input inputOf[b] and draws from seeds[b]. `options` must have been checked.
    BatchDecoder(const T5Model& model, const EncoderOutput& encoded, const std::vector<int>& inputOf,
                 const std::vector<std::uint64_t>& seeds, const SamplingOptions& options);

    /// Memory of a sequence in bytes.
    static double bytesOf(const T5Model& model, int maxTokens);

    /// Begins to draw the next token of every sequence that is kept. At most `maxTokens` times.
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
    struct Layer
    {
        const T5Block* weights = nullptr;
        torch::Tensor cache; ///< [2, rows, heads, capacity, width]: keys and values
        torch::Tensor cross; ///< [2, inputs, heads, input length, width]
    };

    void cacheInputs(const EncoderOutput& encoded);
    void arrange(std::vector<std::int64_t> sequences);
    void run(std::int64_t keys);
    torch::Tensor logits(std::int64_t keys) const;
    void draw(const torch::Tensor& logits);
    torch::Tensor behaviour(const torch::Tensor& logits) const;

    T5Config m_config;
    SamplingOptions m_options;
    Compute m_compute;
    std::int64_t m_sequences = 0, m_inputs = 0, m_capacity = 0, m_begun = 0;
    T5Stack m_stack; ///< In the precision of the layers.
    torch::Tensor m_embedding, m_head;
    double m_headScale;
    std::vector<Layer> m_layers;
    torch::Tensor m_crossMask;  ///< [inputs, 1, 1, input length]; undefined where all inputs are alike
    std::vector<int> m_inputOf; ///< Of each sequence.
    std::vector<std::int64_t> m_running; ///< Sequence of each row, by input.
    /// Rows by input: cross attention, which knows no positions, reads an input once for all of them.
    std::optional<PaddedRows> m_byInput;
    torch::Tensor m_diagonal; ///< [heads, 2 capacity - 1]: bias of key j at step i at j - i + capacity - 1
    torch::Tensor m_ramp;     ///< capacity - 1 + j
    torch::Tensor m_step;     ///< [1]
    torch::Tensor m_row;      ///< [rows]: m_running
    torch::Tensor m_token;    ///< [rows]: drawn last
    torch::Tensor m_uniform, m_tokens, m_logProbs, m_behaviour; ///< [capacity, sequences]
    std::shared_ptr<GraphRecorder> m_recorder;
    std::map<std::int64_t, std::unique_ptr<StepGraph>>
        m_graphs;                     ///< By the keys that are read; null: run once.
    torch::Tensor m_hostTokens;       ///< [capacity, sequences], pinned
    std::vector<c10::Event> m_events; ///< One a step, on a GPU.
};

/// Policy::generate by BatchDecoders: as many sequences side by side as memory allows, or `options.batch`.
/// While a step is computed the tokens of the one before are looked at, so a sequence that ends costs a step
/// more.
std::vector<Sample> generateTogether(const T5Model& model, const std::vector<EncoderInput>& inputs,
                                     const std::vector<SampleRequest>& requests,
                                     const SamplingOptions& options, const TokenHook& hook,
                                     const CancelToken& cancel);

} // namespace sparserl
