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

/// A linear layer; rows of the weight are outputs. The bias and the adapter may be undefined.
struct CausalLinear
{
    torch::Tensor weight, bias;
    torch::Tensor down, up; ///< A and B of LoraConfig.
};

struct CausalBlock
{
    torch::Tensor attentionNorm, feedNorm; ///< [hidden_size]
    CausalLinear query, key, value, out;
    torch::Tensor queryNorm, keyNorm; ///< [head_dim]; may be undefined
    CausalLinear gate, up, down;

    /// The defined tensors, in a fixed order.
    std::vector<torch::Tensor*> tensors();
};

/// Keys and values of a layer, [rows, num_key_value_heads, head_dim]. Keys are already rotated.
struct KeyValue
{
    torch::Tensor key, value;
};

/// The state that a causal model keeps for its inputs, packed like MatrixEmbedding::Rows.
struct CausalInputs : ReadInputs
{
    Offsets offsets;
    std::vector<KeyValue> layers;
    torch::Tensor last; ///< [M, hidden_size]: hidden state of each input's last row, after the final norm
};

/// A decoder-only model (llama, qwen2, qwen3) with Hugging Face's forward computation. It reads matrix tokens
/// (through a linear layer) and the prompt before the first token of a program. Weights may be fp32, fp16 or
/// bf16, as in their files; the residual stream, norms and the last layer compute in fp32. Uses LibTorch
/// operations on any device.
class CausalModel : public LanguageModel
{
public:
    /// Allocates uninitialised fp32 weights; those of the matrix embedding are 0.
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

    /// Draws the matrix embedding with standard deviation `scale` / sqrt(inputs).
    void initialiseMatrix(std::uint64_t seed, double scale) { m_matrix.initialise(seed, scale); }
    /// Adopts tensors by Hugging Face's names, without conversion or copy. Missing, unknown, misshapen and
    /// non-finite tensors are errors.
    Status importTensors(const SafeTensors& content, const std::string& file);

    /// The arrangement of rows in a packed batch.
    struct Layout
    {
        PaddedRows rows;
        Rope::Angles angles;
    };
    /// The rows of packed sequences, each from position 0.
    Layout layoutOf(const Offsets& offsets) const;
    /// Applies the layers and the final norm to embedded rows. `kept`, if not null, receives keys and values
    /// of each layer. Undefined if `goesOn` has ended it.
    torch::Tensor forward(const torch::Tensor& embedded, const Layout& layout,
                          std::vector<KeyValue>* kept = nullptr, const GoesOn& goesOn = {}) const;

    /// Rotated queries [rows, heads, head_dim], keys and values of a block's input.
    struct Projected
    {
        torch::Tensor query;
        KeyValue keyValue;
    };
    Projected project(const CausalBlock& block, const torch::Tensor& x, const Rope::Angles& angles) const;
    /// x plus the block's output projection of attended values [rows, heads * head_dim], followed by its
    /// feed-forward layer.
    torch::Tensor finish(const CausalBlock& block, const torch::Tensor& x,
                         const torch::Tensor& attended) const;
    torch::Tensor lastNorm(const torch::Tensor& x) const;

private:
    void visit(const TensorVisitor& visitor);
    /// Whether a weight is frozen. With adapters, all weights are frozen except adapters, matrix embedding
    /// and value head.
    bool isFrozen(std::string_view name) const;
    std::shared_ptr<CausalModel> copyWith(ModelHead head, bool requiresGrad) const;
    torch::Tensor linear(const CausalLinear& layer, const torch::Tensor& x) const;
    torch::Tensor norm(const torch::Tensor& x, const torch::Tensor& weight) const;

    CausalConfig m_config;
    ModelHead m_head;
    Compute m_compute;
    Rope m_rope;
    torch::Tensor m_words; ///< [V, hidden_size]
    MatrixEmbedding m_matrix;
    std::vector<CausalBlock> m_blocks;
    torch::Tensor m_finalNorm;
    torch::Tensor m_lmHead;                   ///< undefined when tied
    torch::Tensor m_valueWeight, m_valueBias; ///< scalar head only
};

} // namespace sparserl
