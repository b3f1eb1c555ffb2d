// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace sparserl {

/// Asked between the layers of a long computation: false ends it. May be empty.
using GoesOn = std::function<bool()>;

/// A model's representation of its inputs, before any token (LanguageModel::read). Its contents are specific
/// to the model.
class ReadInputs
{
public:
    ReadInputs() = default;
    ReadInputs(const ReadInputs&) = delete;
    ReadInputs& operator=(const ReadInputs&) = delete;
    virtual ~ReadInputs() = default;
};

/// Generates sequences token by token, with cached keys and values. Each place has its own position and
/// input, so sequences start and end independently.
class Stepper
{
public:
    Stepper() = default;
    Stepper(const Stepper&) = delete;
    Stepper& operator=(const Stepper&) = delete;
    virtual ~Stepper() = default;

    /// Starts a sequence on an input at a place. `prefix` holds the first tokens of the sequence.
    virtual void start(int place, int input, std::span<const std::int32_t> prefix) = 0;
    /// Place i continues from the state of place from[i], for all i < from.size() at once.
    virtual void regroup(std::span<const int> from) = 0;
    /// Adds one token at each of several distinct places; a newly started place ignores its token. Calls
    /// `consume(i, logits)` once per place, possibly from several threads, with the logits [V] of the token
    /// after tokens[i], or of the first one after the prefix. They are valid during the call.
    virtual void step(std::span<const int> places, std::span<const std::int32_t> tokens,
                      const std::function<void(std::size_t i, const float* logits)>& consume) = 0;
};

/// Generates sequences that begin together, one token each per step, on the model's device. No call waits for
/// the device. A step with the same `keys` performs the same operations on the same memory until keep() is
/// called, so it can be recorded.
class JointStepper
{
public:
    JointStepper() = default;
    JointStepper(const JointStepper&) = delete;
    JointStepper& operator=(const JointStepper&) = delete;
    virtual ~JointStepper() = default;

    /// Logits [rows, V] of the first tokens.
    virtual torch::Tensor first() = 0;
    /// Logits [rows, V] after tokens [rows] (int64), which are number `step` (int64 [1], on the device) of
    /// their sequences, from 1. `keys` is a bound of `step` + 1 on the host, a multiple of keyStep or the
    /// maximum.
    virtual torch::Tensor next(const torch::Tensor& tokens, const torch::Tensor& step, std::int64_t keys) = 0;
    /// Row i becomes the former row rows[i]. Rows of one input are adjacent.
    virtual void keep(const std::vector<std::int64_t>& rows) = 0;

    /// Caches are read in steps of this many positions.
    static constexpr std::int64_t keyStep = 64;
};

} // namespace sparserl
