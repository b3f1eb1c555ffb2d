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

/// The last layer as a matrix product, logits = (scale * hidden) weight^T.
struct HeadWeights
{
    torch::Tensor weight; ///< [V, width], as it is stored (headOperand()).
    double scale = 1;
};

/// A language model that reads a matrix. Policies and critics use models through this interface. Layers run
/// without dropout. Not thread-safe.
class LanguageModel
{
public:
    LanguageModel() = default;
    LanguageModel(const LanguageModel&) = delete;
    LanguageModel& operator=(const LanguageModel&) = delete;
    virtual ~LanguageModel() = default;

    virtual int vocabSize() const = 0;
    /// Returns whether prompts start with the token that the tokenizer's files place before texts.
    virtual bool beginsPrompts() const { return false; }
    virtual const EmbeddingConfig& embedding() const = 0;
    /// Adds the keys of Hugging Face's config.json that describe the model.
    virtual void writeConfig(nlohmann::json& json) const = 0;

    /// Returns the trainable tensors under our own names, in a fixed order.
    virtual NamedTensors parameters() const = 0;
    /// Returns the trainable and the frozen tensors.
    virtual NamedTensors weights() const { return parameters(); }
    /// Returns all tensors under the names that files of this family use. Those of the matrix embedding begin
    /// with "matrix.".
    virtual SafeTensors exportTensors() const = 0;
    /// Returns a copy, which has its own trainable weights and shares the frozen ones. `requiresGrad` is
    /// false for a copy that will not be trained.
    virtual std::shared_ptr<LanguageModel> clone(bool requiresGrad) const = 0;
    /// Returns a trainable copy with a scalar head instead of the vocabulary head. The weights of the head
    /// are drawn from `seed` with standard deviation 1/sqrt(width + 1); its bias is 0.
    virtual std::shared_ptr<LanguageModel> withValueHead(std::uint64_t seed) const = 0;
    /// Shares the frozen weights of another model: replaces each frozen weight by the equal weight of the
    /// same name in that model.
    virtual void shareFrozen(const LanguageModel& /*other*/) {}
    /// Makes the parameters trainable, in fp32 with gradients. May replace the parameter tensors.
    virtual void learn() = 0;
    /// Moves the weights to a device and sets the precision. Replaces the parameter tensors by tensors
    /// without gradients.
    virtual void moveTo(const Compute& compute) = 0;
    virtual const Compute& compute() const = 0;

    /// Returns the hidden states [rows, width] of a batch, one row per token (offsetsOf()). The state of a
    /// token predicts the token from the input and the preceding tokens. Differentiable.
    virtual torch::Tensor hiddenStates(const SequenceBatch& batch) const = 0;
    /// Returns the logits [.., V] or the values [.., 1] for hidden states.
    virtual torch::Tensor applyHead(const torch::Tensor& hidden) const = 0;
    /// Returns the last layer of a model with a vocabulary head.
    virtual HeadWeights head() const = 0;

    /// Reads inputs. The result can be used for any number of sequences; it is null if `goesOn` ended the
    /// computation.
    virtual std::shared_ptr<const ReadInputs> read(const std::vector<ModelInput>& inputs,
                                                   const GoesOn& goesOn) const = 0;
    /// Returns whether it is faster to generate sequences together (jointStepper()), as on a GPU.
    virtual bool stepsJointly() const { return false; }
    /// Creates a stepper for up to `places` sequences at a time, of up to `maxTokens` tokens each, including
    /// prefixes. The model must not change while the stepper is used.
    virtual std::unique_ptr<Stepper> stepper(const std::shared_ptr<const ReadInputs>& inputs, int places,
                                             int maxTokens) const = 0;
    /// Creates a stepper for sequences that begin together; sequence b reads input inputOf[b]. Call it only
    /// if stepsJointly().
    virtual std::unique_ptr<JointStepper> jointStepper(const std::shared_ptr<const ReadInputs>& inputs,
                                                       const std::vector<int>& inputOf,
                                                       std::int64_t maxTokens) const;
    /// Returns the memory that a sequence of up to `maxTokens` tokens needs in a JointStepper, in bytes.
    virtual double bytesOfSequence(const ReadInputs& inputs, int maxTokens) const;
};

/// Returns the total number of elements of the parameters.
std::int64_t countOf(const NamedTensors& parameters);

} // namespace sparserl
