// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/protocol/channel.h"
#include "runner/runner_gpu.h"

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl {

/// Serves `run` and `baselines` jobs on one GPU, in two steps on two threads: `prepare` is everything that
/// needs only the processor (reading, gate, binding) and happens while the job before it is on the GPU.
class CudaRole
{
public:
    struct Work;
    explicit CudaRole(RunnerGpu& gpu);
    ~CudaRole();

    /// On the reading thread. An Error ends the runner: the message broke the protocol.
    Result<std::shared_ptr<Work>> prepare(Message message);
    /// On the thread that opened the GPU.
    Result<nlohmann::json> run(Work& work);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// Reads, prepares, runs and answers until the socket closes, the GPU is poisoned, or `programs` jobs are
/// done. Returns the exit status; ends the process at once where the parent is gone while a kernel runs.
/// `finish` may add to every answer before it is sent.
int serveCuda(Channel& channel, RunnerGpu& gpu, int programs,
              const std::function<void(nlohmann::json& answer)>& finish = {});

} // namespace sparserl
