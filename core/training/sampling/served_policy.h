// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "training/sampling/served_request.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Identifies the weights of a served policy.
struct ServedWeights
{
    std::string model;       ///< The model name that clients use.
    std::string fingerprint; ///< Digest of the update (policy_update.h); empty for the policy's files.
};

/// The answer of a served policy to a request.
struct ServedSamples
{
    std::vector<Sample> samples;
    std::vector<std::string> texts;
    std::size_t promptTokens = 0;
    ServedWeights weights; ///< The weights that wrote the samples.
    bool refused = false;  ///< The request asks for other weights, so nothing was written.
};

/// Callbacks while a served policy writes. They are called on the caller's thread; each may be empty.
struct ServedEvents
{
    /// Called with more text of a choice, in whole characters.
    std::function<void(std::size_t choice, const std::string& more)> text;
    /// Returns whether somebody still waits for the answer. Called several times per second, also while other
    /// requests are answered.
    std::function<bool()> wanted;
};

/// A policy that answers requests, one at a time; other threads wait for their turn. With the same seed and
/// matrix, the n-th choice of an answer is the n-th program of ProgramWriter.
class ServedPolicy
{
public:
    /// Loads a policy directory (findPolicy()) for a device and precision (computeFor() in compute.h).
    /// `updated` says whether update() will be called.
    static Result<ServedPolicy> load(const std::filesystem::path& folder, const std::string& model,
                                     const std::string& device, const std::string& precision,
                                     bool updated = false);
    ServedPolicy(ServedPolicy&&) noexcept;
    ServedPolicy& operator=(ServedPolicy&&) noexcept;
    ~ServedPolicy();

    /// Answers a request. Fails if this policy cannot answer it. Returns an interruption() if `cancel` is set
    /// or nobody waits for the answer any longer.
    Result<ServedSamples> write(const ServedRequest& request, const CancelToken& cancel,
                                const ServedEvents& events) const;
    /// Replaces the trainable weights by those of an update in `folder`, as soon as no request is being
    /// answered. Fails for an update of another policy, and then leaves the weights unchanged.
    Result<ServedWeights> update(const std::string& model, const std::filesystem::path& folder,
                                 const CancelToken& cancel) const;
    ServedWeights weights() const;

private:
    struct Impl;
    explicit ServedPolicy(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace sparserl
