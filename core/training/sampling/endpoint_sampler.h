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

/// Samples that a server draws with the weights of the policy in training (rl.sampler = endpoint, docs/rl.md
/// 8). The weights reach the server as files, under a name that is never used again.
class EndpointSampler
{
public:
    /// `folder` receives the weights and is emptied now and at the end. `frozen` is the policy's
    /// frozenDigest(). Asks the server what it is.
    static Result<std::unique_ptr<EndpointSampler>> make(std::shared_ptr<const EndpointClient> client,
                                                         std::filesystem::path folder, std::string frozen,
                                                         const CancelToken& cancel);
    ~EndpointSampler();
    EndpointSampler(const EndpointSampler&) = delete;
    EndpointSampler& operator=(const EndpointSampler&) = delete;

    /// Whether the server is `sparserl serve`.
    bool isOurs() const { return m_ours; }
    /// Samples like sampleVerified(); `how` must ask for what servers have: no beams, and ancestral or greedy
    /// sampling. A server that was started again gets the weights again. Fails if the server has other
    /// weights in spite of this, or gives no token IDs and log-probabilities; interruption() after
    /// `how.cancel`.
    Result<std::vector<Sample>> sample(const Policy& policy, const std::vector<ModelInput>& inputs,
                                       const std::vector<SampleRequest>& requests,
                                       const VerifiedSampling& how);

private:
    struct Group; ///< Requests with the same input, which the server answers at once.

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
    std::string m_name, m_fingerprint; ///< Of the weights that the server was told to load.
    std::mutex m_loading;              // of the number of loads
    int m_loads = 0;
};

} // namespace sparserl
