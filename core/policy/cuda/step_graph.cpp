// SPDX-License-Identifier: Apache-2.0
// The plug-in: all that needs symbols of libtorch_cuda. They are found when it is loaded, behind that
// library.
#include "policy/compute/step_graph.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace sparserl {

namespace {

struct RecordedGraph : StepGraph
{
    at::cuda::CUDAGraph graph;
    void replay() override { graph.replay(); }
};

/// Graphs of one recorder run one after the other, so they may share their temporary memory.
class Recorder : public GraphRecorder
{
public:
    std::unique_ptr<StepGraph> record(const std::function<void()>& work) override
    {
        auto recorded = std::make_unique<RecordedGraph>();
        const auto current = c10::cuda::getCurrentCUDAStream();
        const auto side = c10::cuda::getStreamFromPool(); // the default stream cannot be recorded
        current.synchronize();
        {
            const c10::cuda::CUDAStreamGuard guard(side);
            recorded->graph.capture_begin(m_pool, cudaStreamCaptureModeThreadLocal);
            work();
            recorded->graph.capture_end();
        }
        return recorded;
    }

private:
    at::cuda::MempoolId_t m_pool = at::cuda::graph_pool_handle();
};

} // namespace

} // namespace sparserl

extern "C" __attribute__((visibility("default"))) sparserl::GraphRecorder* sparserl_make_graph_recorder_1()
{
    return new sparserl::Recorder();
}
