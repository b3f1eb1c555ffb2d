// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl::cuda {

/// PTX of helper_kernels.cu, which the driver assembles when a device is opened.
inline constexpr char helperKernels[] = R"ptx(
.version 9.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 shared[];
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
.visible .entry sparserl_poison(
	.param .u64 sparserl_poison_param_0,
	.param .u64 sparserl_poison_param_1
)
{
	.reg .pred 	%p<17>;
	.reg .b32 	%r<50>;
	.reg .b64 	%rd<91>;
	ld.param.u64 	%rd24, [sparserl_poison_param_0];
	ld.param.u64 	%rd25, [sparserl_poison_param_1];
	cvta.to.global.u64 	%rd26, %rd24;
	mov.u32 	%r8, %ctaid.y;
	mul.wide.u32 	%rd27, %r8, 16;
	add.s64 	%rd28, %rd26, %rd27;
	ld.global.u64 	%rd1, [%rd28];
	mul.lo.s64 	%rd29, %rd1, -7046029254386353131;
	add.s64 	%rd30, %rd25, %rd29;
	add.s64 	%rd31, %rd30, -7046029254386353131;
	shr.u64 	%rd32, %rd31, 32;
	xor.b64  	%rd33, %rd32, %rd31;
	mul.lo.s64 	%rd34, %rd33, -2960836687051489901;
	shr.u64 	%rd35, %rd34, 32;
	xor.b64  	%rd36, %rd35, %rd34;
	mul.lo.s64 	%rd2, %rd36, -2960836687051489901;
	shr.u64 	%rd37, %rd2, 40;
	cvt.u32.u64 	%r9, %rd37;
	and.b32  	%r1, %r9, 7;
	mov.u32 	%r10, %nctaid.x;
	mov.u32 	%r11, %ntid.x;
	mul.wide.u32 	%rd3, %r10, %r11;
	mov.u32 	%r12, %ctaid.x;
	mul.wide.u32 	%rd38, %r12, %r11;
	mov.u32 	%r13, %tid.x;
	cvt.u64.u32 	%rd39, %r13;
	add.s64 	%rd85, %rd38, %rd39;
	ld.global.u64 	%rd5, [%rd28+8];
	add.s64 	%rd40, %rd5, 3;
	shr.u64 	%rd6, %rd40, 2;
	setp.ge.u64 	%p1, %rd85, %rd6;
	@%p1 bra 	$L__BB7_21;
	shr.u64 	%rd41, %rd2, 32;
	xor.b64  	%rd42, %rd41, %rd2;
	add.s64 	%rd7, %rd42, -7046029254386353131;
	setp.gt.u32 	%p2, %r1, 1;
	@%p2 bra 	$L__BB7_13;
	bra.uni 	$L__BB7_2;
$L__BB7_13:
	.pragma "nounroll";
	mul.lo.s64 	%rd71, %rd85, -7046029254386353131;
	add.s64 	%rd72, %rd7, %rd71;
	shr.u64 	%rd73, %rd72, 32;
	xor.b64  	%rd74, %rd73, %rd72;
	mul.lo.s64 	%rd75, %rd74, -2960836687051489901;
	shr.u64 	%rd76, %rd75, 32;
	xor.b64  	%rd77, %rd76, %rd75;
	mul.lo.s64 	%rd78, %rd77, -2960836687051489901;
	shr.u64 	%rd19, %rd78, 32;
	cvt.u32.u64 	%r35, %rd78;
	cvt.u32.u64 	%r36, %rd19;
	xor.b32  	%r4, %r36, %r35;
	setp.gt.s64 	%p12, %rd78, -1;
	@%p12 bra 	$L__BB7_15;
	bra.uni 	$L__BB7_14;
$L__BB7_15:
	and.b32  	%r44, %r4, 524286;
	or.b32  	%r49, %r44, 2146959361;
	bra.uni 	$L__BB7_16;
$L__BB7_14:
	mul.wide.u32 	%rd79, %r36, -1431655765;
	shr.u64 	%rd80, %rd79, 34;
	cvt.u32.u64 	%r38, %rd80;
	mul.lo.s32 	%r39, %r38, 6;
	sub.s32 	%r40, %r36, %r39;
	shl.b32 	%r41, %r40, 23;
	add.s32 	%r42, %r41, 1048576000;
	and.b32  	%r43, %r4, -2139095041;
	or.b32  	%r49, %r42, %r43;
$L__BB7_16:
	shl.b64 	%rd90, %rd85, 2;
	add.s64 	%rd81, %rd90, 4;
	setp.gt.u64 	%p13, %rd81, %rd5;
	@%p13 bra 	$L__BB7_18;
	bra.uni 	$L__BB7_17;
$L__BB7_18:
	setp.ge.u64 	%p14, %rd90, %rd5;
	@%p14 bra 	$L__BB7_20;
$L__BB7_19:
	.pragma "nounroll";
	cvt.u32.u64 	%r45, %rd90;
	shl.b32 	%r46, %r45, 3;
	and.b32  	%r47, %r46, 24;
	shr.u32 	%r48, %r49, %r47;
	add.s64 	%rd84, %rd1, %rd90;
	st.u8 	[%rd84], %r48;
	add.s64 	%rd90, %rd90, 1;
	setp.lt.u64 	%p15, %rd90, %rd5;
	@%p15 bra 	$L__BB7_19;
	bra.uni 	$L__BB7_20;
$L__BB7_17:
	shl.b64 	%rd82, %rd85, 2;
	add.s64 	%rd83, %rd1, %rd82;
	st.u32 	[%rd83], %r49;
$L__BB7_20:
	add.s64 	%rd85, %rd85, %rd3;
	setp.lt.u64 	%p16, %rd85, %rd6;
	@%p16 bra 	$L__BB7_13;
	bra.uni 	$L__BB7_21;
$L__BB7_2:
	setp.eq.s32 	%p3, %r1, 0;
	@%p3 bra 	$L__BB7_8;
$L__BB7_3:
	.pragma "nounroll";
	mul.lo.s64 	%rd43, %rd85, -7046029254386353131;
	add.s64 	%rd44, %rd7, %rd43;
	shr.u64 	%rd45, %rd44, 32;
	xor.b64  	%rd46, %rd45, %rd44;
	mul.lo.s64 	%rd47, %rd46, -2960836687051489901;
	shr.u64 	%rd48, %rd47, 32;
	xor.b64  	%rd49, %rd48, %rd47;
	mul.lo.s64 	%rd50, %rd49, -2960836687051489901;
	shr.u64 	%rd51, %rd50, 32;
	cvt.u32.u64 	%r14, %rd50;
	cvt.u32.u64 	%r15, %rd51;
	xor.b32  	%r16, %r15, %r14;
	mul.wide.u32 	%rd52, %r15, -1431655765;
	shr.u64 	%rd53, %rd52, 34;
	cvt.u32.u64 	%r17, %rd53;
	mul.lo.s32 	%r18, %r17, 6;
	sub.s32 	%r19, %r15, %r18;
	shl.b32 	%r20, %r19, 23;
	add.s32 	%r21, %r20, 1048576000;
	and.b32  	%r22, %r16, -2139095041;
	or.b32  	%r2, %r21, %r22;
	shl.b64 	%rd86, %rd85, 2;
	add.s64 	%rd54, %rd86, 4;
	setp.gt.u64 	%p4, %rd54, %rd5;
	@%p4 bra 	$L__BB7_5;
	bra.uni 	$L__BB7_4;
$L__BB7_5:
	setp.ge.u64 	%p5, %rd86, %rd5;
	@%p5 bra 	$L__BB7_7;
$L__BB7_6:
	.pragma "nounroll";
	cvt.u32.u64 	%r23, %rd86;
	shl.b32 	%r24, %r23, 3;
	and.b32  	%r25, %r24, 24;
	shr.u32 	%r26, %r2, %r25;
	add.s64 	%rd57, %rd1, %rd86;
	st.u8 	[%rd57], %r26;
	add.s64 	%rd86, %rd86, 1;
	setp.lt.u64 	%p6, %rd86, %rd5;
	@%p6 bra 	$L__BB7_6;
	bra.uni 	$L__BB7_7;
$L__BB7_4:
	shl.b64 	%rd55, %rd85, 2;
	add.s64 	%rd56, %rd1, %rd55;
	st.u32 	[%rd56], %r2;
$L__BB7_7:
	add.s64 	%rd85, %rd85, %rd3;
	setp.lt.u64 	%p7, %rd85, %rd6;
	@%p7 bra 	$L__BB7_3;
	bra.uni 	$L__BB7_21;
$L__BB7_8:
	.pragma "nounroll";
	mul.lo.s64 	%rd58, %rd85, -7046029254386353131;
	add.s64 	%rd59, %rd7, %rd58;
	shr.u64 	%rd60, %rd59, 32;
	xor.b64  	%rd61, %rd60, %rd59;
	mul.lo.s64 	%rd62, %rd61, -2960836687051489901;
	shr.u64 	%rd63, %rd62, 32;
	xor.b64  	%rd64, %rd63, %rd62;
	mul.lo.s64 	%rd65, %rd64, -2960836687051489901;
	shr.u64 	%rd66, %rd65, 32;
	cvt.u32.u64 	%r27, %rd65;
	cvt.u32.u64 	%r28, %rd66;
	xor.b32  	%r29, %r28, %r27;
	and.b32  	%r30, %r29, 524286;
	or.b32  	%r3, %r30, 2146959361;
	shl.b64 	%rd88, %rd85, 2;
	add.s64 	%rd67, %rd88, 4;
	setp.gt.u64 	%p8, %rd67, %rd5;
	@%p8 bra 	$L__BB7_10;
	bra.uni 	$L__BB7_9;
$L__BB7_10:
	setp.ge.u64 	%p9, %rd88, %rd5;
	@%p9 bra 	$L__BB7_12;
$L__BB7_11:
	.pragma "nounroll";
	cvt.u32.u64 	%r31, %rd88;
	shl.b32 	%r32, %r31, 3;
	and.b32  	%r33, %r32, 24;
	shr.u32 	%r34, %r3, %r33;
	add.s64 	%rd70, %rd1, %rd88;
	st.u8 	[%rd70], %r34;
	add.s64 	%rd88, %rd88, 1;
	setp.lt.u64 	%p10, %rd88, %rd5;
	@%p10 bra 	$L__BB7_11;
	bra.uni 	$L__BB7_12;
$L__BB7_9:
	shl.b64 	%rd68, %rd85, 2;
	add.s64 	%rd69, %rd1, %rd68;
	st.u32 	[%rd69], %r3;
$L__BB7_12:
	add.s64 	%rd85, %rd85, %rd3;
	setp.lt.u64 	%p11, %rd85, %rd6;
	@%p11 bra 	$L__BB7_8;
$L__BB7_21:
	ret;
}
.visible .entry sparserl_signs(
	.param .u64 sparserl_signs_param_0,
	.param .u64 sparserl_signs_param_1,
	.param .u32 sparserl_signs_param_2,
	.param .u32 sparserl_signs_param_3,
	.param .u32 sparserl_signs_param_4,
	.param .u32 sparserl_signs_param_5
)
{
	.reg .pred 	%p<11>;
	.reg .b32 	%r<29>;
	.reg .b64 	%rd<61>;
	ld.param.u64 	%rd17, [sparserl_signs_param_0];
	ld.param.u64 	%rd16, [sparserl_signs_param_1];
	ld.param.u32 	%r3, [sparserl_signs_param_2];
	ld.param.u32 	%r4, [sparserl_signs_param_3];
	ld.param.u32 	%r5, [sparserl_signs_param_4];
	ld.param.u32 	%r6, [sparserl_signs_param_5];
	cvta.to.global.u64 	%rd18, %rd17;
	mov.u32 	%r7, %ctaid.y;
	cvt.u64.u32 	%rd1, %r7;
	mul.wide.u32 	%rd19, %r7, 16;
	add.s64 	%rd20, %rd18, %rd19;
	ld.global.u64 	%rd21, [%rd20];
	cvta.to.global.u64 	%rd2, %rd21;
	mov.u32 	%r8, %nctaid.x;
	mov.u32 	%r9, %ntid.x;
	mul.wide.u32 	%rd3, %r8, %r9;
	mov.u32 	%r10, %ctaid.x;
	mul.wide.u32 	%rd22, %r10, %r9;
	mov.u32 	%r11, %tid.x;
	cvt.u64.u32 	%rd23, %r11;
	add.s64 	%rd58, %rd22, %rd23;
	ld.global.u64 	%rd5, [%rd20+8];
	setp.ge.u64 	%p2, %rd58, %rd5;
	@%p2 bra 	$L__BB8_9;
	cvt.u32.u64 	%r12, %rd1;
	mov.u32 	%r13, 1;
	shl.b32 	%r14, %r13, %r12;
	and.b32  	%r15, %r14, %r4;
	setp.ne.s32 	%p3, %r15, 0;
	setp.eq.s32 	%p4, %r3, 0;
	or.pred  	%p5, %p4, %p3;
	and.b32  	%r16, %r14, %r6;
	setp.ne.s32 	%p6, %r16, 0;
	setp.eq.s32 	%p7, %r5, 0;
	or.pred  	%p1, %p7, %p6;
	shl.b64 	%rd24, %rd1, 52;
	xor.b64  	%rd6, %rd24, %rd16;
	mul.wide.u32 	%rd25, %r5, 1048576;
	xor.b64  	%rd26, %rd6, %rd25;
	add.s64 	%rd7, %rd26, -7046029254386353131;
	@%p5 bra 	$L__BB8_6;
	bra.uni 	$L__BB8_2;
$L__BB8_6:
	@%p1 bra 	$L__BB8_8;
	bra.uni 	$L__BB8_7;
$L__BB8_8:
	.pragma "nounroll";
	add.s64 	%rd58, %rd58, %rd3;
	setp.lt.u64 	%p10, %rd58, %rd5;
	@%p10 bra 	$L__BB8_8;
	bra.uni 	$L__BB8_9;
$L__BB8_7:
	.pragma "nounroll";
	mul.lo.s64 	%rd47, %rd58, -7046029254386353131;
	add.s64 	%rd48, %rd7, %rd47;
	shr.u64 	%rd49, %rd48, 32;
	xor.b64  	%rd50, %rd49, %rd48;
	mul.lo.s64 	%rd51, %rd50, -2960836687051489901;
	shr.u64 	%rd52, %rd51, 32;
	xor.b64  	%rd53, %rd52, %rd51;
	mul.lo.s64 	%rd54, %rd53, -2960836687051489901;
	shr.u64 	%rd55, %rd54, 32;
	cvt.u32.u64 	%r24, %rd55;
	and.b32  	%r25, %r24, -2147483648;
	shl.b64 	%rd56, %rd58, 2;
	add.s64 	%rd57, %rd2, %rd56;
	ld.global.u32 	%r26, [%rd57];
	xor.b32  	%r27, %r25, %r26;
	st.global.u32 	[%rd57], %r27;
	add.s64 	%rd58, %rd58, %rd3;
	setp.lt.u64 	%p9, %rd58, %rd5;
	@%p9 bra 	$L__BB8_7;
	bra.uni 	$L__BB8_9;
$L__BB8_2:
	mul.wide.u32 	%rd27, %r3, 1048576;
	xor.b64  	%rd28, %rd6, %rd27;
	add.s64 	%rd8, %rd28, -7046029254386353131;
$L__BB8_3:
	.pragma "nounroll";
	mul.lo.s64 	%rd10, %rd58, -7046029254386353131;
	mov.u32 	%r28, 0;
	@%p1 bra 	$L__BB8_5;
	add.s64 	%rd29, %rd7, %rd10;
	shr.u64 	%rd30, %rd29, 32;
	xor.b64  	%rd31, %rd30, %rd29;
	mul.lo.s64 	%rd32, %rd31, -2960836687051489901;
	shr.u64 	%rd33, %rd32, 32;
	xor.b64  	%rd34, %rd33, %rd32;
	mul.lo.s64 	%rd35, %rd34, -2960836687051489901;
	shr.u64 	%rd36, %rd35, 32;
	cvt.u32.u64 	%r18, %rd36;
	and.b32  	%r28, %r18, -2147483648;
$L__BB8_5:
	add.s64 	%rd37, %rd8, %rd10;
	shr.u64 	%rd38, %rd37, 32;
	xor.b64  	%rd39, %rd38, %rd37;
	mul.lo.s64 	%rd40, %rd39, -2960836687051489901;
	shl.b64 	%rd41, %rd58, 2;
	add.s64 	%rd42, %rd2, %rd41;
	ld.global.u32 	%r19, [%rd42];
	shr.u64 	%rd43, %rd40, 32;
	xor.b64  	%rd44, %rd43, %rd40;
	mul.lo.s64 	%rd45, %rd44, -2960836687051489901;
	shr.u64 	%rd46, %rd45, 32;
	cvt.u32.u64 	%r20, %rd46;
	and.b32  	%r21, %r20, -2147483648;
	xor.b32  	%r22, %r28, %r21;
	xor.b32  	%r23, %r22, %r19;
	st.global.u32 	[%rd42], %r23;
	add.s64 	%rd58, %rd58, %rd3;
	setp.lt.u64 	%p8, %rd58, %rd5;
	@%p8 bra 	$L__BB8_3;
$L__BB8_9:
	ret;
}
.visible .entry sparserl_scrub(
	.param .u64 sparserl_scrub_param_0,
	.param .u32 sparserl_scrub_param_1
)
{
	.reg .pred 	%p<4>;
	.reg .b32 	%r<23>;
	.reg .b64 	%rd<20>;
	ld.param.u64 	%rd2, [sparserl_scrub_param_0];
	ld.param.u32 	%r9, [sparserl_scrub_param_1];
	mov.u32 	%r10, %ctaid.x;
	cvt.u64.u32 	%rd3, %r10;
	xor.b64  	%rd4, %rd3, %rd2;
	mov.u32 	%r22, %tid.x;
	cvt.u64.u32 	%rd5, %r22;
	mul.lo.s64 	%rd6, %rd5, -7046029254386353131;
	add.s64 	%rd7, %rd6, %rd4;
	add.s64 	%rd8, %rd7, -7046029254386353131;
	shr.u64 	%rd9, %rd8, 32;
	xor.b64  	%rd10, %rd9, %rd8;
	mul.lo.s64 	%rd11, %rd10, -2960836687051489901;
	shr.u64 	%rd12, %rd11, 32;
	xor.b64  	%rd13, %rd12, %rd11;
	mul.lo.s64 	%rd14, %rd13, -2960836687051489901;
	shr.u64 	%rd1, %rd14, 32;
	cvt.u32.u64 	%r11, %rd14;
	cvt.u32.u64 	%r12, %rd1;
	xor.b32  	%r2, %r12, %r11;
	setp.gt.s64 	%p1, %rd14, -1;
	@%p1 bra 	$L__BB9_2;
	bra.uni 	$L__BB9_1;
$L__BB9_2:
	and.b32  	%r20, %r2, 524286;
	or.b32  	%r21, %r20, 2146959361;
	bra.uni 	$L__BB9_3;
$L__BB9_1:
	mul.wide.u32 	%rd15, %r12, -1431655765;
	shr.u64 	%rd16, %rd15, 34;
	cvt.u32.u64 	%r14, %rd16;
	mul.lo.s32 	%r15, %r14, 6;
	sub.s32 	%r16, %r12, %r15;
	shl.b32 	%r17, %r16, 23;
	add.s32 	%r18, %r17, 1048576000;
	and.b32  	%r19, %r2, -2139095041;
	or.b32  	%r21, %r18, %r19;
$L__BB9_3:
	setp.ge.u32 	%p2, %r22, %r9;
	@%p2 bra 	$L__BB9_6;
	mov.u32 	%r6, %ntid.x;
	mov.u64 	%rd18, shared;
$L__BB9_5:
	.pragma "nounroll";
	mul.wide.u32 	%rd17, %r22, 4;
	add.s64 	%rd19, %rd18, %rd17;
	st.volatile.shared.u32 	[%rd19], %r21;
	add.s32 	%r22, %r22, %r6;
	setp.lt.u32 	%p3, %r22, %r9;
	@%p3 bra 	$L__BB9_5;
$L__BB9_6:
	ret;
}
)ptx";

} // namespace sparserl::cuda
