// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a conjugate gradient does with vectors, as PTX that the driver compiles. Vectors are float32, of
/// `count` entries: rows times `columns`, row by row. Blocks have 256 threads.
///
///     dot(count, columns, a, b, sums)         sums[blockIdx.x * columns + blockIdx.y] = sum, in float64, of
///                                             a[i] * b[i] over the rows of the block in column blockIdx.y
///     axpy(count, columns, alpha, x, y)       y[i] += alpha[column of i] * x[i]
///     xpby(count, columns, x, beta, y)        y[i] = x[i] + beta[column of i] * y[i]
///
/// `alpha` and `beta` are arrays on the GPU, a number a column. In CUDA C, dot is
///
///     __shared__ double part[256];
///     double sum = 0;
///     for (unsigned r = blockIdx.x * 256 + threadIdx.x; r < count / columns; r += gridDim.x * 256)
///         sum += (double)a[r * columns + blockIdx.y] * b[r * columns + blockIdx.y];
///     part[threadIdx.x] = sum;
///     for (int half = 128; half > 0; half /= 2) {
///         __syncthreads();
///         if (threadIdx.x < half)
///             part[threadIdx.x] += part[threadIdx.x + half];
///     }
///     if (threadIdx.x == 0)
///         sums[blockIdx.x * columns + blockIdx.y] = part[0];
inline constexpr char vector_kernels[] = R"ptx(
.version 7.0
.target sm_80
.address_size 64

.visible .entry dot(
    .param .u32 dot_param_0,
    .param .u32 dot_param_1,
    .param .u64 dot_param_2,
    .param .u64 dot_param_3,
    .param .u64 dot_param_4
)
{
    .reg .pred %p<5>;
    .reg .b32 %r<16>;
    .reg .f32 %f<3>;
    .reg .f64 %fd<8>;
    .reg .b64 %rd<12>;
    .shared .align 8 .b8 part[2048];
    ld.param.u32 %r1, [dot_param_0];
    ld.param.u32 %r2, [dot_param_1];
    ld.param.u64 %rd1, [dot_param_2];
    ld.param.u64 %rd2, [dot_param_3];
    ld.param.u64 %rd3, [dot_param_4];
    cvta.to.global.u64 %rd1, %rd1;
    cvta.to.global.u64 %rd2, %rd2;
    cvta.to.global.u64 %rd3, %rd3;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ctaid.y;
    mov.u32 %r5, %tid.x;
    mov.u32 %r6, %nctaid.x;
    div.u32 %r7, %r1, %r2;
    shl.b32 %r8, %r3, 8;
    add.s32 %r8, %r8, %r5;
    shl.b32 %r9, %r6, 8;
    mov.f64 %fd1, 0d0000000000000000;
ROW:
    setp.ge.u32 %p1, %r8, %r7;
    @%p1 bra SUMMED;
    mad.lo.s32 %r10, %r8, %r2, %r4;
    mul.wide.u32 %rd4, %r10, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s64 %rd6, %rd2, %rd4;
    ld.global.f32 %f1, [%rd5];
    ld.global.f32 %f2, [%rd6];
    cvt.f64.f32 %fd2, %f1;
    cvt.f64.f32 %fd3, %f2;
    fma.rn.f64 %fd1, %fd2, %fd3, %fd1;
    add.s32 %r8, %r8, %r9;
    bra ROW;
SUMMED:
    mov.u32 %r11, part;
    shl.b32 %r12, %r5, 3;
    add.s32 %r11, %r11, %r12;
    st.shared.f64 [%r11], %fd1;
    mov.u32 %r13, 128;
HALF:
    bar.sync 0;
    setp.ge.u32 %p2, %r5, %r13;
    @%p2 bra NEXT;
    shl.b32 %r14, %r13, 3;
    add.s32 %r14, %r11, %r14;
    ld.shared.f64 %fd4, [%r11];
    ld.shared.f64 %fd5, [%r14];
    add.rn.f64 %fd6, %fd4, %fd5;
    st.shared.f64 [%r11], %fd6;
NEXT:
    shr.u32 %r13, %r13, 1;
    setp.ne.s32 %p3, %r13, 0;
    @%p3 bra HALF;
    setp.ne.s32 %p4, %r5, 0;
    @%p4 bra DONE;
    mad.lo.s32 %r15, %r3, %r2, %r4;
    mul.wide.u32 %rd7, %r15, 8;
    add.s64 %rd8, %rd3, %rd7;
    ld.shared.f64 %fd7, [%r11];
    st.global.f64 [%rd8], %fd7;
DONE:
    ret;
}

.visible .entry axpy(
    .param .u32 axpy_param_0,
    .param .u32 axpy_param_1,
    .param .u64 axpy_param_2,
    .param .u64 axpy_param_3,
    .param .u64 axpy_param_4
)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .f32 %f<5>;
    .reg .b64 %rd<9>;
    ld.param.u32 %r1, [axpy_param_0];
    ld.param.u32 %r2, [axpy_param_1];
    ld.param.u64 %rd1, [axpy_param_2];
    ld.param.u64 %rd2, [axpy_param_3];
    ld.param.u64 %rd3, [axpy_param_4];
    cvta.to.global.u64 %rd1, %rd1;
    cvta.to.global.u64 %rd2, %rd2;
    cvta.to.global.u64 %rd3, %rd3;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %tid.x;
    shl.b32 %r5, %r3, 8;
    add.s32 %r5, %r5, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    rem.u32 %r6, %r5, %r2;
    mul.wide.u32 %rd4, %r6, 4;
    add.s64 %rd5, %rd1, %rd4;
    mul.wide.u32 %rd6, %r5, 4;
    add.s64 %rd7, %rd2, %rd6;
    add.s64 %rd8, %rd3, %rd6;
    ld.global.f32 %f1, [%rd5];
    ld.global.f32 %f2, [%rd7];
    ld.global.f32 %f3, [%rd8];
    fma.rn.f32 %f4, %f1, %f2, %f3;
    st.global.f32 [%rd8], %f4;
DONE:
    ret;
}

.visible .entry xpby(
    .param .u32 xpby_param_0,
    .param .u32 xpby_param_1,
    .param .u64 xpby_param_2,
    .param .u64 xpby_param_3,
    .param .u64 xpby_param_4
)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .f32 %f<5>;
    .reg .b64 %rd<9>;
    ld.param.u32 %r1, [xpby_param_0];
    ld.param.u32 %r2, [xpby_param_1];
    ld.param.u64 %rd1, [xpby_param_2];
    ld.param.u64 %rd2, [xpby_param_3];
    ld.param.u64 %rd3, [xpby_param_4];
    cvta.to.global.u64 %rd1, %rd1;
    cvta.to.global.u64 %rd2, %rd2;
    cvta.to.global.u64 %rd3, %rd3;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %tid.x;
    shl.b32 %r5, %r3, 8;
    add.s32 %r5, %r5, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    rem.u32 %r6, %r5, %r2;
    mul.wide.u32 %rd4, %r6, 4;
    add.s64 %rd5, %rd2, %rd4;
    mul.wide.u32 %rd6, %r5, 4;
    add.s64 %rd7, %rd1, %rd6;
    add.s64 %rd8, %rd3, %rd6;
    ld.global.f32 %f1, [%rd5];
    ld.global.f32 %f2, [%rd7];
    ld.global.f32 %f3, [%rd8];
    fma.rn.f32 %f4, %f1, %f3, %f2;
    st.global.f32 [%rd8], %f4;
DONE:
    ret;
}
)ptx";
