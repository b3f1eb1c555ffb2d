// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl::cuda {

/// PTX of helper_kernels.cu, which the driver assembles when a device is opened.
inline constexpr char helperKernels[] = R"ptx(
.version 9.0
.target sm_80
.address_size 64
.visible .entry sparserl_empty()
{
	ret;
}
.visible .entry sparserl_checksum(
	.param .u64 sparserl_checksum_param_0,
	.param .u64 sparserl_checksum_param_1
)
{
	.reg .pred 	%p<4>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<42>;
	ld.param.u64 	%rd15, [sparserl_checksum_param_0];
	ld.param.u64 	%rd13, [sparserl_checksum_param_1];
	mov.u32 	%r1, %ctaid.y;
	cvt.u64.u32 	%rd1, %r1;
	cvta.to.global.u64 	%rd16, %rd15;
	mul.wide.u32 	%rd17, %r1, 16;
	add.s64 	%rd2, %rd16, %rd17;
	mov.u32 	%r2, %ctaid.x;
	mov.u32 	%r3, %ntid.x;
	cvt.u64.u32 	%rd3, %r3;
	mul.wide.u32 	%rd18, %r2, %r3;
	mov.u32 	%r4, %tid.x;
	cvt.u64.u32 	%rd19, %r4;
	add.s64 	%rd4, %rd18, %rd19;
	ld.global.u64 	%rd5, [%rd2+8];
	mov.u64 	%rd41, 0;
	setp.ge.u64 	%p1, %rd4, %rd5;
	@%p1 bra 	$L__BB1_3;
	ld.global.u64 	%rd6, [%rd2];
	mov.u64 	%rd41, 0;
	mov.u32 	%r5, %nctaid.x;
	cvt.u64.u32 	%rd21, %r5;
	mul.lo.s64 	%rd7, %rd21, %rd3;
	mov.u64 	%rd39, %rd4;
$L__BB1_2:
	shl.b64 	%rd22, %rd39, 2;
	add.s64 	%rd23, %rd6, %rd22;
	ld.u32 	%rd24, [%rd23];
	mul.lo.s64 	%rd25, %rd39, -7046029254386353131;
	add.s64 	%rd26, %rd25, %rd24;
	add.s64 	%rd27, %rd26, -7046029254386353131;
	shr.u64 	%rd28, %rd27, 32;
	xor.b64  	%rd29, %rd28, %rd27;
	mul.lo.s64 	%rd30, %rd29, -2960836687051489901;
	shr.u64 	%rd31, %rd30, 32;
	xor.b64  	%rd32, %rd31, %rd30;
	add.s64 	%rd41, %rd32, %rd41;
	add.s64 	%rd39, %rd39, %rd7;
	setp.lt.u64 	%p2, %rd39, %rd5;
	@%p2 bra 	$L__BB1_2;
$L__BB1_3:
	@%p1 bra 	$L__BB1_5;
	and.b64  	%rd33, %rd4, 63;
	bfi.b64 	%rd34, %rd1, %rd33, 6, 58;
	cvta.to.global.u64 	%rd35, %rd13;
	shl.b64 	%rd36, %rd34, 3;
	add.s64 	%rd37, %rd35, %rd36;
	atom.global.add.u64 	%rd38, [%rd37], %rd41;
$L__BB1_5:
	ret;
}
.visible .entry sparserl_zone_fill(
	.param .u64 sparserl_zone_fill_param_0,
	.param .u64 sparserl_zone_fill_param_1
)
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<5>;
	.reg .b64 	%rd<25>;
	ld.param.u64 	%rd10, [sparserl_zone_fill_param_0];
	ld.param.u64 	%rd9, [sparserl_zone_fill_param_1];
	cvta.to.global.u64 	%rd11, %rd10;
	mov.u32 	%r1, %ctaid.x;
	mul.wide.u32 	%rd12, %r1, 16;
	add.s64 	%rd1, %rd11, %rd12;
	mov.u32 	%r2, %tid.x;
	cvt.u64.u32 	%rd24, %r2;
	ld.global.u64 	%rd3, [%rd1+8];
	setp.le.u64 	%p1, %rd3, %rd24;
	@%p1 bra 	$L__BB2_3;
	ld.global.u64 	%rd13, [%rd1];
	add.s32 	%r3, %r1, 1;
	cvt.u64.u32 	%rd14, %r3;
	shl.b64 	%rd15, %rd14, 32;
	xor.b64  	%rd16, %rd15, %rd9;
	add.s64 	%rd4, %rd16, -7046029254386353131;
	mov.u32 	%r4, %ntid.x;
	cvt.u64.u32 	%rd5, %r4;
	cvta.to.global.u64 	%rd6, %rd13;
