// SPDX-License-Identifier: Apache-2.0
#include "updates.h"

namespace sparserl_bundle {

namespace {

/// for i < count: target[i] = source[i] == 0 ? 0 : values[source[i] - 1]
const char take_values[] = R"ptx(
.version 7.0
.target sm_80
.address_size 64
.visible .entry take_values(
    .param .u64 take_values_param_0,
    .param .u64 take_values_param_1,
    .param .u64 take_values_param_2,
    .param .u64 take_values_param_3
)
{
    .reg .pred %p<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [take_values_param_0];
    ld.param.u64 %rd2, [take_values_param_1];
    ld.param.u64 %rd3, [take_values_param_2];
    ld.param.u64 %rd4, [take_values_param_3];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mul.wide.u32 %rd5, %r1, %r2;
    mov.u32 %r3, %tid.x;
    cvt.u64.u32 %rd6, %r3;
    add.s64 %rd7, %rd5, %rd6;
    setp.ge.u64 %p1, %rd7, %rd1;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd2, %rd2;
    cvta.to.global.u64 %rd3, %rd3;
    cvta.to.global.u64 %rd4, %rd4;
    shl.b64 %rd8, %rd7, 2;
    add.s64 %rd9, %rd2, %rd8;
    ld.global.u32 %r4, [%rd9];
    mov.u32 %r5, 0;
    setp.eq.s32 %p2, %r4, 0;
    @%p2 bra STORE;
    add.s32 %r4, %r4, -1;
    mul.wide.u32 %rd10, %r4, 4;
    add.s64 %rd10, %rd3, %rd10;
    ld.global.u32 %r5, [%rd10];
STORE:
    add.s64 %rd11, %rd4, %rd8;
    st.global.u32 [%rd11], %r5;
DONE:
    ret;
}
)ptx";
constexpr std::uint64_t threads = 256;

} // namespace

Updates::Updates(const std::vector<ValueMap>& maps, Stream stream)
    : m_driver(driver())
{
    for (const ValueMap& map : maps) {
        m_maps.push_back({map.buffer, map.count, DeviceMemory(4 * map.source.size())});
        m_bytes += 4 * map.source.size();
        if (!map.source.empty())
            m_driver.check(m_driver.memcpy_htod_async(m_maps.back().source.address(), map.source.data(),
                                                      4 * map.source.size(), stream),
                           "copying the order of the values to the GPU");
    }
    m_driver.check(m_driver.stream_synchronize(stream), "copying the order of the values to the GPU");
    if (m_bytes == 0)
        return; // Copies do.
    m_driver.check(m_driver.module_load_data_ex(&m_module, take_values, 0, nullptr, nullptr),
                   "loading the kernel that updates values");
    if (const int code = m_driver.module_get_function(&m_kernel, m_module, "take_values")) {
        m_driver.module_unload(m_module);
        m_driver.check(code, "finding the kernel that updates values");
    }
}

Updates::~Updates()
{
    if (m_module)
        m_driver.module_unload(m_module);
}

void Updates::fill(DevicePointer values, const std::vector<DevicePointer>& buffers, Stream stream) const
{
    for (const Map& map : m_maps) {
        std::uint64_t count = map.count, source = map.source.address(), from = values,
                      to = buffers.at(map.buffer);
        if (!source) {
            m_driver.check(m_driver.memcpy_dtod_async(to, from, 4 * map.count, stream), "copying new values");
            continue;
        }
        void* arguments[] = {&count, &source, &from, &to};
        const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
        m_driver.check(
            m_driver.launch_kernel(m_kernel, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, nullptr),
            "putting new values in place");
    }
}

} // namespace sparserl_bundle
