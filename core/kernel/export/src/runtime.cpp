// SPDX-License-Identifier: Apache-2.0
#include "runtime.h"

#include "data.h"

#include <cstring>

namespace sparserl_bundle {

namespace {

// Of the driver API's enumerations.
constexpr int multiprocessor_count = 16, capability_major = 75, capability_minor = 76;
constexpr int max_dynamic_shared = 8, jit_error_log = 5, jit_error_log_size = 6;
constexpr int memory_type = 2, invalid_value = 1;
constexpr unsigned non_blocking = 1;
/// The widest access of PTX: kernels may read this much at once from arrays, which are never less aligned
/// where they are judged.
constexpr DevicePointer alignment = 16;

std::string with_number(const char* before, std::int64_t number, const char* after)
{
    return before + std::to_string(number) + after;
}

} // namespace

Operator::Operator(int device, const Csr& a, std::int64_t dense_cols)
    : m_driver(driver())
    , m_dense_cols(dense_cols)
{
    if (dense_cols != verified_dense_cols)
        throw Failure(Status::dense_cols,
                      with_number("this kernel was verified with dense_cols = ", verified_dense_cols, "") +
                          with_number(", not with ", dense_cols, ""));
    try {
        a.check();
    } catch (const std::runtime_error& reason) {
        throw Failure(Status::invalid_argument, reason.what());
    }
    m_rows = a.rows;
    m_cols = a.cols;
    m_nnz = a.nnz();
    m_pattern = pattern_checksum(a);
    m_verified = m_pattern == verified_pattern;
    choose_context(device);
    Stream stream = nullptr;
    try {
        const UseContext use(m_context);
        load();
        m_driver.check(m_driver.stream_create(&stream, non_blocking), "creating a stream");
        build(a, stream);
        m_driver.check(m_driver.stream_synchronize(stream), "preparing the matrix");
        m_driver.stream_destroy(stream);
    } catch (...) {
        release();
        if (stream)
            m_driver.stream_destroy(stream);
        throw;
    }
}

Operator::~Operator()
{
    release();
}

void Operator::release()
{
    try {
        const UseContext use(m_context);
        m_updates.reset();
        for (const DevicePointer memory : m_memory)
            m_driver.mem_free(memory);
        if (m_module)
            m_driver.module_unload(m_module);
    } catch (const Failure&) {
        // The driver is on its way out with the process.
    }
    m_memory.clear();
    if (m_retained)
        m_driver.primary_ctx_release(m_device);
    m_retained = false;
}

void Operator::choose_context(int device)
{
    if (device < 0 && m_driver.ctx_get_current(&m_context) == 0 && m_context) {
        m_driver.check(m_driver.ctx_get_device(&m_device), "asking for the GPU of the current context");
    } else {
        int count = 0;
        m_driver.check(m_driver.device_get_count(&count), "counting GPUs");
        if (device >= count)
            throw Failure(Status::no_device, with_number("there is no GPU ", device, "") +
                                                 with_number(": this machine has ", count, ""));
        m_driver.check(m_driver.device_get(&m_device, device < 0 ? 0 : device), "opening the GPU");
        m_driver.check(m_driver.primary_ctx_retain(&m_context, m_device), "opening the GPU");
        m_retained = true;
    }
}

void Operator::load()
{
    int major = 0, minor = 0;
    m_driver.check(m_driver.device_get_attribute(&major, capability_major, m_device),
                   "asking for the GPU's capability");
    m_driver.check(m_driver.device_get_attribute(&minor, capability_minor, m_device),
                   "asking for the GPU's capability");
    if (major < 8)
        throw Failure(Status::no_device,
                      with_number("this kernel needs compute capability 8.0; the GPU has ", major, ".") +
                          std::to_string(minor));
    const std::string text(reinterpret_cast<const char*>(ptx_words),
                           ptx_bytes); // Ends with 0 for the driver.
    char log[2048] = {};
    int options[] = {jit_error_log, jit_error_log_size};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log - 1)};
    const int code = m_driver.module_load_data_ex(&m_module, text.c_str(), 2, options, values);
    m_driver.check(code, log[0] ? (std::string("loading the kernel's PTX (") + log + ")").c_str()
                                : "loading the kernel's PTX");
    const auto* name = reinterpret_cast<const char*>(kernel_names);
    for (; *name; name += std::char_traits<char>::length(name) + 1) {
        m_kernels.emplace_back();
        m_driver.check(m_driver.module_get_function(&m_kernels.back(), m_module, name),
                       "finding a kernel in the PTX");
    }
}

DevicePointer Operator::allocate(std::size_t bytes)
{
    DevicePointer memory = 0;
    m_driver.check(m_driver.mem_alloc(&memory, bytes > 0 ? bytes : 256), "allocating memory of the GPU");
    m_memory.push_back(memory);
    return memory;
}

