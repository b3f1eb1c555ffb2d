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

/// The kind of a model's last layer.
enum class ModelHead
{
    Vocabulary,
    Scalar
};

/// The last layer as a matrix product: logits = (scale * hidden) weight^T.
struct HeadWeights
{
    torch::Tensor weight; ///< [V, width]
    double scale = 1;
};

/// A language model that reads a matrix: the common interface of policies and critics. Layers run without
/// dropout. Not thread-safe.
class LanguageModel
{
public:
    LanguageModel() = default;
    LanguageModel(const LanguageModel&) = delete;
    LanguageModel& operator=(const LanguageModel&) = delete;
    virtual ~LanguageModel() = default;

    virtual int vocabSize() const = 0;
    /// Whether a prompt starts with the token that the tokenizer's files place before texts.
    virtual bool beginsPrompts() const { return false; }
    virtual const EmbeddingConfig& embedding() const = 0;
    /// Adds the Hugging Face config.json keys that describe the model.
    virtual void writeConfig(nlohmann::json& json) const = 0;

    /// Trainable tensors under our own names, in a fixed order.
    virtual NamedTensors parameters() const = 0;
    /// The trainable and the frozen tensors.
    virtual NamedTensors weights() const { return parameters(); }
    /// All tensors under the names of the family's files; the matrix embedding is `matrix.*`.
    virtual SafeTensors exportTensors() const = 0;
    /// A copy with its own weights, except that it shares frozen ones. `requiresGrad` is false for a copy
    /// that is not trained.
    virtual std::shared_ptr<LanguageModel> clone(bool requiresGrad) const = 0;
    /// A trainable copy with a scalar head instead of the vocabulary head: std 1/sqrt(width + 1) drawn from
    /// `seed`, bias 0.
    virtual std::shared_ptr<LanguageModel> withValueHead(std::uint64_t seed) const = 0;
    /// Replaces frozen weights by the equal ones of the same name in the other model.
    virtual void shareFrozen(const LanguageModel& /*other*/) {}
    /// Makes the parameters trainable: fp32 with gradients. May replace the parameter tensors.
    virtual void learn() = 0;
    /// Moves the weights. Replaces the parameter tensors by ones without gradients.
    virtual void moveTo(const Compute& compute) = 0;
    virtual const Compute& compute() const = 0;

    /// Hidden states [rows, width] of a batch, one row per token (offsetsOf): the state that predicts the
    /// token, computed from the input and the preceding tokens. Differentiable.
    virtual torch::Tensor hiddenStates(const SequenceBatch& batch) const = 0;
    /// Logits [.., V] or values [.., 1] of hidden states.
    virtual torch::Tensor applyHead(const torch::Tensor& hidden) const = 0;
    /// The last layer of a model with a vocabulary.
    virtual HeadWeights head() const = 0;

    /// Reads inputs once for any number of sequences. null: `goesOn` has ended it.
    virtual std::shared_ptr<const ReadInputs> read(const std::vector<ModelInput>& inputs,
                                                   const GoesOn& goesOn) const = 0;
    /// Whether sequences are best generated together (jointStepper), as on a GPU.
    virtual bool stepsJointly() const { return false; }
    /// Steps for up to `places` sequences of up to `maxTokens` tokens, including prefixes. The model must not
    /// change in the meantime.
    virtual std::unique_ptr<Stepper> stepper(const std::shared_ptr<const ReadInputs>& inputs, int places,
                                             int maxTokens) const = 0;
    /// Steps for sequences that begin together: row b reads input inputOf[b]. Only if stepsJointly().
    virtual std::unique_ptr<JointStepper> jointStepper(const std::shared_ptr<const ReadInputs>& inputs,
                                                       const std::vector<int>& inputOf,
                                                       std::int64_t maxTokens) const;
    /// Memory per sequence in a jointStepper, in bytes.
    virtual double bytesOfSequence(int maxTokens) const;
};

/// The total number of elements of the parameters.
std::int64_t countOf(const NamedTensors& parameters);

} // namespace sparserl
