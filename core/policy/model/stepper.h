// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace sparserl {

/// Called between the layers of a long computation; if it returns false, the computation ends. May be empty.
using GoesOn = std::function<bool()>;

/// The state of a model after it has read its inputs and before any token (LanguageModel::read()). Each model
/// defines its own contents.
class ReadInputs
{
public:
    ReadInputs() = default;
    ReadInputs(const ReadInputs&) = delete;
    ReadInputs& operator=(const ReadInputs&) = delete;
    virtual ~ReadInputs() = default;
};

/// Generates several sequences token by token, with cached keys and values. Each sequence occupies a place,
/// which has its own position and input, so that sequences start and end independently.
class Stepper
{
public:
    Stepper() = default;
    Stepper(const Stepper&) = delete;
    Stepper& operator=(const Stepper&) = delete;
    virtual ~Stepper() = default;

    /// Starts a sequence for an input at a place. `prefix` holds the first tokens of the sequence.
    virtual void start(int place, int input, std::span<const std::int32_t> prefix) = 0;
    /// Copies the state of place from[i] to place i, for all i < from.size() at once.
    virtual void regroup(std::span<const int> from) = 0;
    /// Adds tokens[i] to the sequence at places[i], for several different places. A place that has just been
    /// started ignores its token. Calls `consume(i, logits)` once per place, possibly from several threads,
    /// with the logits [V] for the next token. The logits are valid only during that call.
    virtual void step(std::span<const int> places, std::span<const std::int32_t> tokens,
                      const std::function<void(std::size_t i, const float* logits)>& consume) = 0;
};

/// Generates sequences that begin together, on the model's device; each step adds one token to each sequence.
/// No call waits for the device. Until keep() is called, all steps with the same `keys` perform the same
/// operations on the same memory, so that a step can be recorded.
class JointStepper
{
public:
    JointStepper() = default;
    JointStepper(const JointStepper&) = delete;
    JointStepper& operator=(const JointStepper&) = delete;
    virtual ~JointStepper() = default;

    /// Returns the logits [rows, V] for the first tokens.
    virtual torch::Tensor first() = 0;
    /// Reads tokens [rows] (int64) and returns the logits [rows, V] for the tokens after them. `step` (int64
    /// [1], on the device) is the number of these tokens in their sequences, counted from 1. `keys` is at
    /// least `step` + 1, and is a multiple of keyStep or the maximum.
    virtual torch::Tensor next(const torch::Tensor& tokens, const torch::Tensor& step, std::int64_t keys) = 0;
    /// Keeps only the rows in `rows`: row i becomes the former row rows[i]. Rows with the same input must be
    /// adjacent.
    virtual void keep(const std::vector<std::int64_t>& rows) = 0;

    /// Caches are read in units of this many positions.
    static constexpr std::int64_t keyStep = 64;
};

} // namespace sparserl
