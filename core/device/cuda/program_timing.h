// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "device/cuda/graph_timer.h"
#include "device/cuda/loaded_program.h"
#include "device/cuda/measurement.h"
#include "device/cuda/observer.h"
#include "device/cuda/renewal.h"
#include "device/cuda/timed_oracle.h"

#include <memory>

namespace sparserl::cuda {

/// Returns the numbers of slots, windows, outputs and scratch copies for timing and checking a program.
ArenaShape timedShape(const BoundPlan& plan, const GpuInfo& info);

/// Times one program. The request must outlive it.
class ProgramTimer
{
public:
    static Result<std::unique_ptr<ProgramTimer>> make(Gpu& gpu, const MeasureRequest& request);
    /// `kept` holds the matrix of the previous comparison, which is used again if it is the same.
    Result<Measurement> run(std::shared_ptr<const OracleMatrix>& kept);

    /// Does everything before sampling: refusals, prepare kernels, inputs. Returns a Fault if the program
    /// causes a fault.
    Result<std::optional<Fault>> start(std::shared_ptr<const OracleMatrix>& kept);
    TimedWork work();
    /// Does everything after sampling: checks the results of timed calls, bounds and read-only data.
    Result<Measurement> finish();
    SamplingOptions sampling() const;

private:
    ProgramTimer(Gpu& gpu, const MeasureRequest& request, LoadedProgram program, Arena arena)
        : m_gpu(gpu)
        , m_request(request)
        , m_plan(*request.plan)
        , m_program(std::move(program))
        , m_arena(std::move(arena))
        , m_controls(request.seed ^ 0x3c6ef372fe94f82bull)
        , m_begin(now())
    {
    }
    Result<bool> accept();
    Result<bool> prepare();
    Result<bool> settled();
    Status fillRing();
    Result<std::optional<Fault>> enqueue(const std::vector<BoundCall>& calls, const Place& place);
    Result<std::optional<Fault>> call(const Place& place);
    /// Sets up the renewal of memory and, if requested, the comparison of results.
    Status prepareSamples(std::shared_ptr<const OracleMatrix>& kept);
    Result<int> watch(std::span<const Place> places, std::size_t first, std::size_t count);
    Status compare(int sequence);
    /// Renews memory. In an audit, also applies the requested `Control`.
    Status renew();
    Result<bool> compared();
    Result<bool> inspect();
    void count();
    Status poisonPrepared(std::uint64_t seed);
    bool take(std::optional<Fault> fault);

    Gpu& m_gpu;
    const MeasureRequest& m_request;
    const BoundPlan& m_plan;
    LoadedProgram m_program;
    Arena m_arena;
    std::optional<Renewal> m_renewal;
    std::optional<TimedOracle> m_oracle;
    std::optional<Observer> m_observer;
    Rng m_controls;            ///< Random numbers for the control of an audit.
    bool m_givenSigns = false; ///< The current sample uses the original signs.
    double m_begin, m_started = 0;
    Measurement m_result;
};

/// Implements CudaDevice::measure.
Result<Measurement> measureProgram(Gpu& gpu, const MeasureRequest& request,
                                   std::shared_ptr<const OracleMatrix>& kept);
/// Implements CudaDevice::ceilings.
Result<DeviceCeilings> measureCeilings(Gpu& gpu);

} // namespace sparserl::cuda
