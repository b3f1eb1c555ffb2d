// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/kernels/packed_linear.h"
#include "policy/kernels/paged_floats.h"
#include "policy/t5/t5.h"

#include <functional>
#include <optional>
#include <span>

namespace sparserl {

/// Generates sequences on the CPU. In a step, each thread computes all layers for a part of the batch. This
/// avoids the overhead of hundreds of LibTorch operations, which counts in a small model. Matrices are copied
/// (packed_linear.h), but embedding and norms are not, so the model must not change while the stepper is
/// used.
class T5Stepper : public Stepper
{
public:
    T5Stepper(const T5Model& model, const EncoderOutput& encoded, int places, int maxTokens);

    void start(int place, int input, std::span<const std::int32_t> prefix) override;
    void regroup(std::span<const int> from) override;
    /// Calls `consume` from several threads.
    void step(std::span<const int> places, std::span<const std::int32_t> tokens,
              const std::function<void(std::size_t i, const float* logits)>& consume) override;

private:
    struct Layer
    {
        torch::Tensor selfNorm, crossNorm, feedNorm;
        PackedLinear qkv, selfOut, query, crossOut, feedIn, feedOut;
        /// Keys, in tiles (keyAt), and values of each input and head; see m_crossOffset.
        std::vector<float> crossKeys, crossValues;
    };
    struct Work;

    void cacheCross(Layer& layer, const torch::Tensor& keyValue);
    void run(std::span<const int> places, std::span<const std::int32_t> tokens, std::size_t from,
             std::size_t to, Work& work, const std::function<void(std::size_t, const float*)>& consume);
    void selfAttend(std::size_t index, int place, Work& work, std::int64_t row);
    void crossAttend(const Layer& layer, std::span<const int> places, Work& work);

    T5Config m_config;
    Offsets m_inputOffsets;
    std::vector<std::int64_t> m_crossOffset; ///< Start of each input in crossKeys, in units of heads * width.
    torch::Tensor m_embedding, m_finalNorm;
    PackedLinear m_head;
    float m_headScale;
    std::vector<Layer> m_layers;
    std::vector<float> m_bias;   ///< [heads, capacity]: the bias at distance d is at capacity - 1 - d.
    std::int64_t m_capacity = 0; ///< Cached positions per place, a multiple of keyTile.
    int m_places = 0;
    PagedFloats m_keys, m_values; ///< [layers, places, heads, width * capacity]; keys are in tiles.
    std::vector<int> m_position, m_input;
    std::vector<std::optional<std::int32_t>> m_first; ///< Next token of each place until its first draw.
    std::vector<std::shared_ptr<Work>> m_work;        ///< One per thread.
};

} // namespace sparserl
