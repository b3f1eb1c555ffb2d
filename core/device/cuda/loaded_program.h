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

/// The cubin of a program, loaded as a module of its own, so that module-scope state does not persist.
class LoadedProgram
{
public:
    struct Kernel
    {
        CUfunction function = nullptr;
        int registers = 0, maxThreads = 0;
        std::int64_t staticShared = 0, localBytes = 0;
        std::int64_t dynamicShared = 0; ///< Maximum over all calls of this kernel.
        std::vector<std::int64_t> paramBytes;
    };

    static Result<LoadedProgram> load(Gpu& gpu, const BoundPlan& plan, const ptx::Module& module,
                                      std::string_view cubin);
    ~LoadedProgram();
    LoadedProgram(LoadedProgram&& other) noexcept;
    LoadedProgram& operator=(LoadedProgram&&) = delete;

    const Kernel& kernel(const BoundCall& call) const { return m_kernels.at(call.kernel); }
    /// Returns the reason why this GPU cannot launch the call, or nullopt. Does not launch anything.
    std::optional<Fault> problem(const BoundCall& call) const;
    Result<Occupancy> occupancy(const BoundCall& call);
    /// Enqueues the launch of a call. Arguments are passed by position, with the sizes that the PTX declares.
    /// Returns a Fault if the driver refuses the launch.
    Result<std::optional<Fault>> enqueue(const BoundCall& call, const Arena& arena, const Place& place,
                                         const CallFactors& factors = {});
    /// Returns a sentence about a forbidden write: Arena::damage() or, if no array is damaged, the first
    /// variable of the module that has changed.
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