$L__BB2_2:
	mul.lo.s64 	%rd17, %rd24, -7046029254386353131;
	add.s64 	%rd18, %rd4, %rd17;
	shr.u64 	%rd19, %rd18, 29;
	xor.b64  	%rd20, %rd19, %rd18;
	mul.lo.s64 	%rd21, %rd20, -2960836687051489901;
	shr.u64 	%rd22, %rd21, 56;
	add.s64 	%rd23, %rd6, %rd24;
	st.global.u8 	[%rd23], %rd22;
	add.s64 	%rd24, %rd24, %rd5;
	setp.lt.u64 	%p2, %rd24, %rd3;
	@%p2 bra 	$L__BB2_2;
$L__BB2_3:
	ret;
}
.visible .entry sparserl_zone_check(
	.param .u64 sparserl_zone_check_param_0,
	.param .u64 sparserl_zone_check_param_1,
	.param .u64 sparserl_zone_check_param_2
)
{
	.reg .pred 	%p<4>;
	.reg .b16 	%rs<3>;
	.reg .b32 	%r<7>;
	.reg .b64 	%rd<29>;
	ld.param.u64 	%rd13, [sparserl_zone_check_param_0];
	ld.param.u64 	%rd11, [sparserl_zone_check_param_1];
	ld.param.u64 	%rd12, [sparserl_zone_check_param_2];
	mov.u32 	%r1, %ctaid.x;
	cvt.u64.u32 	%rd1, %r1;
	cvta.to.global.u64 	%rd14, %rd13;
	mul.wide.u32 	%rd15, %r1, 16;
	add.s64 	%rd2, %rd14, %rd15;
	mov.u32 	%r2, %tid.x;
	cvt.u64.u32 	%rd28, %r2;
	ld.global.u64 	%rd4, [%rd2+8];
	setp.le.u64 	%p1, %rd4, %rd28;
	@%p1 bra 	$L__BB3_5;
	ld.global.u64 	%rd5, [%rd2];
	add.s32 	%r3, %r1, 1;
	cvt.u64.u32 	%rd16, %r3;
	shl.b64 	%rd17, %rd16, 32;
	xor.b64  	%rd18, %rd17, %rd11;
	add.s64 	%rd6, %rd18, -7046029254386353131;
	mov.u32 	%r4, %ntid.x;
	cvt.u64.u32 	%rd7, %r4;
	cvta.to.global.u64 	%rd8, %rd12;
$L__BB3_2:
	mul.lo.s64 	%rd19, %rd28, -7046029254386353131;
	add.s64 	%rd20, %rd6, %rd19;
	shr.u64 	%rd21, %rd20, 29;
	xor.b64  	%rd22, %rd21, %rd20;
	mul.lo.s64 	%rd23, %rd22, -2960836687051489901;
	shr.u64 	%rd24, %rd23, 56;
	cvt.u16.u64 	%rs1, %rd24;
	add.s64 	%rd25, %rd5, %rd28;
	ld.u8 	%rs2, [%rd25];
	setp.eq.s16 	%p2, %rs2, %rs1;
	@%p2 bra 	$L__BB3_4;
	bra.uni 	$L__BB3_3;
$L__BB3_4:
	add.s64 	%rd28, %rd28, %rd7;
	setp.lt.u64 	%p3, %rd28, %rd4;
	@%p3 bra 	$L__BB3_2;
	bra.uni 	$L__BB3_5;
$L__BB3_3:
	shl.b64 	%rd26, %rd1, 2;
	add.s64 	%rd27, %rd8, %rd26;
	cvt.u32.u64 	%r5, %rd28;
	atom.global.min.u32 	%r6, [%rd27], %r5;
$L__BB3_5:
	ret;
}
.visible .entry sparserl_fill(
	.param .u64 sparserl_fill_param_0,
	.param .u64 sparserl_fill_param_1,
	.param .u32 sparserl_fill_param_2
)
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<10>;
	.reg .b64 	%rd<15>;
	ld.param.u64 	%rd7, [sparserl_fill_param_0];
	ld.param.u64 	%rd8, [sparserl_fill_param_1];
	ld.param.u32 	%r4, [sparserl_fill_param_2];
	mov.u32 	%r5, %ntid.x;
	cvt.u64.u32 	%rd1, %r5;
	mov.u32 	%r6, %ctaid.x;
	mul.wide.u32 	%rd9, %r6, %r5;
	mov.u32 	%r7, %tid.x;
	cvt.u64.u32 	%rd10, %r7;
	add.s64 	%rd14, %rd9, %rd10;
	setp.ge.u64 	%p1, %rd14, %rd8;
	@%p1 bra 	$L__BB4_3;
	add.s32 	%r2, %r4, 2;
	add.s32 	%r3, %r4, 3;
	mov.u32 	%r8, %nctaid.x;
	cvt.u64.u32 	%rd11, %r8;
	mul.lo.s64 	%rd3, %rd11, %rd1;
	cvta.to.global.u64 	%rd4, %rd7;
