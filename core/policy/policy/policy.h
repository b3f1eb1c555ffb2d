// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/compute/compute.h"
#include "policy/matrix/matrix_tokens.h"
#include "policy/model/language_model.h"
#include "policy/model/sequence_batch.h"
#include "policy/sampling/sampling.h"
#include "policy/t5/t5_config.h"
#include "policy/tokenizer/tokenizer.h"
#include "policy/torch.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparserl {

struct PolicyConfig
{
    EmbeddingConfig embedding;
    GenerationSettings generation;
    /// The text of the prompt after every matrix; empty: none (SparseRL A.29).
    std::string prompt;
    /// Name of the chat format in the model's files (chat_format.h); empty: unknown.
    std::string chat;
    /// If this is above 0, the policy reads no matrix tokens. Instead, its prompt describes the matrix in
    /// words, with this many of its entries. Only for causal models.
    int textEntries = 0;
    /// Whether the policy was trained on prompts that contain a program to improve (sft.refine).
    bool refines = false;
};

/// Statistics of each token. All tensors are [B, T] in fp32 on the CPU, and exactly 0 where the mask is 0.
/// Gradients flow back to the policy's device.
struct TokenStatistics
{
    torch::Tensor logProbs; ///< log softmax(logits / temperature) at the target.
    torch::Tensor entropy;  ///< Entropy of the same distribution; undefined if it was not requested.
    torch::Tensor mask; ///< learnedMask(): 1 for each token that the policy has generated, including </s>.
};

/// A policy: a language model that reads matrices, its tokenizer, and its settings. Copies of the object
/// share the weights; clone() copies the trainable weights. Not thread-safe.
class Policy
{
public:
    /// Creates a T5 policy with initial weights drawn from `seed`. The tokenizer determines the size of the
    /// vocabulary.
    static Result<Policy> create(PolicyConfig config, T5Config shape, Tokenizer tokenizer,
                                 std::uint64_t seed);
    /// Creates a policy from a model. The model determines the configuration of the embedding.
    static Policy ofModel(PolicyConfig config, Tokenizer tokenizer, std::shared_ptr<LanguageModel> model);
    /// Reads a policy directory: config.json, tokenizer.json, model.safetensors.
    static Result<Policy> load(const std::filesystem::path& directory);
    /// Writes a policy directory atomically (temporary directory, fsync, rename; DONE last). Weights are
    /// rounded to `precision` and stored in it.
    Status save(const std::filesystem::path& directory, torch::ScalarType precision = torch::kFloat32) const;
    /// Writes the same files to an existing directory, for a checkpoint that is itself written atomically.
    Status saveFiles(const std::filesystem::path& directory,
                     torch::ScalarType precision = torch::kFloat32) const;
    /// Returns a policy with the same configuration and its own copy of the trainable weights. `requiresGrad`
    /// is false for a reference policy.
    Policy clone(bool requiresGrad = true) const;

    /// Makes the weights trainable. Call it before you create optimizers, because it may replace the
    /// parameter tensors.
    void learn() { m_model->learn(); }
    /// Shares the frozen weights of another policy, which must be equal, and frees its own copies of them.
    void shareFrozen(const Policy& other) { m_model->shareFrozen(other.model()); }
    /// Sets device and precision, also for copies that share the weights. Call it before you create
    /// optimizers, because it replaces the parameter tensors.
    void moveTo(const Compute& compute);

    const PolicyConfig& config() const { return m_config; }
    PolicyConfig& config() { return m_config; }
    const Tokenizer& tokenizer() const { return m_tokenizer; }
    /// Returns the size of the model's vocabulary. The tokenizer has at most this many tokens.
    int vocabSize() const { return m_model->vocabSize(); }
    /// Returns the trainable tensors under our own names, in a fixed order. Checkpoints of an optimizer use
    /// these names.
    NamedTensors parameters() const;
    /// Returns the number of all weights, including frozen ones.
    std::int64_t parameterCount() const;
    /// Returns the SHA-256 over the names and values of the weights.
    std::string digest() const;

