// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/kernels/packing.h"
#include "policy/t5/t5.h"

#include <optional>

namespace sparserl {

/// Steps of sequences that begin together, in LibTorch's operations, with caches of fixed size.
class T5JointStepper : public JointStepper
{
public:
    T5JointStepper(const T5Model& model, const EncoderOutput& encoded, const std::vector<int>& inputOf,
                   std::int64_t maxTokens);

    torch::Tensor first() override;
    torch::Tensor next(const torch::Tensor& tokens, const torch::Tensor& step, std::int64_t keys) override;
    void keep(const std::vector<std::int64_t>& rows) override;

private:
    struct Layer
    {
        const T5Block* weights = nullptr;
        torch::Tensor cache; ///< [2, rows, heads, capacity, width]: keys and values
        torch::Tensor cross; ///< [2, inputs, heads, input length, width]
    };

    void cacheInputs(const EncoderOutput& encoded);
    void arrange();

    T5Config m_config;
    Compute m_compute;
    std::int64_t m_inputs = 0, m_capacity = 0;
    T5Stack m_stack; ///< In the layers' precision.
    torch::Tensor m_embedding, m_head;
    double m_headScale;
    std::vector<Layer> m_layers;
    torch::Tensor m_crossMask;  ///< [inputs, 1, 1, input length]; undefined if all inputs have equal length
    std::vector<int> m_inputOf; ///< Per row.
    /// Rows by input. Cross attention has no positions, so it reads an input once for all its rows.
    std::optional<PaddedRows> m_byInput;
    torch::Tensor m_diagonal; ///< [heads, 2 capacity - 1]: bias of key j at step i at j - i + capacity - 1
    torch::Tensor m_ramp;     ///< capacity - 1 + j
};

} // namespace sparserl
