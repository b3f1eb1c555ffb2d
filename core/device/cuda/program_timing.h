// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/graph_timer.h"
#include "device/cuda/loaded_program.h"
#include "device/cuda/measurement.h"
#include "device/cuda/renewal.h"

#include <memory>

namespace sparserl::cuda {

/// A program that is being timed. The request outlives it.
class ProgramTimer
{
public:
    static Result<std::unique_ptr<ProgramTimer>> make(Gpu& gpu, const MeasureRequest& request);
    Result<Measurement> run();

    /// Everything before sampling: refusals, prepare kernels, inputs. A Fault: the program's.
    Result<std::optional<Fault>> start();
    TimedWork work();
    /// Everything after it: bounds, read-only data, outputs.
    Result<Measurement> finish();
    SamplingOptions sampling() const;

private:
    ProgramTimer(Gpu& gpu, const MeasureRequest& request, LoadedProgram program, Arena arena)
        : m_gpu(gpu)
        , m_request(request)
        , m_plan(*request.plan)
        , m_program(std::move(program))
        , m_arena(std::move(arena))
        , m_begin(now())
    {
    }
    Result<bool> accept();
    Result<bool> prepare();
    Result<bool> settled();
    Status fillRing();
    Result<std::optional<Fault>> enqueue(const std::vector<BoundCall>& calls, const Place& place);
    Result<std::optional<Fault>> call(const Place& place);
    Status planChecks();
    Result<std::optional<Fault>> check(int check, std::vector<Place> places);
    Result<bool> inspect();
    Status collect();
    void count();
    Status poisonPrepared(std::uint64_t seed);
    bool take(std::optional<Fault> fault);

    Gpu& m_gpu;
    const MeasureRequest& m_request;
    const BoundPlan& m_plan;
    LoadedProgram m_program;
    Arena m_arena;
    std::optional<Renewal> m_renewal;
    /// Where an output of the ring is looked at: the slot and the window in which its input lies, the check.
    struct Look
    {
        int slot = 0, window = 0, check = 0;
    };
    std::vector<Look> m_looks; ///< For each input of the ring.
    DeviceMemory m_kept; ///< What the checks found: the outputs of a call, one such call after the other.
    std::size_t m_keptBytes = 0; ///< Of one call.
    double m_begin, m_started = 0;
    Measurement m_result;
};

/// CudaDevice::measure.
Result<Measurement> measureProgram(Gpu& gpu, const MeasureRequest& request);
/// CudaDevice::ceilings.
Result<DeviceCeilings> measureCeilings(Gpu& gpu);

} // namespace sparserl::cuda