    /// Returns the tokens that the policy reads for a prompt, beginning with the token that the model's files
    /// place before texts, if any. For a causal policy with a chat format, these are the tokens of a
    /// conversation in which the user sends the prompt, up to the beginning of the model's answer.
    std::vector<std::int32_t> promptTokens(std::string_view prompt) const;
    MatrixTokens matrixTokens(const Csr& matrix, std::uint64_t seed) const;
    /// Returns an input with a matrix and the policy's own prompt.
    ModelInput inputOf(std::shared_ptr<const MatrixTokens> matrix) const;
    /// Returns an input that stands for no matrix: one entry and features of zeros, which no matrix has.
    ModelInput inputWithoutMatrix() const;

    /// Returns the logits [B, T, V] on the CPU. Those at position t are computed from the actual tokens
    /// before t (teacher forcing). Logits after the end of a sequence are 0.
    torch::Tensor logits(const SequenceBatch& batch) const;
    /// Computes the log-probability and, if `withEntropy`, the entropy of every token that the policy has
    /// generated, at a temperature. The head is applied only at these positions, and to headRows() of them at
    /// a time, so this takes less time and memory than logits(). Differentiable unless gradients are
    /// disabled.
    TokenStatistics tokenStatistics(const SequenceBatch& batch, double temperature = 1.0,
                                    bool withEntropy = true) const;

    /// Samples programs in batches (generate() in generate.h).
    std::vector<Sample> generate(const std::vector<ModelInput>& inputs,
                                 const std::vector<SampleRequest>& requests, const SamplingOptions& options,
                                 const TokenHook& hook = {}, const CancelToken& cancel = {},
                                 const std::function<void()>& reading = {}) const;

    const LanguageModel& model() const { return *m_model; }

private:
    Policy(PolicyConfig config, Tokenizer tokenizer, std::shared_ptr<LanguageModel> model);

    PolicyConfig m_config;
    Tokenizer m_tokenizer;
    std::shared_ptr<LanguageModel> m_model;
};

/// The value network: a separate model with a scalar head instead of a vocabulary head.
class Critic
{
public:
    /// Creates a critic from a copy of the policy's weights. Draws the weights of the head with standard
    /// deviation 1/sqrt(width + 1); its bias is 0.
    static Critic fromPolicy(const Policy& policy, std::uint64_t seed);
    /// Read and write critic.json and critic.safetensors in a directory.
    static Result<Critic> load(const std::filesystem::path& directory);
    Status saveFiles(const std::filesystem::path& directory) const;
    Critic clone(bool requiresGrad = true) const;
    void shareFrozen(const Policy& policy)
    {
        m_model->shareFrozen(policy.model());
    }                                    ///< See Policy::shareFrozen.
    void moveTo(const Compute& compute); ///< See Policy::moveTo.

    /// Returns values [B, T] in fp32. The value at t belongs to the state in which token t is chosen, after
    /// the tokens before t. Values are 0 where learnedMask() is 0.
    torch::Tensor values(const SequenceBatch& batch) const;
    NamedTensors parameters() const;
    std::int64_t parameterCount() const;

private:
    explicit Critic(std::shared_ptr<LanguageModel> model);

    std::shared_ptr<LanguageModel> m_model;
};

/// Returns the log-probability of each target under softmax(logits / temperature), in fp32. logits is [..,
/// V], targets is [..] (int64), and the result has the shape of targets.
torch::Tensor tokenLogProbs(const torch::Tensor& logits, const torch::Tensor& targets, double temperature);
/// Returns the entropy [..] of softmax(logits / temperature) in fp32, computed as logsumexp - sum(p * logit).
torch::Tensor tokenEntropy(const torch::Tensor& logits, double temperature);

} // namespace sparserl