$L__BB4_2:
	shl.b64 	%rd12, %rd14, 4;
	add.s64 	%rd13, %rd4, %rd12;
	add.s32 	%r9, %r4, 1;
	st.global.v4.u32 	[%rd13], {%r4, %r9, %r2, %r3};
	add.s64 	%rd14, %rd14, %rd3;
	setp.lt.u64 	%p2, %rd14, %rd8;
	@%p2 bra 	$L__BB4_2;
$L__BB4_3:
	ret;
}
.visible .entry sparserl_read(
	.param .u64 sparserl_read_param_0,
	.param .u64 sparserl_read_param_1,
	.param .u32 sparserl_read_param_2,
	.param .u64 sparserl_read_param_3
)
{
	.reg .pred 	%p<8>;
	.reg .b32 	%r<65>;
	.reg .b64 	%rd<36>;
	ld.param.u64 	%rd16, [sparserl_read_param_0];
	ld.param.u64 	%rd17, [sparserl_read_param_1];
	ld.param.u32 	%r11, [sparserl_read_param_2];
	ld.param.u64 	%rd18, [sparserl_read_param_3];
	mov.u32 	%r13, %ctaid.x;
	mov.u32 	%r14, %ntid.x;
	cvt.u64.u32 	%rd1, %r14;
	mul.wide.u32 	%rd19, %r13, %r14;
	mov.u32 	%r15, %tid.x;
	cvt.u64.u32 	%rd20, %r15;
	add.s64 	%rd2, %rd19, %rd20;
	mov.u32 	%r16, %nctaid.x;
	cvt.u64.u32 	%rd3, %r16;
	mul.wide.u32 	%rd4, %r16, %r14;
	setp.eq.s32 	%p1, %r11, 0;
	mov.u32 	%r61, 0;
	@%p1 bra 	$L__BB5_8;
	mul.lo.s64 	%rd5, %rd4, 3;
	add.s64 	%rd6, %rd2, %rd5;
	shl.b64 	%rd21, %rd2, 4;
	add.s64 	%rd7, %rd16, %rd21;
	mul.lo.s64 	%rd22, %rd3, %rd1;
	shl.b64 	%rd8, %rd22, 4;
	mov.u32 	%r58, 0;
	mov.u32 	%r61, %r58;
$L__BB5_2:
	setp.ge.u64 	%p2, %rd6, %rd17;
	mov.u64 	%rd34, %rd2;
	@%p2 bra 	$L__BB5_5;
	mov.u64 	%rd34, %rd2;
	mov.u64 	%rd33, %rd7;
$L__BB5_4:
	ld.global.cg.v4.u32 {%r19,%r20,%r21,%r22}, [%rd33];
	add.s64 	%rd24, %rd33, %rd8;
	ld.global.cg.v4.u32 {%r23,%r24,%r25,%r26}, [%rd24];
	add.s64 	%rd25, %rd24, %rd8;
	ld.global.cg.v4.u32 {%r27,%r28,%r29,%r30}, [%rd25];
	add.s64 	%rd26, %rd25, %rd8;
	add.s64 	%rd33, %rd26, %rd8;
	ld.global.cg.v4.u32 {%r31,%r32,%r33,%r34}, [%rd26];
	xor.b32  	%r35, %r24, %r19;
	xor.b32  	%r36, %r35, %r29;
	xor.b32  	%r37, %r36, %r34;
	or.b32  	%r38, %r37, %r61;
	xor.b32  	%r39, %r25, %r20;
	xor.b32  	%r40, %r39, %r30;
	xor.b32  	%r41, %r40, %r31;
	or.b32  	%r42, %r38, %r41;
	xor.b32  	%r43, %r26, %r21;
	xor.b32  	%r44, %r43, %r27;
	xor.b32  	%r45, %r44, %r32;
	or.b32  	%r46, %r42, %r45;
	xor.b32  	%r47, %r23, %r22;
	xor.b32  	%r48, %r47, %r28;
	xor.b32  	%r49, %r48, %r33;
	or.b32  	%r61, %r46, %r49;
	add.s64 	%rd27, %rd34, %rd4;
	add.s64 	%rd34, %rd5, %rd27;
	add.s64 	%rd28, %rd34, %rd5;
	setp.lt.u64 	%p3, %rd28, %rd17;
	@%p3 bra 	$L__BB5_4;
$L__BB5_5:
	setp.ge.u64 	%p4, %rd34, %rd17;
	@%p4 bra 	$L__BB5_7;
$L__BB5_6:
	shl.b64 	%rd30, %rd34, 4;
	add.s64 	%rd29, %rd16, %rd30;
	ld.global.cg.v4.u32 {%r50,%r51,%r52,%r53}, [%rd29];
	xor.b32  	%r54, %r50, %r51;
	xor.b32  	%r55, %r54, %r52;
	xor.b32  	%r56, %r55, %r53;
	or.b32  	%r61, %r56, %r61;
	add.s64 	%rd34, %rd34, %rd4;
	setp.lt.u64 	%p5, %rd34, %rd17;
	@%p5 bra 	$L__BB5_6;
$L__BB5_7:
	add.s32 	%r58, %r58, 1;
	setp.lt.u32 	%p6, %r58, %r11;
	@%p6 bra 	$L__BB5_2;
$L__BB5_8:
	setp.ne.s32 	%p7, %r61, 2129072983;
	@%p7 bra 	$L__BB5_10;
	cvta.to.global.u64 	%rd31, %rd18;
	mov.u32 	%r57, 2129072983;
	st.global.u32 	[%rd31], %r57;
$L__BB5_10:
	ret;
}
.visible .entry sparserl_copy(
	.param .u64 sparserl_copy_param_0,
	.param .u64 sparserl_copy_param_1,
	.param .u64 sparserl_copy_param_2
)
{
	.reg .pred 	%p<5>;
	.reg .b32 	%r<45>;
	.reg .b64 	%rd<46>;
	ld.param.u64 	%rd19, [sparserl_copy_param_0];
	ld.param.u64 	%rd20, [sparserl_copy_param_1];
	ld.param.u64 	%rd18, [sparserl_copy_param_2];
	cvta.to.global.u64 	%rd1, %rd20;
	cvta.to.global.u64 	%rd2, %rd19;
	mov.u32 	%r1, %nctaid.x;
	cvt.u64.u32 	%rd3, %r1;
	mov.u32 	%r2, %ntid.x;
	cvt.u64.u32 	%rd4, %r2;
	mul.wide.u32 	%rd5, %r1, %r2;
	mov.u32 	%r3, %ctaid.x;
	mul.wide.u32 	%rd21, %r3, %r2;
	mov.u32 	%r4, %tid.x;
	cvt.u64.u32 	%rd22, %r4;
	add.s64 	%rd44, %rd21, %rd22;
	mul.lo.s64 	%rd7, %rd5, 3;
	add.s64 	%rd23, %rd44, %rd7;
	setp.ge.u64 	%p1, %rd23, %rd18;
	@%p1 bra 	$L__BB6_3;
	mul.lo.s64 	%rd24, %rd3, %rd4;
	shl.b64 	%rd8, %rd24, 4;
	shl.b64 	%rd25, %rd44, 4;
	add.s64 	%rd43, %rd1, %rd25;
	neg.s64 	%rd10, %rd24;
	shl.b64 	%rd33, %rd10, 4;
$L__BB6_2:
	shl.b64 	%rd26, %rd44, 4;
	add.s64 	%rd27, %rd2, %rd26;
	shl.b64 	%rd28, %rd5, 2;
	shl.b64 	%rd29, %rd5, 4;
	add.s64 	%rd30, %rd27, %rd29;
	ld.global.v4.u32 	{%r5, %r6, %r7, %r8}, [%rd30];
	add.s64 	%rd31, %rd30, %rd8;
	ld.global.v4.u32 	{%r13, %r14, %r15, %r16}, [%rd31];
	add.s64 	%rd32, %rd31, %rd8;
	ld.global.v4.u32 	{%r21, %r22, %r23, %r24}, [%rd32];
	add.s64 	%rd34, %rd30, %rd33;
	ld.global.v4.u32 	{%r29, %r30, %r31, %r32}, [%rd34];
	st.global.v4.u32 	[%rd43], {%r29, %r30, %r31, %r32};
	add.s64 	%rd35, %rd43, %rd8;
	st.global.v4.u32 	[%rd35], {%r5, %r6, %r7, %r8};
	add.s64 	%rd36, %rd35, %rd8;
	st.global.v4.u32 	[%rd36], {%r13, %r14, %r15, %r16};
	add.s64 	%rd37, %rd36, %rd8;
	add.s64 	%rd43, %rd37, %rd8;
	st.global.v4.u32 	[%rd37], {%r21, %r22, %r23, %r24};
	add.s64 	%rd44, %rd28, %rd44;
	add.s64 	%rd38, %rd44, %rd7;
	setp.lt.u64 	%p2, %rd38, %rd18;
	@%p2 bra 	$L__BB6_2;
$L__BB6_3:
	setp.ge.u64 	%p3, %rd44, %rd18;
	@%p3 bra 	$L__BB6_5;
$L__BB6_4:
	shl.b64 	%rd39, %rd44, 4;
	add.s64 	%rd40, %rd2, %rd39;
	add.s64 	%rd41, %rd1, %rd39;
	ld.global.v4.u32 	{%r37, %r38, %r39, %r40}, [%rd40];
	st.global.v4.u32 	[%rd41], {%r37, %r38, %r39, %r40};
	add.s64 	%rd44, %rd44, %rd5;
	setp.lt.u64 	%p4, %rd44, %rd18;
	@%p4 bra 	$L__BB6_4;
$L__BB6_5:
	ret;
}
)ptx";

} // namespace sparserl::cuda
