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

/// Which weights a served policy has.
struct ServedWeights
{
    std::string model; ///< Their name for clients.
    std::string
        fingerprint; ///< Digest of an update (policy_update.h); empty for those of the policy's files.
};

/// What a served policy wrote for a request.
struct ServedSamples
{
    std::vector<Sample> samples;
    std::vector<std::string> texts;
    std::size_t promptTokens = 0;
    ServedWeights weights; ///< That wrote them.
    bool refused = false;  ///< Other weights were asked for; nothing was written.
};

/// Callbacks while a served policy writes, on the caller's thread; each may be empty.
struct ServedEvents
{
    std::function<void(std::size_t choice, const std::string& more)> text; ///< More whole characters.
    /// Asked several times per second, also while other requests are answered: whether anybody still waits.
    std::function<bool()> wanted;
};

/// A policy that answers requests, one at a time; other threads wait. With the same seed and matrix, the n-th
/// choice is the n-th program of ProgramWriter.
class ServedPolicy
{
public:
    /// Loads a policy directory (findPolicy()) for a device and precision (compute.h, computeFor). `updated`:
    /// whether update() will be called.
    static Result<ServedPolicy> load(const std::filesystem::path& folder, const std::string& model,
                                     const std::string& device, const std::string& precision,
                                     bool updated = false);
    ServedPolicy(ServedPolicy&&) noexcept;
    ServedPolicy& operator=(ServedPolicy&&) noexcept;
    ~ServedPolicy();

    /// Fails for a request that this policy cannot answer; interruption() after `cancel`, or when the answer
    /// is no longer wanted.
    Result<ServedSamples> write(const ServedRequest& request, const CancelToken& cancel,
                                const ServedEvents& events) const;
    /// Replaces the trainable weights by those of an update in `folder`, once no request is being answered.
    /// Fails, with the weights unchanged, for those of another policy.
    Result<ServedWeights> update(const std::string& model, const std::filesystem::path& folder,
                                 const CancelToken& cancel) const;
    ServedWeights weights() const;

private:
    struct Impl;
    explicit ServedPolicy(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace sparserl
