// SPDX-License-Identifier: Apache-2.0
// Sums over GPUs by NCCL, through the functions that libtorch_cuda has for it.
#include "policy/compute/gpu_sum.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <atomic>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cstring>
#include <dlfcn.h>
#include <optional>
#include <stdexcept>
#include <vector>

// As <torch/csrc/cuda/nccl.h> declares them. That header asks for those of cuSPARSE, cuBLAS and cuSOLVER,
// which nothing here needs.
namespace torch::cuda::nccl {

typedef void* ncclComm_t;
typedef struct
{
    char internal[128];
} ncclUniqueId;
using comm_list = std::vector<ncclComm_t>;
using stream_list = std::vector<std::optional<at::cuda::CUDAStream>>;

void get_unique_id(ncclUniqueId& id);
ncclComm_t comm_init_rank(int nranks, const ncclUniqueId& comm_id, int rank);
void all_reduce(const std::vector<at::Tensor>& inputs, std::vector<at::Tensor>& outputs, int32_t op,
                const stream_list& streams, const comm_list& user_comms);

} // namespace torch::cuda::nccl

namespace sparserl {

namespace {

namespace nccl = torch::cuda::nccl;

class NcclSum : public GpuSum
{
public:
    explicit NcclSum(nccl::ncclComm_t comm)
        : m_comm(comm)
    {
    }
    void sum(at::Tensor& tensor) override
    {
        if (m_abandoned)
            throw std::runtime_error("the processes' GPUs no longer work together");
        constexpr std::int32_t add = 0; // ncclSum
        std::vector<at::Tensor> into{tensor};
        nccl::all_reduce({tensor}, into, add, {std::nullopt}, {m_comm});
    }

    /// A kernel of NCCL's waits for ever for a process that was killed; libtorch_cuda offers nothing to end
    /// it.
    void abandon() override
    {
        if (m_abandoned.exchange(true))
            return;
        using Abort = int (*)(void*);
        void* library = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
        if (library == nullptr)
            return;
        if (void* abort = ::dlsym(library, "ncclCommAbort"))
            reinterpret_cast<Abort>(abort)(m_comm);
    }

private:
    std::atomic<bool> m_abandoned = false;
    nccl::ncclComm_t m_comm; ///< Lives as long as the process: destroying it would wait for the others.
};

class NcclSumMaker : public GpuSumMaker
{
public:
    std::string newId() override
    {
        nccl::ncclUniqueId id;
        nccl::get_unique_id(id);
        return {id.internal, sizeof id.internal};
    }
    std::unique_ptr<GpuSum> join(const std::string& bytes, int rank, int size, int device) override
    {
        nccl::ncclUniqueId id{};
        std::memcpy(id.internal, bytes.data(), std::min(bytes.size(), sizeof id.internal));
        const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
        return std::make_unique<NcclSum>(nccl::comm_init_rank(size, id, rank));
    }
};

} // namespace

} // namespace sparserl

extern "C" __attribute__((visibility("default"))) sparserl::GpuSumMaker* sparserl_make_gpu_sum_maker_1()
{
    return new sparserl::NcclSumMaker();
}
