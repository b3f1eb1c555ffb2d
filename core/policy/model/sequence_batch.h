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
    std::shared_ptr<const MatrixTokens> matrix;
    std::vector<std::int32_t> prompt;
};

/// B token sequences over M encoder inputs. Each distinct input is encoded once, however many sequences share
/// it.
struct SequenceBatch
{
    std::vector<ModelInput> inputs;                 ///< M
    std::vector<int> inputOf;                       ///< B: index into `inputs`
    std::vector<std::vector<std::int32_t>> targets; ///< B: the tokens, </s> included where the sequence ended

    int longest() const; ///< T
};

/// First row of each sequence of a packed batch.
Offsets offsetsOf(const SequenceBatch& batch);
/// [B, T] mask of a batch, 1 up to each sequence's length.
torch::Tensor lengthMask(const SequenceBatch& batch);

/// Weights by name, in a fixed order.
using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

} // namespace sparserl
