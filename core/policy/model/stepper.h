// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace sparserl {

/// What a model has made of its inputs, before any token (LanguageModel::read). Its content is the model's
/// own.
class ReadInputs
{
public:
    ReadInputs() = default;
    ReadInputs(const ReadInputs&) = delete;
    ReadInputs& operator=(const ReadInputs&) = delete;
    virtual ~ReadInputs() = default;
};

/// Writes sequences token by token, with cached keys and values. Each place has its own position and input,
/// so sequences start and end independently.
class Stepper
{
public:
    Stepper() = default;
    Stepper(const Stepper&) = delete;
    Stepper& operator=(const Stepper&) = delete;
    virtual ~Stepper() = default;

    /// A place begins a sequence on an input. It reads `prefix` as the first tokens of the sequence.
    virtual void start(int place, int input, std::span<const std::int32_t> prefix) = 0;
    /// Place i goes on from what place from[i] has read, for all i < from.size() at once.
    virtual void regroup(std::span<const int> from) = 0;
    /// One more token at each of some distinct places; the one of a place that has just been started is not
    /// looked at. `consume(i, logits)` is called once per place, possibly from several threads, with the
    /// logits [V] of the token after tokens[i], or of the first one after the prefix; they are valid during
    /// the call.
    virtual void step(std::span<const int> places, std::span<const std::int32_t> tokens,
                      const std::function<void(std::size_t i, const float* logits)>& consume) = 0;
};

/// Writes sequences that begin together, one token of all of them a step, on the model's device. Nothing here
/// waits for the device, and a step with the same `keys` is the same sequence of operations on the same
/// memory until keep() is called, so that it can be recorded.
class JointStepper
{
public:
    JointStepper() = default;
    JointStepper(const JointStepper&) = delete;
    JointStepper& operator=(const JointStepper&) = delete;
    virtual ~JointStepper() = default;

    /// Logits [rows, V] of the first tokens.
    virtual torch::Tensor first() = 0;
    /// Logits [rows, V] after tokens [rows] (int64), the step-th (int64 [1], on the device) of their
    /// sequences, from 1. `keys` is a bound of `step` + 1 on the host, a multiple of keyStep or the maximum.
    virtual torch::Tensor next(const torch::Tensor& tokens, const torch::Tensor& step, std::int64_t keys) = 0;
    /// Row i is from now on what row rows[i] was; rows of one input stand side by side.
    virtual void keep(const std::vector<std::int64_t>& rows) = 0;

    /// Caches are read in steps of this many positions.
    static constexpr std::int64_t keyStep = 64;
};

} // namespace sparserl
