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

/// A function that is called for each weight of a model, with the weight's name, in a fixed order.
using TensorVisitor = std::function<void(const std::string& name, torch::Tensor& tensor)>;

/// The first layer of every model that reads matrices. Linear layers convert entries and features to the
/// width of the model. The embedded words of the prompt follow them.
class MatrixEmbedding
{
public:
    /// Creates the layer with weights of zero.
    MatrixEmbedding(const EmbeddingConfig& config, std::int64_t width);

    const EmbeddingConfig& config() const { return m_config; }
    void visit(const TensorVisitor& visitor);
    /// Draws the weights with standard deviation `scale` / sqrt(inputs). Each tensor has its own stream of
    /// random numbers from `seed`. Biases are 0.
    void initialise(std::uint64_t seed, double scale);

    /// The packed rows of several inputs. Each input has rows for its features, its entries and its prompt,
    /// in this order.
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

/// Fills a CPU tensor with normally distributed numbers.
void fillNormal(Rng& rng, const torch::Tensor& tensor, double deviation);

} // namespace sparserl
