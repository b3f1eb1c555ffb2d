// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "endpoint/endpoint_client.h"
#include "policy/policy/policy.h"
#include "training/sampling/verified_sampling.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sparserl {

/// Gets samples from a server that has the weights of the policy in training (rl.sampler = endpoint,
/// docs/rl.md 8). The server reads the weights from files; each set of weights has a new name.
class EndpointSampler
{
public:
    /// Connects to a server and asks whether it is `sparserl serve`. Writes the weights to `folder`, which is
    /// emptied now and at the end. `frozen` is the policy's frozenDigest().
    static Result<std::unique_ptr<EndpointSampler>> make(std::shared_ptr<const EndpointClient> client,
                                                         const std::filesystem::path& folder,
                                                         std::string frozen, const CancelToken& cancel);
    ~EndpointSampler();
    EndpointSampler(const EndpointSampler&) = delete;
    EndpointSampler& operator=(const EndpointSampler&) = delete;

    /// Returns whether the server is `sparserl serve`.
    bool isOurs() const { return m_ours; }
    /// Samples like sampleVerified(). `how` may ask only for what servers can do: ancestral or greedy
    /// sampling without beams. A server that was restarted gets the weights again. Fails if the server still
    /// has other weights, or returns no token IDs or log-probabilities. Returns an interruption() if
    /// `how.cancel` is set.
    Result<std::vector<Sample>> sample(const Policy& policy, const std::vector<ModelInput>& inputs,
                                       const std::vector<SampleRequest>& requests,
                                       const VerifiedSampling& how);

private:
    struct Group; ///< Requests with the same input. The server answers all of them together.

    EndpointSampler(std::shared_ptr<const EndpointClient> client, std::filesystem::path folder,
                    std::string frozen);
    Status offer(const Policy& policy, const CancelToken& cancel);
    Status load(const CancelToken& cancel) const;
    Status loadAgain(int seen, const CancelToken& cancel);
    Result<std::vector<Sample>> ask(const Policy& policy, const std::vector<ModelInput>& inputs,
                                    const Group& group, const VerifiedSampling& how);
    nlohmann::json question(const ModelInput& input, const Group& group, const VerifiedSampling& how) const;
    bool isStale(const Result<nlohmann::json>& answer, int status) const;

    std::shared_ptr<const EndpointClient> m_client;
    std::filesystem::path m_folder;
    std::string m_frozen, m_prefix;
    bool m_ours = false;
    int m_names = 0;
    std::string m_name, m_fingerprint; ///< Name and digest of the weights on the server.
    std::mutex m_loading;              // guards m_loads
    int m_loads = 0;
};

} // namespace sparserl
