// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/causal/causal_config.h"
#include "policy/causal/rope.h"
#include "policy/kernels/packing.h"
#include "policy/model/language_model.h"
#include "policy/model/matrix_embedding.h"

#include <functional>
#include <string>
#include <vector>

namespace sparserl {

/// A linear layer. Each row of the weight computes an output. The bias and the adapter may be undefined.
struct CausalLinear
{
    torch::Tensor weight, bias;
    torch::Tensor down, up; ///< The matrices A and B of LoraConfig.
};

struct CausalBlock
{
    torch::Tensor attentionNorm, feedNorm; ///< [hidden_size]
    CausalLinear query, key, value, out;
    torch::Tensor queryNorm, keyNorm; ///< [head_dim]; may be undefined.
    CausalLinear gate, up, down; ///< With CausalConfig::gateBesideUp, `gate` is both, and `up` is undefined.
    torch::Tensor attendedNorm, fedNorm; ///< CausalConfig::normOfResults; else undefined.

    /// Returns the tensors that are defined, in a fixed order.
    std::vector<torch::Tensor*> tensors();
};

/// The keys and values of a layer, [rows, num_key_value_heads, head_dim]. The keys have been rotated.
struct KeyValue
{
    torch::Tensor key, value;
};

/// The state of a causal model after it has read its inputs, packed like MatrixEmbedding::Rows.
struct CausalInputs : ReadInputs
{
    Offsets offsets;
    std::vector<KeyValue> layers;
    /// [M, hidden_size]: hidden state of the last row of each input, after the final norm.
    torch::Tensor last;
};

/// A decoder-only model (llama, qwen2, qwen3, glm4) with the forward computation of Hugging Face. Before the
/// first token of a program, it reads matrix tokens (through a linear layer) and the prompt. Weights may be
/// fp32, fp16 or bf16, as in their files. The residual stream, the norms and the last layer are computed in
/// fp32. Uses LibTorch's operations on any device.
class CausalModel : public LanguageModel
{
public:
    /// Allocates the weights in fp32. Those of the matrix embedding are 0; the others are not initialised.
    CausalModel(const CausalConfig& config, const EmbeddingConfig& embedding, ModelHead head);

    const CausalConfig& config() const { return m_config; }
    const std::vector<CausalBlock>& blocks() const { return m_blocks; }
    const Rope& rope() const { return m_rope; }
    const torch::Tensor& words() const { return m_words; }

    int vocabSize() const override { return m_config.vocab_size; }
    bool beginsPrompts() const override { return true; }
    const EmbeddingConfig& embedding() const override { return m_matrix.config(); }
    void writeConfig(nlohmann::json& json) const override { writeCausalConfig(m_config, json); }

    NamedTensors parameters() const override;
    NamedTensors weights() const override;
    void shareFrozen(const LanguageModel& other) override;
    SafeTensors exportTensors() const override;
    std::shared_ptr<LanguageModel> clone(bool requiresGrad) const override;
    std::shared_ptr<LanguageModel> withValueHead(std::uint64_t seed) const override;
    void moveTo(const Compute& compute) override;
    const Compute& compute() const override { return m_compute; }
    void learn() override;

    torch::Tensor hiddenStates(const SequenceBatch& batch) const override;
    torch::Tensor applyHead(const torch::Tensor& hidden) const override;
    HeadWeights head() const override;

    std::shared_ptr<const ReadInputs> read(const std::vector<ModelInput>& inputs,
                                           const GoesOn& goesOn) const override;
    std::unique_ptr<Stepper> stepper(const std::shared_ptr<const ReadInputs>& inputs, int places,
                                     int maxTokens) const override;
    bool stepsJointly() const override { return !m_compute.kernels(); }
    std::unique_ptr<JointStepper> jointStepper(const std::shared_ptr<const ReadInputs>& inputs,
                                               const std::vector<int>& inputOf,
                                               std::int64_t maxTokens) const override;
    double bytesOfSequence(const ReadInputs& inputs, int maxTokens) const override;

    /// Draws the weights of the matrix embedding with standard deviation `scale` / sqrt(inputs).
    void initialiseMatrix(std::uint64_t seed, double scale) { m_matrix.initialise(seed, scale); }
    /// Uses the tensors of `content`, which have Hugging Face's names, as weights, without converting or
    /// copying them. Fails if a tensor is missing, unknown, not finite or of another shape.
    Status importTensors(const SafeTensors& content, const std::string& file);

    /// The arrangement of rows in a packed batch.
    struct Layout
    {
        PaddedRows rows;
        Rope::Angles angles;
    };
    /// Returns the layout of packed sequences, each of which starts at position 0.
    Layout layoutOf(const Offsets& offsets) const;
    /// Applies the layers and the final norm to embedded rows. If `kept` is not null, it receives the keys
    /// and values of each layer. Returns an undefined tensor if `goesOn` ended the computation.
    torch::Tensor forward(const torch::Tensor& embedded, const Layout& layout,
                          std::vector<KeyValue>* kept = nullptr, const GoesOn& goesOn = {}) const;

    /// The rotated queries [rows, heads, head_dim], and the keys and values, for the input of a block.
    struct Projected
    {
        torch::Tensor query;
        KeyValue keyValue;
    };
    Projected project(const CausalBlock& block, const torch::Tensor& x, const Rope::Angles& angles) const;
    /// Computes the output of a block from its input x and the attended values [rows, heads * head_dim]: adds
    /// their output projection to x, then applies the feed-forward layer.
    torch::Tensor finish(const CausalBlock& block, const torch::Tensor& x,
                         const torch::Tensor& attended) const;
    torch::Tensor lastNorm(const torch::Tensor& x) const;
    /// Returns the normalised rows of x in fp32.
    torch::Tensor norm(const torch::Tensor& x, const torch::Tensor& weight) const;

private:
    void visit(const TensorVisitor& visitor);
    /// Returns whether a weight is frozen. In a model with adapters, all weights are frozen except the
    /// adapters, the matrix embedding and the value head.
    bool isFrozen(std::string_view name) const;
    std::shared_ptr<CausalModel> copyWith(ModelHead head, bool requiresGrad) const;
    torch::Tensor linear(const CausalLinear& layer, const torch::Tensor& x) const;

    CausalConfig m_config;
    ModelHead m_head;
    Compute m_compute;
    Rope m_rope;
    torch::Tensor m_words; ///< [V, hidden_size]
    MatrixEmbedding m_matrix;
    std::vector<CausalBlock> m_blocks;
    torch::Tensor m_finalNorm;
    torch::Tensor m_lmHead;                   ///< Undefined if the embeddings are tied.
    torch::Tensor m_valueWeight, m_valueBias; ///< Only with a scalar head.
};

} // namespace sparserl