void Operator::build(const Csr& a, Stream stream)
{
    m_driver.check(m_driver.device_get_attribute(&m_processors, multiprocessor_count, m_device),
                   "asking for the GPU's multiprocessors");
    m_plan = bind_plan(plan_words, plan_size, a, m_dense_cols, m_processors);
    std::vector<bool> prepared(m_plan.buffers.size(), false);
    for (const Call& call : m_plan.prepares) {
        for (const Argument& argument : call.arguments) {
            if (argument.kind == Argument::buffer)
                prepared.at(static_cast<std::size_t>(argument.value)) = true;
        }
    }
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
        const Buffer& buffer = m_plan.buffers[i];
        const DevicePointer memory = allocate(buffer.bytes);
        (buffer.contents.data || prepared[i] ? m_use.matrix : m_use.workspace) += buffer.bytes;
        if (buffer.contents.data && buffer.bytes > 0)
            m_driver.check(m_driver.memcpy_htod_async(memory, buffer.contents.data, buffer.bytes, stream),
                           "copying the matrix to the GPU");
    }
    allocate(0);
    std::vector<unsigned> shared(m_kernels.size(), 0);
    for (const auto* calls : {&m_plan.prepares, &m_plan.launches}) {
        for (const Call& call : *calls)
            shared.at(call.kernel) = std::max(shared.at(call.kernel), call.shared);
    }
    for (std::size_t i = 0; i < shared.size(); ++i) {
        if (shared[i] > 0)
            m_driver.check(
                m_driver.func_set_attribute(m_kernels[i], max_dynamic_shared, static_cast<int>(shared[i])),
                "asking for shared memory");
    }
    prepare(stream);
    m_driver.check(m_driver.stream_synchronize(stream), "preparing the matrix");
    for (Buffer& buffer : m_plan.buffers)
        buffer.contents = {}; // It is on the GPU now.
}

void Operator::prepare(Stream stream) const
{
    for (const Call& call : m_plan.prepares)
        start(call, {}, stream);
}

void Operator::start(const Call& call, const Operands& operands, Stream stream) const
{
    // Numbers are little-endian 64-bit: kernels with 32-bit parameters, integers or
    // bits of a float, read the lower half.
    const auto bits = [](real number) {
        std::uint64_t word = 0;
        std::memcpy(&word, &number, sizeof number);
        return word;
    };
    const auto word_of = [&](const Argument& argument) -> std::uint64_t {
        switch (argument.kind) {
        case Argument::number:
            return static_cast<std::uint64_t>(argument.value);
        case Argument::buffer:
            return m_memory[static_cast<std::size_t>(argument.value)];
        case Argument::input:
            return operands.input;
        case Argument::output:
            return operands.output;
        case Argument::alpha:
            return bits(operands.alpha);
        case Argument::beta:
            break;
        }
        return bits(operands.beta);
    };
    std::vector<std::uint64_t> values(call.arguments.size());
    std::vector<void*> pointers(call.arguments.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = word_of(call.arguments[i]);
        pointers[i] = &values[i];
    }
    m_driver.check(m_driver.launch_kernel(m_kernels[call.kernel], call.grid[0], call.grid[1], call.grid[2],
                                          call.block[0], call.block[1], call.block[2], call.shared, stream,
                                          pointers.data(), nullptr),
                   "launching a kernel");
}

void Operator::run(DevicePointer input, DevicePointer output, std::int64_t dense_cols, Stream stream,
                   real alpha, real beta) const
{
    if ((!m_plan.takes_alpha && !(alpha == 1)) || (!m_plan.takes_beta && !(beta == 0)))
        throw Failure(Status::invalid_argument, m_plan.takes_alpha ? "this kernel takes no beta: it must be 0"
                                                : m_plan.takes_beta
                                                    ? "this kernel takes no alpha: it must be 1"
                                                    : "this kernel takes no factors: alpha must "
                                                      "be 1 and beta 0");
    if (dense_cols != m_dense_cols)
        throw Failure(Status::dense_cols,
                      with_number("this handle was created with dense_cols = ", m_dense_cols, "") +
                          with_number("; the operands have ", dense_cols, ""));
    // An array without entries has an address all the same, as where the kernel was judged.
    if (m_plan.input_bytes == 0)
        input = m_memory.back();
    if (m_plan.output_bytes == 0)
        output = m_memory.back();
    if (!input || !output)
        throw Failure(Status::invalid_argument,
                      "input and output must be addresses of memory on the GPU, not null");
    if (input % alignment || output % alignment)
        throw Failure(Status::invalid_argument, "input and output must begin at a multiple of 16 bytes");
    if (m_plan.input_bytes && m_plan.output_bytes && input < output + m_plan.output_bytes &&
        output < input + m_plan.input_bytes)
        throw Failure(Status::invalid_argument, "input and output must not overlap");
    const UseContext use(m_context);
    need_device_memory(input, "input", stream);
    need_device_memory(output, "output", stream);
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
        if (m_plan.buffers[i].zero && m_plan.buffers[i].bytes > 0)
            m_driver.check(m_driver.memset_d8_async(m_memory[i], 0, m_plan.buffers[i].bytes, stream),
                           "zeroing a buffer");
    }
    if (m_plan.zero_output && m_plan.output_bytes > 0)
        m_driver.check(m_driver.memset_d8_async(output, 0, m_plan.output_bytes, stream),
                       "zeroing the output");
    for (const Call& call : m_plan.launches)
        start(call, {input, output, alpha, beta}, stream);
}

