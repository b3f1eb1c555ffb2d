// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/protocol/channel.h"
#include "runner/runner_gpu.h"

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl {

/// Serves `run` and `baselines` jobs on one GPU. Each job has two steps, on two threads. `prepare` does all
/// work that needs only the CPU (reading, gate, binding) while the previous job runs on the GPU.
class CudaRole
{
public:
    struct Work;
    explicit CudaRole(RunnerGpu& gpu);
    ~CudaRole();

    /// Does the first step of a job, on the reading thread. Fails if the message violates the protocol; this
    /// ends the runner.
    Result<std::shared_ptr<Work>> prepare(Message message);
    /// Does the second step of a job, on the thread that opened the GPU.
    Result<nlohmann::json> run(Work& work);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// Reads, prepares, runs and answers jobs until the socket closes, the GPU is poisoned, or `programs` jobs
/// are done. Returns the exit status. Ends the process immediately if the parent disappears while a kernel
/// runs. `finish` may add data to every answer before it is sent.
int serveCuda(Channel& channel, RunnerGpu& gpu, int programs,
              const std::function<void(nlohmann::json& answer)>& finish = {});

} // namespace sparserl
