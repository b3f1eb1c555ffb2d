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
    /// What the policy reads behind every matrix, in words; empty: nothing (SparseRL A.29).
    std::string prompt;
    /// Name of the chat format of the model's files (chat_format.h); empty: none is known.
    std::string chat;
    /// Whether it was trained on prompts that show a program to improve on (sft.refine).
    bool refines = false;
};

/// Per token; all [B, T], fp32, on the CPU (differentiable back to the policy's device), exactly 0 where mask
/// is 0 (learnedMask).
struct TokenStatistics
{
    torch::Tensor logProbs; ///< log softmax(logits / temperature) at the target
    torch::Tensor entropy;  ///< of the same distribution; undefined if not asked for
    torch::Tensor mask;     ///< 1 for each token that the policy wrote (</s> included)
};

/// A policy: a language model that reads matrices, its tokenizer, and how it is used. Copies share the
/// weights; `clone` does not. Not safe for use from several threads at a time.
class Policy
{
public:
    /// A T5 with initial weights drawn from `seed`; the vocabulary size is the tokenizer's.
    static Result<Policy> create(PolicyConfig config, T5Config shape, Tokenizer tokenizer,
                                 std::uint64_t seed);
    /// A policy around a model that is there already, with the model's embedding.
    static Policy ofModel(PolicyConfig config, Tokenizer tokenizer, std::shared_ptr<LanguageModel> model);
    /// Reads a policy directory: config.json, tokenizer.json, model.safetensors.
    static Result<Policy> load(const std::filesystem::path& directory);
    /// Writes a policy directory atomically (temporary directory, fsync, rename; DONE last).
    Status save(const std::filesystem::path& directory) const;
    /// The three files, in place, into an existing directory: for a checkpoint that is itself written
    /// atomically.
    Status saveFiles(const std::filesystem::path& directory) const;
    /// Same configuration, own copy of the weights that learn; `requiresGrad` false for a reference.
    Policy clone(bool requiresGrad = true) const;

    /// Makes the weights trainable. Before optimizers are made, as moveTo.
    void learn() { m_model->learn(); }
    /// Frees its weights that are frozen in another policy and equal there, and uses those.
    void shareFrozen(const Policy& other) { m_model->shareFrozen(other.model()); }
    /// Where and how it computes from now on; also the copies that share its weights. Before optimizers are
    /// made: the parameters are other tensors afterwards.
    void moveTo(const Compute& compute);

    const PolicyConfig& config() const { return m_config; }
    PolicyConfig& config() { return m_config; }
    const Tokenizer& tokenizer() const { return m_tokenizer; }
    /// How many tokens the model tells apart; the tokenizer has no more.
    int vocabSize() const { return m_model->vocabSize(); }
    /// Tensors that learn, under our own names, in a fixed order. The optimizer checkpoints by name.
    NamedTensors parameters() const;
    /// Of all weights, frozen ones too.
    std::int64_t parameterCount() const;
    /// SHA-256 over names and weights.
    std::string digest() const;

    /// What is read of a prompt: its tokens, after the one that the model's files put in front of texts. Of a
    /// causal policy with a chat format: the conversation in which the user says the prompt, up to where the
    /// model answers.
    std::vector<std::int32_t> promptTokens(std::string_view prompt) const;
    MatrixTokens matrixTokens(const Csr& matrix, std::uint64_t seed) const;
    /// A matrix with the policy's own prompt.
    ModelInput inputOf(std::shared_ptr<const MatrixTokens> matrix) const;
    /// What is read where there is no matrix: one entry and features of zeros, which no matrix has.
    ModelInput inputWithoutMatrix() const;

    /// Teacher-forced logits [B, T, V] on the CPU; position t has read tokens before t. Rows behind a
    /// sequence's end are 0.
    torch::Tensor logits(const SequenceBatch& batch) const;
    /// Log-probability (and entropy) of every token that the policy wrote, at a temperature. The head runs on
    /// their positions only, so this is the cheaper way to every loss. Differentiable unless under a no-grad
    /// guard.
    TokenStatistics tokenStatistics(const SequenceBatch& batch, double temperature = 1.0,
                                    bool withEntropy = true) const;

    /// Samples programs, many at once (generate.h).
    std::vector<Sample> generate(const std::vector<ModelInput>& inputs,
                                 const std::vector<SampleRequest>& requests, const SamplingOptions& options,
                                 const TokenHook& hook = {}, const CancelToken& cancel = {}) const;

    const LanguageModel& model() const { return *m_model; }

private:
    Policy(PolicyConfig config, Tokenizer tokenizer, std::shared_ptr<LanguageModel> model);

    PolicyConfig m_config;
    Tokenizer m_tokenizer;
    std::shared_ptr<LanguageModel> m_model;
};

/// The value network: a model of its own with a scalar head instead of the vocabulary.
class Critic
{
public:
    /// Starts from the policy's weights; the head is drawn with std 1/sqrt(width + 1), its bias is 0.
    static Critic fromPolicy(const Policy& policy, std::uint64_t seed);
    /// Reads / writes critic.json and critic.safetensors in a directory.
    static Result<Critic> load(const std::filesystem::path& directory);
    Status saveFiles(const std::filesystem::path& directory) const;
    Critic clone(bool requiresGrad = true) const;
    void shareFrozen(const Policy& policy) { m_model->shareFrozen(policy.model()); } ///< As Policy's.
    void moveTo(const Compute& compute);                                             ///< As Policy::moveTo.

    /// V[B, T], fp32, 0 where masked: the value of the state in which token t is chosen (tokens before t are
    /// read).
    torch::Tensor values(const SequenceBatch& batch) const;
    NamedTensors parameters() const;
    std::int64_t parameterCount() const;

private:
    explicit Critic(std::shared_ptr<LanguageModel> model);

    std::shared_ptr<LanguageModel> m_model;
};

/// Per-token log-probabilities [.., ] of `targets` (int64) under softmax(logits / temperature), in fp32.
/// logits [.., V]; shape of the result is that of targets.
torch::Tensor tokenLogProbs(const torch::Tensor& logits, const torch::Tensor& targets, double temperature);
/// Entropy [..] of softmax(logits / temperature) in fp32: logsumexp - sum(p * logit).
torch::Tensor tokenEntropy(const torch::Tensor& logits, double temperature);

} // namespace sparserl
