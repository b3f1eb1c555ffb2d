// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness.h"

/// PTX written in tests: a kernel `k(x, y, s, n)` around a body.
namespace sparserl::harness {

/// Registers %r, %p, %f, %a (64 bits), %h (16 bits), %d (doubles); %a0 is x, %a1 is y, %a2 is the scratch
/// array s, %r0 the thread's number in the grid, %r1 the thread's number in the block, %r2 the block.
inline std::string kernelText(const std::string& body, const std::string& before = {})
{
    return ".version 9.0\n.target sm_80\n.address_size 64\n" + before +
           ".visible .entry k(.param .u64 x, .param .u64 y, .param .u64 s, .param .u32 n)\n{\n"
           ".reg .b32 %r<64>; .reg .b64 %a<64>; .reg .f32 %f<32>; .reg .f64 %d<8>; .reg .b16 %h<8>; "
           ".reg .pred %p<16>;\n"
           "ld.param.u64 %a0, [x]; ld.param.u64 %a1, [y]; ld.param.u64 %a2, [s];\n"
           "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r0, %r2, %r3, "
           "%r1;\n" +
           body + "\nret;\n}\n";
}

/// Stores the 32-bit register `value` as y[%r0].
inline std::string toOutput(const std::string& value)
{
    return "mul.wide.u32 %a60, %r0, 4; add.u64 %a61, %a1, %a60; st.global.b32 [%a61], " + value + ";\n";
}

/// The kernel with x (ones), y and s (zeroed, 32-bit words) of `words` elements each.
inline Bench kernelBench(const std::string& text, std::int64_t blocks, std::int64_t threads, int words = 1024,
                         std::int64_t shared = 0)
{
    Bench bench(text);
    const int x = bench.x(words), y = bench.y(words, true),
              s = bench.buffer("s", BufferRole::Scratch, ElementType::U32, words, true);
    bench.launch("k", blocks, threads, {array(x), array(y), array(s), number(words)}, shared);
    return bench;
}

inline std::vector<std::uint32_t> bitsOf(const std::vector<float>& values)
{
    std::vector<std::uint32_t> bits(values.size());
    std::memcpy(bits.data(), values.data(), 4 * bits.size());
    return bits;
}

} // namespace sparserl::harness
