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

/// What the encoder reads: a matrix, and prompt tokens behind it when text is mixed in (paper A.29).
struct ModelInput
{
    /// Null: only the prompt is read. For causal models.
    std::shared_ptr<const MatrixTokens> matrix;
    std::vector<std::int32_t> prompt;
};

/// What a token of a sequence is to learning.
enum class TokenClass : std::uint8_t
{
    Policy,     ///< Written by the policy.
    Plan,       ///< The same, where plan and code are told apart.
    Code,       ///< The same.
    Observation ///< Given to the policy, which reads it: in no loss, divergence, entropy, return or metric.
};

/// B token sequences over M inputs. Each distinct input is encoded once, however many sequences share it.
struct SequenceBatch
{
    std::vector<ModelInput> inputs;                 ///< M
    std::vector<int> inputOf;                       ///< B: index into `inputs`
    std::vector<std::vector<std::int32_t>> targets; ///< B: the tokens, </s> included where the sequence ended

    /// B: the class of each token; empty, or empty for a sequence: all are the policy's.
    std::vector<std::vector<TokenClass>> classes = {};

    int longest() const; ///< T
    TokenClass classOf(std::size_t sequence, std::size_t token) const;
    /// Whether the policy wrote any token of a sequence.
    bool learnsFrom(std::size_t sequence) const;
};

/// First row of each sequence of a packed batch.
Offsets offsetsOf(const SequenceBatch& batch);
/// [B, T] mask of a batch: 1 for each token that the policy wrote. It comes from lengths and classes, never
/// from token values.
torch::Tensor learnedMask(const SequenceBatch& batch);
/// [B, T]: 1 for each token of a class.
torch::Tensor classMask(const SequenceBatch& batch, TokenClass wanted);

/// Weights by name, in a fixed order.
using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

} // namespace sparserl
