// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/arena.h"
#include "machine/device_model.h"
#include "ptx/module.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sparserl::cuda {

/// The cubin of a program as a separate module, so module-scope state does not persist.
class LoadedProgram
{
public:
    struct Kernel
    {
        CUfunction function = nullptr;
        int registers = 0, maxThreads = 0;
        std::int64_t staticShared = 0, localBytes = 0;
        std::int64_t dynamicShared = 0; ///< Maximum over all calls.
        std::vector<std::int64_t> paramBytes;
    };

    static Result<LoadedProgram> load(Gpu& gpu, const BoundPlan& plan, const ptx::Module& module,
                                      std::string_view cubin);
    ~LoadedProgram();
    LoadedProgram(LoadedProgram&& other) noexcept;
    LoadedProgram& operator=(LoadedProgram&&) = delete;

    const Kernel& kernel(const BoundCall& call) const { return m_kernels.at(call.kernel); }
    /// Why this GPU cannot launch the call; determined without a launch.
    std::optional<Fault> problem(const BoundCall& call) const;
    Result<Occupancy> occupancy(const BoundCall& call);
    /// Enqueues the launch. Arguments are passed by position, with sizes from the PTX. Returns a Fault if the
    /// driver refuses the launch.
    Result<std::optional<Fault>> enqueue(const BoundCall& call, const Arena& arena, const Place& place,
                                         const CallFactors& factors = {});
    /// A sentence about forbidden writes of calls: Arena::damage(), otherwise the first changed variable of
    /// the module.
    Result<std::optional<std::string>> damage(Arena& arena);

private:
    LoadedProgram(Gpu& gpu, const BoundPlan& plan)
        : m_gpu(&gpu)
        , m_plan(&plan)
    {
    }
    Gpu* m_gpu;
    const BoundPlan* m_plan;
    CUmodule m_module = nullptr;
    std::map<std::string, Kernel> m_kernels;
    struct Variable
    {
        std::string name;
        CUdeviceptr address = 0;
        std::vector<std::byte> bytes;
    };
    std::vector<Variable> m_variables;
    Result<std::optional<std::string>> changedVariable();
    Status noteVariables(const std::vector<ptx::Variable>& variables);
};

} // namespace sparserl::cuda
