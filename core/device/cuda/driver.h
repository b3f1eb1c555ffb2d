// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cuda.h>
#include <filesystem>
#include <memory>
#include <string>

namespace sparserl::cuda {

/// All driver functions that are used, each with the symbol whose prototype cuda.h declares.
#define SPARSERL_DRIVER_FUNCTIONS(F)                                                                         \
    F(getErrorName, cuGetErrorName)                                                                          \
    F(getErrorString, cuGetErrorString)                                                                      \
    F(deviceGetCount, cuDeviceGetCount)                                                                      \
    F(deviceGet, cuDeviceGet)                                                                                \
    F(deviceGetName, cuDeviceGetName)                                                                        \
    F(deviceGetAttribute, cuDeviceGetAttribute)                                                              \
    F(deviceTotalMem, cuDeviceTotalMem_v2)                                                                   \
    F(primaryCtxRetain, cuDevicePrimaryCtxRetain)                                                            \
    F(primaryCtxRelease, cuDevicePrimaryCtxRelease_v2)                                                       \
    F(ctxSetCurrent, cuCtxSetCurrent)                                                                        \
    F(ctxSetLimit, cuCtxSetLimit)                                                                            \
    F(ctxResetPersistingL2Cache, cuCtxResetPersistingL2Cache)                                                \
    F(memAlloc, cuMemAlloc_v2)                                                                               \
    F(memFree, cuMemFree_v2)                                                                                 \
    F(memGetInfo, cuMemGetInfo_v2)                                                                           \
    F(memcpyHtoD, cuMemcpyHtoD_v2)                                                                           \
    F(memcpyDtoH, cuMemcpyDtoH_v2)                                                                           \
    F(memcpyDtoDAsync, cuMemcpyDtoDAsync_v2)                                                                 \
    F(memsetD8Async, cuMemsetD8Async)                                                                        \
    F(memsetD32Async, cuMemsetD32Async)                                                                      \
    F(streamCreate, cuStreamCreate)                                                                          \
    F(streamDestroy, cuStreamDestroy_v2)                                                                     \
    F(streamBeginCapture, cuStreamBeginCapture_v2)                                                           \
    F(streamEndCapture, cuStreamEndCapture)                                                                  \
    F(eventCreate, cuEventCreate)                                                                            \
    F(eventDestroy, cuEventDestroy_v2)                                                                       \
    F(eventRecord, cuEventRecord)                                                                            \
    F(eventQuery, cuEventQuery)                                                                              \
    F(eventElapsedTime, cuEventElapsedTime_v2)                                                               \
    F(graphGetEdges, cuGraphGetEdges_v2)                                                                     \
    F(graphAddDependencies, cuGraphAddDependencies_v2)                                                       \
    F(graphRemoveDependencies, cuGraphRemoveDependencies_v2)                                                 \
    F(graphInstantiate, cuGraphInstantiateWithFlags)                                                         \
    F(graphLaunch, cuGraphLaunch)                                                                            \
    F(graphDestroy, cuGraphDestroy)                                                                          \
    F(graphExecDestroy, cuGraphExecDestroy)                                                                  \
    F(moduleLoadDataEx, cuModuleLoadDataEx)                                                                  \
    F(moduleUnload, cuModuleUnload)                                                                          \
    F(moduleGetFunction, cuModuleGetFunction)                                                                \
    F(moduleGetGlobal, cuModuleGetGlobal_v2)                                                                 \
    F(funcGetAttribute, cuFuncGetAttribute)                                                                  \
    F(funcSetAttribute, cuFuncSetAttribute)                                                                  \
    F(launchKernel, cuLaunchKernel)                                                                          \
    F(occupancyMaxActiveBlocks, cuOccupancyMaxActiveBlocksPerMultiprocessor)

/// The driver API, which is opened at run time.
struct Driver
{
    int version = 0; ///< 13000: CUDA 13.0
#define SPARSERL_DRIVER_FIELD(FIELD, SYMBOL) decltype(&::SYMBOL) FIELD = nullptr;
    SPARSERL_DRIVER_FUNCTIONS(SPARSERL_DRIVER_FIELD)
#undef SPARSERL_DRIVER_FIELD

    /// Opens `library` (if empty: libcuda.so.1 in the system's search path), initialises it and binds every
    /// function. Fails if there is no driver or no GPU, or if the driver is too old for CUDA 13.
    static Result<std::shared_ptr<const Driver>> load(const std::filesystem::path& library = {});

    /// Returns text such as "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)".
    std::string describe(CUresult code) const;
};

} // namespace sparserl::cuda