void Operator::need_device_memory(DevicePointer address, const char* what, Stream stream) const
{
    // A kernel that reads an address of the host ends the context, and with it all that the program has on
    // the GPU. Memory that a captured graph allocates is not known yet.
    unsigned type = 0;
    int capturing = 0;
    if (m_driver.pointer_get_attribute(&type, memory_type, address) == invalid_value &&
        m_driver.stream_is_capturing(stream, &capturing) == 0 && !capturing)
        throw Failure(Status::invalid_argument,
                      std::string(what) +
                          " is not an address that the GPU can reach: give memory of the GPU, "
                          "or call the function for operands in host memory");
}

void Operator::run_on_host(const real* input, real* output, std::int64_t dense_cols, real alpha,
                           real beta) const
{
    if ((!input && m_plan.input_bytes) || (!output && m_plan.output_bytes))
        throw Failure(Status::invalid_argument, "input and output must be arrays in host memory, not null");
    const UseContext use(m_context);
    const OwnStream stream;
    const DeviceMemory x(m_plan.input_bytes), y(m_plan.output_bytes);
    if (m_plan.input_bytes)
        m_driver.check(m_driver.memcpy_htod_async(x.address(), input, m_plan.input_bytes, stream),
                       "copying the input to the GPU");
    if (m_plan.output_bytes && !(beta == 0))
        m_driver.check(m_driver.memcpy_htod_async(y.address(), output, m_plan.output_bytes, stream),
                       "copying the old output to the GPU");
    run(x.address(), y.address(), dense_cols, stream, alpha, beta);
    m_driver.check(m_driver.stream_synchronize(stream), "multiplying");
    if (m_plan.output_bytes)
        m_driver.check(m_driver.memcpy_dtoh(output, y.address(), m_plan.output_bytes),
                       "copying the output from the GPU");
}

void Operator::prepare_updates(const Csr& pattern)
{
    if (!pattern.row_ptr || (!pattern.col && m_nnz > 0))
        throw Failure(Status::invalid_argument, "row_ptr and col must be those of the matrix, not null");
    // The count first: the checksum reads as many columns.
    if (pattern.nnz() != m_nnz || pattern_checksum(pattern) != m_pattern)
        throw Failure(Status::invalid_argument,
                      "row_ptr and col are not those that the handle was created with: only values can be "
                      "updated, another pattern needs a new handle");
    if (m_updates)
        return;
    const auto maps = value_maps(plan_words, plan_size, pattern, m_dense_cols, m_processors);
    const UseContext use(m_context);
    const OwnStream stream;
    m_updates.emplace(maps, stream);
    m_use.updates = m_updates->bytes();
}

void Operator::need_updates(std::int64_t count) const
{
    if (!m_updates)
        throw Failure(Status::invalid_argument,
                      "the handle is not ready for new values: call prepare_updates once before");
    if (count != m_nnz)
        throw Failure(Status::invalid_argument,
                      with_number("the matrix has ", m_nnz, " values") + with_number(", not ", count, ""));
}

void Operator::update_values(DevicePointer values, std::int64_t count, Stream stream) const
{
    need_updates(count);
    if (count > 0 && (!values || values % sizeof(real)))
        throw Failure(Status::invalid_argument,
                      std::string("the values must be an array of ") + real_name +
                          with_number("s on the GPU, aligned to ", value_bytes, " bytes and not null"));
    const UseContext use(m_context);
    if (count > 0)
        need_device_memory(values, "val", stream);
    m_updates->fill(values, m_memory, stream);
    prepare(stream);
}

void Operator::update_values_on_host(const real* values, std::int64_t count) const
{
    need_updates(count);
    if (count > 0 && !values)
        throw Failure(Status::invalid_argument, "the values must be an array in host memory, not null");
    const UseContext use(m_context);
    const OwnStream stream;
    const std::size_t bytes = sizeof(real) * static_cast<std::size_t>(count);
    const DeviceMemory held(bytes);
    if (count > 0)
        m_driver.check(m_driver.memcpy_htod_async(held.address(), values, bytes, stream),
                       "copying new values to the GPU");
    update_values(held.address(), count, stream);
    m_driver.check(m_driver.stream_synchronize(stream), "updating values");
}

MemoryUse Operator::memory() const
{
    return m_use;
}

} // namespace sparserl_bundle
