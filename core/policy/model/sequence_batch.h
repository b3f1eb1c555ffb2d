// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/kernels/attention.h"
#include "policy/matrix/matrix_tokens.h"
#include "policy/torch.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

/// The input of a model: a matrix, followed by the tokens of a prompt if there is one (SparseRL A.29).
struct ModelInput
{
    /// May be null for causal models, which then read only the prompt.
    std::shared_ptr<const MatrixTokens> matrix;
    std::vector<std::int32_t> prompt;
};

/// The role that a token has in training.
enum class TokenClass : std::uint8_t
{
    Policy,     ///< The policy has generated the token.
    Plan,       ///< The policy has generated the token as a part of the plan. Used if plan and code are
                ///< distinguished.
    Code,       ///< The policy has generated the token as a part of the code. Used in the same case.
    Observation ///< The policy has only read the token. It does not count in losses, divergences, entropies,
                ///< returns and metrics.
};

/// B token sequences for M inputs. An input is encoded only once, even if many sequences share it.
struct SequenceBatch
{
    std::vector<ModelInput> inputs; ///< M
    std::vector<int> inputOf;       ///< B: index into `inputs`.
    /// B: the tokens, including </s> if the sequence has ended.
    std::vector<std::vector<std::int32_t>> targets;

    /// B: the class of each token. If this or the list of a sequence is empty, all tokens have the class
    /// Policy.
    std::vector<std::vector<TokenClass>> classes = {};

    int longest() const; ///< T
    TokenClass classOf(std::size_t sequence, std::size_t token) const;
    /// Returns whether the policy has generated any token of a sequence.
    bool learnsFrom(std::size_t sequence) const;
};

/// Returns the first row of each sequence in a packed batch.
Offsets offsetsOf(const SequenceBatch& batch);
/// Returns a mask [B, T] that is 1 for each token that the policy has generated. It depends on lengths and
/// classes, never on the tokens themselves.
torch::Tensor learnedMask(const SequenceBatch& batch);
/// Returns a mask [B, T] that is 1 for each token of a class.
torch::Tensor classMask(const SequenceBatch& batch, TokenClass wanted);

/// Tensors with their names, in a fixed order.
using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

} // namespace sparserl
