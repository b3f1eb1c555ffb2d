// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/baselines.h"
#include "device/cuda/measurement.h"
#include "evaluation/bench/own_programs.h"
#include "kernel/bind.h"
#include "matrix/csr.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// How a benchmark times one program.
struct BenchSampling
{
    int samples = 30;
    bool cold = false;
    double dropAbove = 0; ///< Drops a program whose first estimate exceeds this, in microseconds; 0: never.
    std::uint64_t seed = 0;
    CancelToken cancel;
};

struct BenchTimes
{
    std::optional<Fault> fault;
    bool dropped = false;
    Timing warm;
    std::optional<Timing> cold;
    double setupMicroseconds = 0; ///< Time of prepare kernels.
    bool clocksAgree = true;
    std::vector<CallOutputs> outputs; ///< Outputs for each input, if calls are not compared on the device.
    ComparedCalls compared;           ///< Set if calls are compared on the device.
    Occupancy occupancy;              ///< The first launch's occupancy.
};

/// A program bound to a matrix.
struct BenchProgram
{
    const CompiledOwn* compiled = nullptr;
    const BoundPlan* plan = nullptr;
};

/// A device for benchmarks. Only one thread may use it.
class BenchDevice
{
public:
    virtual ~BenchDevice() = default;
    virtual std::string name() const = 0;
    virtual std::string architecture() const = 0;
    virtual DeviceLimits limits() const = 0;
    /// Returns false if nothing more can run. As long as it returns true, an Error concerns only one program
    /// or matrix.
    virtual bool usable() const { return true; }
    /// Prepares for a matrix, which must stay alive until the next call of begin(). `inputs` are for the
    /// calls that time and check programs.
    virtual Status begin(const Csr& matrix, std::int64_t denseColumns,
                         const std::vector<CallInputs>& inputs) = 0;
    /// Times the baselines and returns them, best first.
    virtual Result<std::vector<BaselineTiming>>
    baselines(BaselineSet set, const BenchSampling& sampling,
              const std::function<void(std::string_view)>& log) = 0;
    virtual Result<BenchTimes> time(const BenchProgram& program, const BenchSampling& sampling) = 0;
    /// Times the program and a baseline in alternation.
    virtual Result<HeadToHead> compare(const BenchProgram& program, const BaselineTiming& baseline,
                                       const BenchSampling& sampling) = 0;
    /// Returns a lower bound for the time of a call, in microseconds: its launches, and the transfer of these
    /// bytes from L2 if they fit, otherwise from DRAM.
    virtual double floorMicroseconds(int launches, std::int64_t bytes) const = 0;
    /// Returns the microseconds that building a program's formats takes on the host: `measured`, or a time
    /// that the device's model derives from their bytes.
    virtual double conversionMicroseconds(double measured, std::int64_t bytes) const
    {
        static_cast<void>(bytes);
        return measured;
    }
};

/// Opens a GPU. Its baselines are routines of cuSPARSE and, with BaselineSet::AllFormats, of cuBLAS.
Result<std::unique_ptr<BenchDevice>> openCudaBench(int ordinal);
/// Opens the simulated device. Times come from the cost model, and the baseline is the reference program.
Result<std::unique_ptr<BenchDevice>> openSimulatedBench(const std::string& model);

} // namespace sparserl
