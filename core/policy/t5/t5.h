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

/// The weights of a self-attention layer. T5's linear layers have no bias. Each row of a weight computes an
/// output, as in torch::nn::Linear.
struct SelfAttention
{
    torch::Tensor norm; ///< [d_model]
    torch::Tensor qkv;  ///< [3 * inner, d_model]: query, key and value.
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
    torch::Tensor in;  ///< [d_ff, d_model]; in a gated model [2 * d_ff, d_model], the gate first.
    torch::Tensor out; ///< [d_model, d_ff]
};
struct T5Block
{
    SelfAttention self;
    CrossAttention cross; ///< Its tensors are undefined in the encoder.
    FeedForward feed;

    /// Returns the tensors that are defined, in a fixed order.
    std::vector<torch::Tensor*> tensors();
};
struct T5Stack
{
    std::vector<T5Block> blocks;
    torch::Tensor relativeBias; ///< [buckets, heads], used by all layers.
    torch::Tensor finalNorm;
};

/// The packed hidden states of M inputs. Input m has the rows offsets[m] .. offsets[m + 1] - 1.
struct EncoderOutput : ReadInputs
{
    torch::Tensor hidden; ///< [offsets.back(), d_model]
    Offsets offsets;      ///< M + 1
};

/// T5 v1.0 or v1.1 (Raffel et al. 2020) with the matrix embedding as its first layer. The forward computation
/// is identical to Hugging Face's. The model consists of plain tensors and functions. The attention
/// projections are fused, which makes a small model fast on a CPU.
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
    /// Return the weight [V, d_model] of the vocabulary head and the factor by which its input is scaled.
    const torch::Tensor& headWeight() const { return m_lmHead.defined() ? m_lmHead : m_shared; }
    double headScale() const;
    const torch::Tensor& sharedEmbedding() const { return m_shared; }

    /// Draws all weights from T5's initial distribution (Hugging Face's `_init_weights`), with our own
    /// generator.
    void initialise(std::uint64_t seed);
    /// Draws only the weights of the matrix embedding, with standard deviation `scale` / sqrt(inputs).
    void initialiseMatrix(std::uint64_t seed, double scale) { m_matrix.initialise(seed, scale); }
    /// Draws the weights of the scalar head with standard deviation 1/sqrt(d_model + 1); its bias is 0.
    void initialiseValueHead(std::uint64_t seed);
    /// Copies the values of all weights that both models have.
    void copyWeightsFrom(const T5Model& other);
    void setRequiresGrad(bool requiresGrad);
    std::shared_ptr<LanguageModel> clone(bool requiresGrad) const override;
    std::shared_ptr<LanguageModel> withValueHead(std::uint64_t seed) const override;
    void learn() override { setRequiresGrad(true); }
    void moveTo(const Compute& compute) override;
    const Compute& compute() const override { return m_compute; }

    /// The attention projections are fused: query, key and value form one tensor.
    NamedTensors parameters() const override;
    /// Returns the tensors under Hugging Face's names. Fused weights are split.
    SafeTensors exportTensors() const override;
    /// Copies weights from tensors with Hugging Face's names. Fails if a tensor is missing, unknown or of
    /// another shape.
    Status importTensors(const SafeTensors& content, const std::string& file);

    /// Embeds and encodes inputs. Batches are packed, so no input attends to another input or to padding.
    /// Returns nullptr if `goesOn` ended the computation.
    std::shared_ptr<const EncoderOutput> encode(const std::vector<ModelInput>& inputs,
                                                const GoesOn& goesOn = {}) const;
    /// Encodes embedded positions [offsets.back(), d_model]. If `tree` is not null, some heads attend only
    /// along its edges. Returns an undefined tensor if `goesOn` ended the computation.
    torch::Tensor encodeEmbedded(const torch::Tensor& embedded, const Offsets& offsets,
                                 const std::shared_ptr<const TreeMask>& tree = nullptr,
                                 const GoesOn& goesOn = {}) const;
    /// Returns the hidden states [offsets.back(), d_model] after the last norm of the decoder. `ids` (int64,
    /// packed) must already be shifted to the right.
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
    double bytesOfSequence(const ReadInputs& inputs, int maxTokens) const override;

private:
    std::shared_ptr<T5Model> copyWith(ModelHead head, bool requiresGrad) const;
    void visit(const TensorVisitor& visitor);
    /// Returns the names of the Hugging Face tensors that are concatenated along dimension 0 to our tensor of
    /// this name, in order.
    static std::vector<std::string> sourcesOf(const std::string& name, bool gated);

    T5Config m_config;
    ModelHead m_head;
    Compute m_compute;
    torch::Tensor m_shared;
    MatrixEmbedding m_matrix;
    T5Stack m_encoder, m_decoder;
    torch::Tensor m_lmHead;                   ///< Undefined if the embeddings are tied.
    torch::Tensor m_valueWeight, m_valueBias; ///< Only with a scalar head.
};

/// Returns T5's bucket for a relative position, which is the key's position minus the query's position
/// (Raffel et al. 2.1). The result is the same as Hugging Face's in float32.
int relativePositionBucket(int relative, bool bidirectional, int buckets, int maxDistance);
/// Returns the bias [heads, 2 * length - 1] from a table [buckets, heads]. The bias of key j for query i is
/// at j - i + length - 1.
torch::Tensor relativeBias(const torch::Tensor& table, std::int64_t length, bool bidirectional,
                           int maxDistance);

} // namespace sparserl
