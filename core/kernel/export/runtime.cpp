// SPDX-License-Identifier: Apache-2.0
#include "runtime.h"

#include "sparserl_kernel.h"

namespace sparserl_bundle {

namespace {

thread_local std::string last_error;

void check(cudaError_t status, const char* what)
{
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

dim3 to_dim3(Extents e)
{
    return dim3(static_cast<unsigned>(e.x), static_cast<unsigned>(e.y), static_cast<unsigned>(e.z));
}

} // namespace

std::int64_t quotient(std::int64_t a, std::int64_t b)
{
    if (b == 0)
        throw std::runtime_error("the plan divides by zero on this matrix");
    return a / b;
}

std::int64_t remainder(std::int64_t a, std::int64_t b)
{
    return a - quotient(a, b) * b;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b)
{
    const std::int64_t q = quotient(a, b);
    return q + ((q * b != a && (a < 0) == (b < 0)) ? 1 : 0);
}

std::int64_t pow2_ceil(std::int64_t a)
{
    std::int64_t power = 1;
    while (power < a)
        power *= 2;
    return power;
}

Plan::~Plan()
{
    for (const Buffer& buffer : m_buffers)
        cudaFree(buffer.data);
}

std::int64_t Plan::sm_count()
{
    int device = 0, count = 0;
    check(cudaGetDevice(&device), "no CUDA device");
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "no CUDA device");
    return count;
}

Argument Plan::upload(const void* data, std::size_t bytes)
{
    const Argument result = scratch(static_cast<std::int64_t>(bytes), 1, false);
    if (bytes > 0)
        check(cudaMemcpy(m_buffers.back().data, data, bytes, cudaMemcpyHostToDevice), "copying the matrix");
    return result;
}

Argument Plan::scratch(std::int64_t count, std::int64_t bytes_each, bool zero)
{
    if (count < 0)
        throw std::runtime_error("a buffer of the plan has a negative size on this matrix");
    Buffer buffer{nullptr, static_cast<std::size_t>(count * bytes_each), zero};
    check(cudaMalloc(&buffer.data, buffer.bytes > 0 ? buffer.bytes : 256), "allocating device memory");
    m_buffers.push_back(buffer);
    return {Argument::Array, static_cast<std::int64_t>(m_buffers.size()) - 1};
}

bool Plan::make_call(const void* kernel, Extents grid, Extents block, std::int64_t shared,
                     std::vector<Argument> arguments, Call& call)
{
    if (grid.x == 0 || grid.y == 0 || grid.z == 0)
        return false;
    if (grid.x < 0 || grid.y < 0 || grid.z < 0 || block.x < 1 || block.y < 1 || block.z < 1 || shared < 0)
        throw std::runtime_error("a launch of the plan has no valid extents on this matrix");
    if (shared > 48 * 1024)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
              "asking for shared memory");
    call = {kernel, to_dim3(grid), to_dim3(block), static_cast<std::size_t>(shared), std::move(arguments)};
    return true;
}

void Plan::prepare(const void* kernel, Extents grid, Extents block, std::int64_t shared,
                   std::vector<Argument> arguments)
{
    Call call;
    if (make_call(kernel, grid, block, shared, std::move(arguments), call))
        start(call, nullptr, nullptr, nullptr);
}

void Plan::launch(const void* kernel, Extents grid, Extents block, std::int64_t shared,
                  std::vector<Argument> arguments)
{
    Call call;
    if (make_call(kernel, grid, block, shared, std::move(arguments), call))
        m_launches.push_back(std::move(call));
}

void Plan::start(const Call& call, const float* input, float* output, cudaStream_t stream) const
{
    // Numbers are little-endian 64-bit: kernels with 32-bit parameters read the lower half.
    std::vector<std::int64_t> numbers(call.arguments.size());
    std::vector<void*> pointers(call.arguments.size());
    std::vector<void*> parameters(call.arguments.size());
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const Argument& argument = call.arguments[i];
        parameters[i] = &pointers[i];
        if (argument.kind == Argument::Number) {
            numbers[i] = argument.value;
            parameters[i] = &numbers[i];
        } else if (argument.kind == Argument::Array) {
            pointers[i] = m_buffers[static_cast<std::size_t>(argument.value)].data;
        } else {
            pointers[i] = argument.kind == Argument::Input ? const_cast<float*>(input) : output;
        }
    }
    check(cudaLaunchKernel(call.kernel, call.grid, call.block, parameters.data(), call.shared, stream),
          "launching a kernel");
}

void Plan::run(const float* input, float* output, cudaStream_t stream) const
{
    for (const Buffer& buffer : m_buffers) {
        if (buffer.zero && buffer.bytes > 0)
            check(cudaMemsetAsync(buffer.data, 0, buffer.bytes, stream), "zeroing a buffer");
    }
    if (m_zero_output > 0)
        check(cudaMemsetAsync(output, 0, static_cast<std::size_t>(m_zero_output), stream), "zeroing the output");
    for (const Call& call : m_launches)
        start(call, input, output, stream);
}

} // namespace sparserl_bundle

struct sparserl_handle
{
    sparserl_bundle::Plan plan;
};

extern "C" {

int sparserl_@TASK@_create(sparserl_handle** handle, int rows, int cols, const int* row_ptr, const int* col,
                         const float* val, int dense_cols)
{
    using namespace sparserl_bundle;
    sparserl_handle* created = nullptr;
    try {
        const Csr a{rows, cols, row_ptr, col, val};
        a.check();
        created = new sparserl_handle;
        build_plan(created->plan, a, dense_cols);
        check(cudaDeviceSynchronize(), "preparing the matrix");
        *handle = created;
        return 0;
    } catch (const std::exception& failure) {
        last_error = failure.what();
        delete created;
        *handle = nullptr;
        return 1;
    }
}

int sparserl_@TASK@_run(const sparserl_handle* handle, const float* input, float* output, void* stream)
{
    try {
        handle->plan.run(input, output, static_cast<cudaStream_t>(stream));
        return 0;
    } catch (const std::exception& failure) {
        sparserl_bundle::last_error = failure.what();
        return 1;
    }
}

void sparserl_@TASK@_destroy(sparserl_handle* handle)
{
    delete handle;
}

const char* sparserl_@TASK@_error(void)
{
    return sparserl_bundle::last_error.c_str();
}
}
