// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/kernels/packing.h"
#include "policy/t5/t5.h"

#include <optional>

namespace sparserl {

/// Generates sequences that begin together, with LibTorch's operations and caches of fixed size.
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
        torch::Tensor cache; ///< [2, rows, heads, capacity, width]: keys and values.
        torch::Tensor cross; ///< [2, inputs, heads, input length, width]
    };

    void cacheInputs(const EncoderOutput& encoded);
    void arrange();

    T5Config m_config;
    Compute m_compute;
    std::int64_t m_inputs = 0, m_capacity = 0;
    T5Stack m_stack; ///< In the precision of the layers.
    torch::Tensor m_embedding, m_head;
    double m_headScale;
    std::vector<Layer> m_layers;
    /// [inputs, 1, 1, input length]; undefined if all inputs have the same length.
    torch::Tensor m_crossMask;
    std::vector<int> m_inputOf; ///< The input of each row.
    /// The rows grouped by input. Cross-attention does not depend on positions, so an input is read once for
    /// all its rows.
    std::optional<PaddedRows> m_byInput;
    /// [heads, 2 * capacity - 1]: the bias of key j in step i is at j - i + capacity - 1.
    torch::Tensor m_diagonal;
    torch::Tensor m_ramp; ///< The numbers capacity - 1 + j.
};

} // namespace sparserl
