// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "policy/matrix/matrix_tokens.h"
#include "policy/model/sequence_batch.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sparserl {

/// Called for each weight of a model, by name and in a fixed order.
using TensorVisitor = std::function<void(const std::string& name, torch::Tensor& tensor)>;

/// The first layer of every model that reads matrices: linear layers from entries and features to the model's
/// width, and the prompt's words behind them.
class MatrixEmbedding
{
public:
    /// Weights of zeros.
    MatrixEmbedding(const EmbeddingConfig& config, std::int64_t width);

    const EmbeddingConfig& config() const { return m_config; }
    void visit(const TensorVisitor& visitor);
    /// Draws the weights with deviations of `scale` / sqrt(inputs), each from its own part of `seed`; biases
    /// are 0.
    void initialise(std::uint64_t seed, double scale);

    /// Rows of some inputs, packed: features, entries and prompt of each. `words` [V, width] is the embedding
    /// of tokens.
    struct Rows
    {
        torch::Tensor x; ///< [offsets.back(), width]
        Offsets offsets; ///< First row of each input.
    };
    Rows embed(const std::vector<ModelInput>& inputs, const torch::Tensor& words) const;

private:
    EmbeddingConfig m_config;
    torch::Tensor m_entryWeight, m_entryBias;     ///< entries -> width
    torch::Tensor m_featureWeight, m_featureBias; ///< features -> featureTokens * width; may be undefined
};

/// Fills a tensor in the CPU's memory with normal numbers.
void fillNormal(Rng& rng, const torch::Tensor& tensor, double deviation);

} // namespace sparserl
