// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/compute/compute.h"
#include "policy/files/safetensors.h"
#include "policy/kernels/attention.h"
#include "policy/model/language_model.h"
#include "policy/model/matrix_embedding.h"
#include "policy/model/sequence_batch.h"
#include "policy/t5/t5_config.h"

#include <functional>

namespace sparserl {

/// Weights of one attention layer. T5's linear layers have no bias; rows are outputs, as in
/// torch::nn::Linear.
struct SelfAttention
{
    torch::Tensor norm; ///< [d_model]
    torch::Tensor qkv;  ///< [3 * inner, d_model]: query, key and value stacked
    torch::Tensor out;  ///< [d_model, inner]
};
struct CrossAttention
{
    torch::Tensor norm;
    torch::Tensor query;    ///< [inner, d_model]
    torch::Tensor keyValue; ///< [2 * inner, d_model]
    torch::Tensor out;
};
struct FeedForward
{
    torch::Tensor norm;
    torch::Tensor in;  ///< [d_ff, d_model], or [2 * d_ff, d_model] when gated: the gate's half first
    torch::Tensor out; ///< [d_model, d_ff]
};
struct T5Block
{
    SelfAttention self;
    CrossAttention cross; ///< Undefined tensors in the encoder.
    FeedForward feed;

    /// The defined tensors, in a fixed order.
    std::vector<torch::Tensor*> tensors();
};
struct T5Stack
{
    std::vector<T5Block> blocks;
    torch::Tensor relativeBias; ///< [buckets, heads], used by every layer
    torch::Tensor finalNorm;
};

/// Hidden states of M inputs, packed: input m has rows offsets[m] .. offsets[m + 1] - 1.
struct EncoderOutput : ReadInputs
{
    torch::Tensor hidden; ///< [offsets.back(), d_model]
    Offsets offsets;      ///< M + 1
};

/// T5 v1.0 / v1.1 with the matrix embedding as first layer (Raffel et al. 2020; forward computation identical
/// to Hugging Face's). Plain tensors and functions. Attention projections are fused, which makes a small
/// model fast on a CPU.
class T5Model : public LanguageModel
{
public:
    /// Allocates the weights without initialising them.
    T5Model(const T5Config& config, const EmbeddingConfig& embedding, ModelHead head);

    const T5Config& config() const { return m_config; }
    int vocabSize() const override { return m_config.vocab_size; }
    const EmbeddingConfig& embedding() const override { return m_matrix.config(); }
    void writeConfig(nlohmann::json& json) const override { writeT5Config(m_config, json); }
    const T5Stack& encoder() const { return m_encoder; }
    const T5Stack& decoder() const { return m_decoder; }
    /// The vocabulary head's weight [V, d_model] and the factor on its input.
    const torch::Tensor& headWeight() const { return m_lmHead.defined() ? m_lmHead : m_shared; }
    double headScale() const;
    const torch::Tensor& sharedEmbedding() const { return m_shared; }

    /// T5's initial distribution (Hugging Face's `_init_weights`), drawn from our generator.
    void initialise(std::uint64_t seed);
    /// Draws only the matrix embedding, as initialise() does, times `scale`.
    void initialiseMatrix(std::uint64_t seed, double scale) { m_matrix.initialise(seed, scale); }
    /// Draws the scalar head: std 1/sqrt(d_model + 1), bias 0.
    void initialiseValueHead(std::uint64_t seed);
    /// Copies all weights that exist in both models.
    void copyWeightsFrom(const T5Model& other);
    void setRequiresGrad(bool requiresGrad);
    std::shared_ptr<LanguageModel> clone(bool requiresGrad) const override;
    std::shared_ptr<LanguageModel> withValueHead(std::uint64_t seed) const override;
    void learn() override { setRequiresGrad(true); }
    void moveTo(const Compute& compute) override;
    const Compute& compute() const override { return m_compute; }

    /// Attention projections are fused: q, k and v stacked.
    NamedTensors parameters() const override;
    /// Uses Hugging Face's names, with fused weights split.
    SafeTensors exportTensors() const override;
    /// Reads weights by Hugging Face's names. Missing, unknown and misshapen tensors are errors.
    Status importTensors(const SafeTensors& content, const std::string& file);

    /// Embeds and encodes. Batches are packed, so inputs see neither one another nor padding. null: `goesOn`
    /// has ended it.
    std::shared_ptr<const EncoderOutput> encode(const std::vector<ModelInput>& inputs,
                                                const GoesOn& goesOn = {}) const;
    /// Encodes embedded positions [offsets.back(), d_model]. With a tree, some heads attend only along its
    /// edges. Undefined if `goesOn` has ended it.
    torch::Tensor encodeEmbedded(const torch::Tensor& embedded, const Offsets& offsets,
                                 const std::shared_ptr<const TreeMask>& tree = nullptr,
                                 const GoesOn& goesOn = {}) const;
    /// Hidden states [offsets.back(), d_model] after the decoder's last norm; `ids` (int64, packed) is
    /// already shifted right.
    torch::Tensor decode(const torch::Tensor& ids, const Offsets& offsets, const EncoderOutput& encoded,
                         const std::vector<int>& inputOf) const;
    torch::Tensor hiddenStates(const SequenceBatch& batch) const override;
    torch::Tensor applyHead(const torch::Tensor& hidden) const override;
    HeadWeights head() const override { return {headWeight(), headScale()}; }

    std::shared_ptr<const ReadInputs> read(const std::vector<ModelInput>& inputs,
                                           const GoesOn& goesOn) const override;
    bool stepsJointly() const override { return !m_compute.kernels(); }
    std::unique_ptr<Stepper> stepper(const std::shared_ptr<const ReadInputs>& inputs, int places,
                                     int maxTokens) const override;
    std::unique_ptr<JointStepper> jointStepper(const std::shared_ptr<const ReadInputs>& inputs,
                                               const std::vector<int>& inputOf,
                                               std::int64_t maxTokens) const override;
    double bytesOfSequence(int maxTokens) const override;

private:
    std::shared_ptr<T5Model> copyWith(ModelHead head, bool requiresGrad) const;
    void visit(const TensorVisitor& visitor);
    /// The Hugging Face tensors that form our tensor of this name: names in order, stacked along dimension 0.
    static std::vector<std::string> sourcesOf(const std::string& name, bool gated);

    T5Config m_config;
    ModelHead m_head;
    Compute m_compute;
    torch::Tensor m_shared;
    MatrixEmbedding m_matrix;
    T5Stack m_encoder, m_decoder;
    torch::Tensor m_lmHead;                   ///< undefined when tied
    torch::Tensor m_valueWeight, m_valueBias; ///< scalar head only
};

/// T5's bucket of `memory - query` (Raffel et al. 2.1; identical to Hugging Face in float32).
int relativePositionBucket(int relative, bool bidirectional, int buckets, int maxDistance);
/// The bias by diagonal, [heads, 2 * length - 1], from a table [buckets, heads]: entry j - i + length - 1.
torch::Tensor relativeBias(const torch::Tensor& table, std::int64_t length, bool bidirectional,
                           int maxDistance);

} // namespace sparserl
