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

    /// Those that are defined, in an order.
    std::vector<torch::Tensor*> tensors();
};

/// Keys and values of a layer, [rows, num_key_value_heads, head_dim], keys already turned.
struct KeyValue
{
    torch::Tensor key, value;
};

/// What a causal model keeps of its inputs: packed as MatrixEmbedding::Rows.
struct CausalInputs : ReadInputs
{
    Offsets offsets;
    std::vector<KeyValue> layers;
    torch::Tensor last; ///< [M, hidden_size]: hidden state of each input's last row, after the last norm
};

/// A decoder-only model (llama, qwen2, qwen3; forward as Hugging Face's) that reads matrix tokens, through a
/// linear layer, and the prompt before the first token of a program. Weights may be of fp32, fp16 or bf16, as
/// in their files; the residual stream, norms and the last layer compute in fp32. By LibTorch's operations,
/// on any device.
class CausalModel : public LanguageModel
{
public:
    /// Weights are allocated in fp32, not initialised; those of the matrix embedding are 0.
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

    std::shared_ptr<const ReadInputs> read(const std::vector<ModelInput>& inputs) const override;
    std::unique_ptr<Stepper> stepper(const std::shared_ptr<const ReadInputs>& inputs, int places,
                                     int maxTokens) const override;

    /// Draws the matrix embedding, with deviations of `scale` / sqrt(inputs).
    void initialiseMatrix(std::uint64_t seed, double scale) { m_matrix.initialise(seed, scale); }
    /// Takes tensors by Hugging Face's names, as they are and without a copy. Missing, unknown and misshapen
    /// ones are errors, and so are numbers that are not finite.
    Status importTensors(const SafeTensors& content, const std::string& file);

    /// How rows are arranged in a packed batch.
    struct Layout
    {
        PaddedRows rows;
        Rope::Angles angles;
    };
    /// Rows of packed sequences, each from position 0.
    Layout layoutOf(const Offsets& offsets) const;
    /// The layers and the last norm over embedded rows. `kept`, if given, receives keys and values of each
    /// layer.
    torch::Tensor forward(const torch::Tensor& embedded, const Layout& layout,
                          std::vector<KeyValue>* kept = nullptr) const;

    /// Queries [rows, heads, head_dim] with the keys and values of a block's input, turned.
    struct Projected
    {
        torch::Tensor query;
        KeyValue keyValue;
    };
    Projected project(const CausalBlock& block, const torch::Tensor& x, const Rope::Angles& angles) const;
    /// x + the block's output of attended values [rows, heads * head_dim], and then its feed-forward part.
    torch::Tensor finish(const CausalBlock& block, const torch::Tensor& x,
                         const torch::Tensor& attended) const;
    torch::Tensor lastNorm(const torch::Tensor& x) const;

private:
    void visit(const TensorVisitor& visitor);
    /// Whether a weight stays as it is: all but adapters, matrix embedding and value head, where there are
    /// adapters.
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
