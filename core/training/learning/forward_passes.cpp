// SPDX-License-Identifier: Apache-2.0
#include "training/learning/forward_passes.h"

#include "training/learning/data_parallel.h"
#include "training/learning/experience.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace sparserl {

namespace {

/// Calls `forward` for this process's part of the rows of a batch, `microBatch` at a time. False where any
/// process was interrupted.
bool forOwnRows(const SequenceBatch& batch, std::int64_t microBatch, const CancelToken& interrupt,
                ProcessGroup& processes, const std::function<void(const SequenceBatch& part)>& forward)
{
    const auto share = shareOf(batch.targets.size(), processes);
    const auto micro = static_cast<std::size_t>(microBatch);
    bool interrupted = false;
    for (std::size_t begin = share.begin; begin < share.end; begin += micro) {
        interrupted = interrupt.cancelled();
        if (interrupted)
            break;
        std::vector<std::int64_t> rows(std::min(micro, share.end - begin));
        std::iota(rows.begin(), rows.end(), static_cast<std::int64_t>(begin));
        forward(selectRows(batch, rows));
    }
    return !anyProcess(processes, interrupted);
}

/// Rows of all processes from the parts of this one, each [rows, columns].
torch::Tensor wholeOf(std::vector<torch::Tensor> parts, std::int64_t columns, ProcessGroup& processes)
{
    if (parts.empty())
        parts.push_back(torch::zeros({0, columns}));
    return gatherRows(torch::cat(parts), processes);
}

} // namespace

std::optional<torch::Tensor> valuesOf(const Critic& critic, const SequenceBatch& batch,
                                      std::int64_t microBatch, const CancelToken& interrupt,
                                      ProcessGroup& processes)
{
    const torch::NoGradGuard guard;
    const auto columns = batch.longest();
    std::vector<torch::Tensor> parts;
    const bool done = forOwnRows(batch, microBatch, interrupt, processes, [&](const SequenceBatch& part) {
        parts.push_back(toColumns(critic.values(part), columns));
    });
    return done ? std::optional(wholeOf(std::move(parts), columns, processes)) : std::nullopt;
}

std::optional<TokenStatistics> statisticsOf(const Policy& policy, const SequenceBatch& batch,
                                            double temperature, std::int64_t microBatch, bool withEntropy,
                                            const CancelToken& interrupt, ProcessGroup& processes)
{
    const torch::NoGradGuard guard;
    const auto columns = batch.longest();
    std::vector<torch::Tensor> logProbs, entropy, mask;
    const bool done = forOwnRows(batch, microBatch, interrupt, processes, [&](const SequenceBatch& rows) {
        const auto part = policy.tokenStatistics(rows, temperature, withEntropy);
        logProbs.push_back(toColumns(part.logProbs, columns));
        mask.push_back(toColumns(part.mask, columns));
        if (withEntropy)
            entropy.push_back(toColumns(part.entropy, columns));
    });
    if (!done)
        return std::nullopt;
    TokenStatistics all;
    all.logProbs = wholeOf(std::move(logProbs), columns, processes);
    all.mask = wholeOf(std::move(mask), columns, processes);
    if (withEntropy)
        all.entropy = wholeOf(std::move(entropy), columns, processes);
    return all;
}

} // namespace sparserl
