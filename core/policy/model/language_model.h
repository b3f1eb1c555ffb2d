// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/compute/compute.h"
#include "policy/files/safetensors.h"
#include "policy/matrix/matrix_tokens.h"
#include "policy/model/sequence_batch.h"
#include "policy/model/stepper.h"
#include "policy/torch.h"

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace sparserl {

/// What a model's last layer is.
enum class ModelHead
{
    Vocabulary,
    Scalar
};

/// The last layer as a product: logits = (scale * hidden) weight^T.
struct HeadWeights
{
    torch::Tensor weight; ///< [V, width]
    double scale = 1;
};

/// A language model that reads a matrix: the one interface by which policies and critics compute. Layers run
/// without dropout. Not safe for use from several threads at a time.
class LanguageModel
{
public:
    LanguageModel() = default;
    LanguageModel(const LanguageModel&) = delete;
    LanguageModel& operator=(const LanguageModel&) = delete;
    virtual ~LanguageModel() = default;

    virtual int vocabSize() const = 0;
    /// Whether a prompt begins with the token that the tokenizer's files put in front of texts.
    virtual bool beginsPrompts() const { return false; }
    virtual const EmbeddingConfig& embedding() const = 0;
    /// Adds the keys of Hugging Face's config.json that describe the model.
    virtual void writeConfig(nlohmann::json& json) const = 0;

    /// Tensors that learn, under our own names, in a fixed order.
    virtual NamedTensors parameters() const = 0;
    /// These and the frozen ones, which nothing changes.
    virtual NamedTensors weights() const { return parameters(); }
    /// All tensors under the names of the family's files; those of the matrix embedding are `matrix.*`.
    virtual SafeTensors exportTensors() const = 0;
    /// A copy that has its own weights, but for those that are frozen in this one, which it shares;
    /// `requiresGrad` false for one that does not learn.
    virtual std::shared_ptr<LanguageModel> clone(bool requiresGrad) const = 0;
    /// A trainable copy with a scalar head instead of the vocabulary: std 1/sqrt(width + 1) drawn from
    /// `seed`, bias 0.
    virtual std::shared_ptr<LanguageModel> withValueHead(std::uint64_t seed) const = 0;
    /// Takes the other model's frozen weights, where it has them, in place of its own of the same name that
    /// are equal.
    virtual void shareFrozen(const LanguageModel& /*other*/) {}
    /// Makes the parameters trainable: fp32 with gradients. They may be other tensors afterwards.
    virtual void learn() = 0;
    /// Moves the weights; the parameters are other tensors afterwards, without gradients.
    virtual void moveTo(const Compute& compute) = 0;
    virtual const Compute& compute() const = 0;

    /// Hidden states [rows, width] of a batch, one row a token (offsetsOf): what predicts that token, which
    /// has read the input and the tokens before it. Differentiable.
    virtual torch::Tensor hiddenStates(const SequenceBatch& batch) const = 0;
    /// Logits [.., V] or values [.., 1] of hidden states.
    virtual torch::Tensor applyHead(const torch::Tensor& hidden) const = 0;
    /// The last layer of a model with a vocabulary.
    virtual HeadWeights head() const = 0;

    /// Reads inputs once, for any number of sequences that begin on them.
    virtual std::shared_ptr<const ReadInputs> read(const std::vector<ModelInput>& inputs) const = 0;
    /// Whether sequences are best written together (jointStepper), as on a GPU.
    virtual bool stepsJointly() const { return false; }
    /// Steps of up to `places` sequences of up to `maxTokens` tokens, prefixes included. The model must not
    /// change meanwhile.
    virtual std::unique_ptr<Stepper> stepper(const std::shared_ptr<const ReadInputs>& inputs, int places,
                                             int maxTokens) const = 0;
    /// Steps of sequences that begin together: row b reads input inputOf[b]. Only where stepsJointly().
    virtual std::unique_ptr<JointStepper> jointStepper(const std::shared_ptr<const ReadInputs>& inputs,
                                                       const std::vector<int>& inputOf,
                                                       std::int64_t maxTokens) const;
    /// Memory of one sequence of a jointStepper, in bytes.
    virtual double bytesOfSequence(int maxTokens) const;
};

/// All elements of the parameters.
std::int64_t countOf(const NamedTensors& parameters);

} // namespace sparserl
