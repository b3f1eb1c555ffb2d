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

/// What a served policy wrote for a request.
struct ServedSamples
{
    std::vector<Sample> samples;
    std::vector<std::string> texts;
    std::size_t promptTokens = 0;
};

/// A policy that answers requests, one at a time; other threads wait. With the same seed and matrix, the n-th
/// choice is the n-th program of ProgramWriter.
class ServedPolicy
{
public:
    /// Loads a policy directory (findPolicy()) for a device and precision (compute.h, computeFor).
    static Result<ServedPolicy> load(const std::filesystem::path& folder, const std::string& device,
                                     const std::string& precision);
    ServedPolicy(ServedPolicy&&) noexcept;
    ServedPolicy& operator=(ServedPolicy&&) noexcept;
    ~ServedPolicy();

    /// `text` gets more whole characters of a choice, and may be empty. Fails for a request that this policy
    /// cannot answer; interruption() after `cancel`.
    Result<ServedSamples>
    write(const ServedRequest& request, const CancelToken& cancel,
          const std::function<void(std::size_t choice, const std::string& more)>& text) const;

private:
    struct Impl;
    explicit ServedPolicy(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace sparserl
