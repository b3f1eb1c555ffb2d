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
	.param .u32 sparserl_signs_param_3
)
{
	.reg .pred 	%p<8>;
	.reg .b32 	%r<22>;
	.reg .b64 	%rd<61>;
	ld.param.u64 	%rd17, [sparserl_signs_param_0];
	ld.param.u64 	%rd16, [sparserl_signs_param_1];
	ld.param.u32 	%r3, [sparserl_signs_param_2];
	ld.param.u32 	%r4, [sparserl_signs_param_3];
	cvta.to.global.u64 	%rd18, %rd17;
	mov.u32 	%r5, %ctaid.y;
	cvt.u64.u32 	%rd1, %r5;
	mul.wide.u32 	%rd19, %r5, 16;
	add.s64 	%rd20, %rd18, %rd19;
	ld.global.u64 	%rd21, [%rd20];
	cvta.to.global.u64 	%rd2, %rd21;
	mov.u32 	%r6, %nctaid.x;
	mov.u32 	%r7, %ntid.x;
	mul.wide.u32 	%rd3, %r6, %r7;
	mov.u32 	%r8, %ctaid.x;
	mul.wide.u32 	%rd22, %r8, %r7;
	mov.u32 	%r9, %tid.x;
	cvt.u64.u32 	%rd23, %r9;
	add.s64 	%rd58, %rd22, %rd23;
	ld.global.u64 	%rd5, [%rd20+8];
	setp.ge.u64 	%p1, %rd58, %rd5;
	@%p1 bra 	$L__BB8_9;
	setp.eq.s32 	%p2, %r3, 0;
	shl.b64 	%rd24, %rd1, 52;
	xor.b64  	%rd6, %rd24, %rd16;
	mul.wide.u32 	%rd25, %r4, 1048576;
	xor.b64  	%rd26, %rd6, %rd25;
	add.s64 	%rd7, %rd26, -7046029254386353131;
	@%p2 bra 	$L__BB8_6;
	mul.wide.u32 	%rd27, %r3, 1048576;
	xor.b64  	%rd28, %rd6, %rd27;
	add.s64 	%rd8, %rd28, -7046029254386353131;
$L__BB8_3:
	.pragma "nounroll";
	mul.lo.s64 	%rd10, %rd58, -7046029254386353131;
	setp.eq.s32 	%p3, %r4, 0;
	mov.u32 	%r21, 0;
	@%p3 bra 	$L__BB8_5;
	add.s64 	%rd29, %rd7, %rd10;
	shr.u64 	%rd30, %rd29, 32;
	xor.b64  	%rd31, %rd30, %rd29;
	mul.lo.s64 	%rd32, %rd31, -2960836687051489901;
	shr.u64 	%rd33, %rd32, 32;
	xor.b64  	%rd34, %rd33, %rd32;
	mul.lo.s64 	%rd35, %rd34, -2960836687051489901;
	shr.u64 	%rd36, %rd35, 32;
	cvt.u32.u64 	%r11, %rd36;
	and.b32  	%r21, %r11, -2147483648;
$L__BB8_5:
	add.s64 	%rd37, %rd8, %rd10;
	shr.u64 	%rd38, %rd37, 32;
	xor.b64  	%rd39, %rd38, %rd37;
	mul.lo.s64 	%rd40, %rd39, -2960836687051489901;
	shl.b64 	%rd41, %rd58, 2;
	add.s64 	%rd42, %rd2, %rd41;
	ld.global.u32 	%r12, [%rd42];
	shr.u64 	%rd43, %rd40, 32;
	xor.b64  	%rd44, %rd43, %rd40;
	mul.lo.s64 	%rd45, %rd44, -2960836687051489901;
	shr.u64 	%rd46, %rd45, 32;
	cvt.u32.u64 	%r13, %rd46;
	and.b32  	%r14, %r13, -2147483648;
	xor.b32  	%r15, %r21, %r14;
	xor.b32  	%r16, %r15, %r12;
	st.global.u32 	[%rd42], %r16;
	add.s64 	%rd58, %rd58, %rd3;
	setp.lt.u64 	%p4, %rd58, %rd5;
	@%p4 bra 	$L__BB8_3;
	bra.uni 	$L__BB8_9;
$L__BB8_6:
	setp.eq.s32 	%p5, %r4, 0;
	@%p5 bra 	$L__BB8_8;
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
	cvt.u32.u64 	%r17, %rd55;
	and.b32  	%r18, %r17, -2147483648;
	shl.b64 	%rd56, %rd58, 2;
	add.s64 	%rd57, %rd2, %rd56;
	ld.global.u32 	%r19, [%rd57];
	xor.b32  	%r20, %r18, %r19;
	st.global.u32 	[%rd57], %r20;
	add.s64 	%rd58, %rd58, %rd3;
	setp.lt.u64 	%p6, %rd58, %rd5;
	@%p6 bra 	$L__BB8_7;
	bra.uni 	$L__BB8_9;
$L__BB8_8:
	.pragma "nounroll";
	add.s64 	%rd58, %rd58, %rd3;
	setp.lt.u64 	%p7, %rd58, %rd5;
	@%p7 bra 	$L__BB8_8;
$L__BB8_9:
	ret;
}
.visible .entry sparserl_compare(
	.param .u64 sparserl_compare_param_0,
	.param .u64 sparserl_compare_param_1,
	.param .u64 sparserl_compare_param_2,
	.param .u64 sparserl_compare_param_3,
	.param .u64 sparserl_compare_param_4,
	.param .u32 sparserl_compare_param_5,
	.param .u32 sparserl_compare_param_6
)
{
	.reg .pred 	%p<118>;
	.reg .f32 	%f<40>;
	.reg .b32 	%r<349>;
	.reg .f64 	%fd<214>;
	.reg .b64 	%rd<352>;
	ld.param.u64 	%rd85, [sparserl_compare_param_0];
	ld.param.u64 	%rd86, [sparserl_compare_param_1];
	ld.param.u64 	%rd82, [sparserl_compare_param_2];
	ld.param.u32 	%r105, [sparserl_compare_param_5];
	ld.param.u32 	%r106, [sparserl_compare_param_6];
	mov.u32 	%r107, %ctaid.y;
	cvt.u64.u32 	%rd1, %r107;
	cvta.to.global.u64 	%rd87, %rd86;
	mul.wide.u32 	%rd88, %r107, 16;
	add.s64 	%rd89, %rd87, %rd88;
	ld.global.u64 	%rd2, [%rd89];
	ld.global.v2.u32 	{%r108, %r109}, [%rd89+8];
	mov.u32 	%r3, %tid.x;
	and.b32  	%r4, %r3, 31;
	mov.u32 	%r110, %ntid.x;
	cvt.u64.u32 	%rd3, %r110;
	cvta.to.global.u64 	%rd90, %rd85;
	add.s64 	%rd4, %rd90, 96;
	ld.global.nc.v2.u32 	{%r111, %r112}, [%rd90+96];
	cvt.s64.s32 	%rd5, %r111;
	mul.wide.s32 	%rd340, %r112, %r111;
	setp.eq.s32 	%p4, %r107, %r106;
	mov.pred 	%p117, -1;
	@%p4 bra 	$L__BB9_2;
	ld.global.nc.u32 	%r113, [%rd4+12];
	cvt.u64.u32 	%rd91, %r113;
	setp.gt.u64 	%p5, %rd340, %rd91;
	setp.le.u64 	%p117, %rd340, %rd91;
	selp.b64 	%rd340, %rd91, %rd340, %p5;
$L__BB9_2:
	mov.u64 	%rd350, 0;
	ld.global.nc.u64 	%rd9, [%rd4+-88];
	ld.global.nc.u64 	%rd93, [%rd4+-40];
	cvt.u64.u32 	%rd10, %r108;
	mul.lo.s64 	%rd94, %rd93, %rd10;
	cvt.u64.u32 	%rd11, %r109;
	add.s64 	%rd12, %rd94, %rd11;
	ld.global.nc.u32 	%r114, [%rd4+8];
	setp.ge.u32 	%p6, %r108, %r114;
	mov.u64 	%rd341, %rd350;
	@%p6 bra 	$L__BB9_4;
	ld.global.nc.u64 	%rd95, [%rd4+-96];
	shl.b64 	%rd96, %rd10, 4;
	add.s64 	%rd97, %rd95, %rd96;
	ld.u64 	%rd98, [%rd97];
	shl.b64 	%rd99, %rd11, 2;
	add.s64 	%rd341, %rd98, %rd99;
$L__BB9_4:
	mov.u32 	%r115, %ctaid.x;
	cvt.u64.u32 	%rd101, %r115;
	mul.lo.s64 	%rd102, %rd101, %rd3;
	cvt.u64.u32 	%rd103, %r3;
	add.s64 	%rd104, %rd102, %rd103;
	shr.u64 	%rd342, %rd104, 5;
	setp.ge.u64 	%p7, %rd342, %rd340;
	mov.f32 	%f38, 0f00000000;
	@%p7 bra 	$L__BB9_77;
	shl.b64 	%rd106, %rd1, 48;
	xor.b64  	%rd107, %rd106, %rd82;
	add.s64 	%rd16, %rd107, -7046029254386353131;
	cvt.u64.u32 	%rd17, %r112;
	mul.wide.u32 	%rd108, %r105, 1048576;
	shl.b64 	%rd109, %rd10, 52;
	or.b64  	%rd18, %rd109, %rd108;
	mov.u32 	%r116, %nctaid.x;
	cvt.u64.u32 	%rd110, %r116;
	mul.lo.s64 	%rd111, %rd110, %rd3;
	shr.u64 	%rd19, %rd111, 5;
	mov.u64 	%rd350, 0;
	mov.f32 	%f38, 0f00000000;
	shl.b64 	%rd124, %rd5, 2;
$L__BB9_6:
	.pragma "nounroll";
	mul.lo.s64 	%rd22, %rd342, -7046029254386353131;
	add.s64 	%rd112, %rd16, %rd22;
	shr.u64 	%rd113, %rd112, 32;
	xor.b64  	%rd114, %rd113, %rd112;
	mul.lo.s64 	%rd115, %rd114, -2960836687051489901;
	shr.u64 	%rd116, %rd115, 32;
	xor.b64  	%rd117, %rd116, %rd115;
	mul.lo.s64 	%rd23, %rd117, -2960836687051489901;
	shr.u64 	%rd118, %rd23, 32;
	xor.b64  	%rd24, %rd118, %rd23;
	and.b64  	%rd119, %rd342, -4294967296;
	setp.eq.s64 	%p8, %rd119, 0;
	@%p8 bra 	$L__BB9_8;
	div.u64 	%rd348, %rd342, %rd17;
	mul.lo.s64 	%rd120, %rd348, %rd17;
	sub.s64 	%rd349, %rd342, %rd120;
	bra.uni 	$L__BB9_9;
$L__BB9_8:
	cvt.u32.u64 	%r117, %rd17;
	cvt.u32.u64 	%r118, %rd342;
	div.u32 	%r119, %r118, %r117;
	mul.lo.s32 	%r120, %r119, %r117;
	sub.s32 	%r121, %r118, %r120;
	cvt.u64.u32 	%rd348, %r119;
	cvt.u64.u32 	%rd349, %r121;
$L__BB9_9:
	@%p117 bra 	$L__BB9_22;
	shr.u64 	%rd31, %rd24, 1;
	cvt.u64.u32 	%rd32, %r111;
	and.b64  	%rd121, %rd31, 9223372032559808512;
	setp.eq.s64 	%p9, %rd121, 0;
	@%p9 bra 	$L__BB9_12;
	rem.u64 	%rd348, %rd31, %rd32;
	bra.uni 	$L__BB9_13;
$L__BB9_12:
	cvt.u32.u64 	%r122, %rd32;
	cvt.u32.u64 	%r123, %rd31;
	rem.u32 	%r124, %r123, %r122;
	cvt.u64.u32 	%rd348, %r124;
$L__BB9_13:
	shr.u64 	%rd122, %rd23, 40;
	cvt.u32.u64 	%r125, %rd122;
	rem.u32 	%r126, %r125, %r112;
	cvt.u64.u32 	%rd349, %r126;
	and.b64  	%rd123, %rd24, 1;
	setp.eq.b64 	%p10, %rd123, 1;
	mov.pred 	%p11, 0;
	xor.pred  	%p12, %p10, %p11;
	not.pred 	%p13, %p12;
	@%p13 bra 	$L__BB9_22;
	ld.global.nc.u64 	%rd37, [%rd4+-80];
	add.s64 	%rd125, %rd37, %rd124;
	ld.u32 	%r127, [%rd125];
	cvt.u64.u32 	%rd38, %r127;
	setp.lt.s32 	%p14, %r127, 1;
	@%p14 bra 	$L__BB9_22;
	@%p9 bra 	$L__BB9_17;
	rem.u64 	%rd347, %rd31, %rd38;
	bra.uni 	$L__BB9_18;
$L__BB9_17:
	cvt.u32.u64 	%r128, %rd38;
	cvt.u32.u64 	%r129, %rd31;
	rem.u32 	%r130, %r129, %r128;
	cvt.u64.u32 	%rd347, %r130;
$L__BB9_18:
	setp.lt.s32 	%p16, %r111, 2;
	mov.u32 	%r314, 0;
	@%p16 bra 	$L__BB9_21;
	cvt.u32.u64 	%r8, %rd347;
	mov.u32 	%r314, 0;
	mov.u32 	%r312, %r111;
$L__BB9_20:
	.pragma "nounroll";
	sub.s32 	%r133, %r312, %r314;
	shr.u32 	%r134, %r133, 31;
	add.s32 	%r135, %r133, %r134;
	shr.s32 	%r136, %r135, 1;
	add.s32 	%r137, %r136, %r314;
	mul.wide.s32 	%rd127, %r137, 4;
	add.s64 	%rd128, %rd37, %rd127;
	ld.u32 	%r138, [%rd128];
	setp.le.s32 	%p17, %r138, %r8;
	selp.b32 	%r314, %r137, %r314, %p17;
	selp.b32 	%r312, %r312, %r137, %p17;
	add.s32 	%r139, %r314, 1;
	setp.lt.s32 	%p18, %r139, %r312;
	@%p18 bra 	$L__BB9_20;
$L__BB9_21:
	cvt.s64.s32 	%rd348, %r314;
$L__BB9_22:
	ld.global.nc.u64 	%rd129, [%rd4+-80];
	shl.b64 	%rd130, %rd348, 2;
	add.s64 	%rd131, %rd129, %rd130;
	ld.u32 	%r14, [%rd131];
	ld.u32 	%r15, [%rd131+4];
	@%p117 bra 	$L__BB9_26;
	sub.s32 	%r16, %r15, %r14;
	ld.global.nc.u32 	%r17, [%rd4+16];
	setp.le.u32 	%p19, %r16, %r17;
	@%p19 bra 	$L__BB9_26;
	add.s64 	%rd132, %rd22, %rd24;
	add.s64 	%rd133, %rd132, -7046029254386353131;
	shr.u64 	%rd134, %rd133, 32;
	xor.b64  	%rd135, %rd134, %rd133;
	mul.lo.s64 	%rd136, %rd135, -2960836687051489901;
	shr.u64 	%rd137, %rd136, 32;
	xor.b64  	%rd138, %rd137, %rd136;
	mul.lo.s64 	%rd139, %rd138, -2960836687051489901;
	shr.u64 	%rd140, %rd139, 32;
	cvt.u32.u64 	%r140, %rd140;
	rem.u32 	%r141, %r140, %r16;
	setp.lt.u32 	%p20, %r141, %r17;
	@%p20 bra 	$L__BB9_26;
	bra.uni 	$L__BB9_25;
$L__BB9_26:
	add.s32 	%r341, %r14, %r4;
	setp.ge.s32 	%p21, %r341, %r15;
	mov.u32 	%r319, 0;
	mov.f64 	%fd211, 0d0000000000000000;
	mov.f64 	%fd212, %fd211;
	mov.f64 	%fd213, %fd211;
	mov.u32 	%r348, %r319;
	@%p21 bra 	$L__BB9_70;
	not.b32 	%r311, %r4;
	ld.param.u32 	%r310, [sparserl_compare_param_5];
	setp.eq.s32 	%p22, %r310, 0;
	ld.global.nc.u64 	%rd46, [%rd4+-72];
	ld.global.nc.u64 	%rd47, [%rd4+-64];
	add.s32 	%r144, %r15, %r311;
	sub.s32 	%r19, %r144, %r14;
	shr.u32 	%r145, %r19, 5;
	add.s32 	%r20, %r145, 1;
	and.b32  	%r21, %r20, 3;
	@%p22 bra 	$L__BB9_49;
	setp.lt.u32 	%p23, %r19, 96;
	mov.f64 	%fd213, 0d0000000000000000;
	mov.u32 	%r348, 0;
	mov.u32 	%r319, %r348;
	mov.f64 	%fd212, %fd213;
	mov.f64 	%fd211, %fd213;
	@%p23 bra 	$L__BB9_39;
	sub.s32 	%r318, %r20, %r21;
	ld.global.nc.u64 	%rd141, [%rd4+-32];
	xor.b64  	%rd48, %rd18, %rd141;
	mov.f64 	%fd213, 0d0000000000000000;
	mov.u32 	%r348, 0;
$L__BB9_30:
	.pragma "nounroll";
	mul.wide.s32 	%rd142, %r341, 4;
	add.s64 	%rd50, %rd46, %rd142;
	ld.u32 	%rd143, [%rd50];
	mul.lo.s64 	%rd144, %rd17, %rd143;
	add.s64 	%rd51, %rd144, %rd349;
	add.s64 	%rd145, %rd12, %rd51;
	shl.b64 	%rd146, %rd145, 2;
	add.s64 	%rd147, %rd9, %rd146;
	add.s64 	%rd148, %rd51, %rd11;
	mul.lo.s64 	%rd149, %rd148, -7046029254386353131;
	add.s64 	%rd150, %rd149, %rd48;
	add.s64 	%rd151, %rd150, -7046029254386353131;
	shr.u64 	%rd152, %rd151, 32;
	xor.b64  	%rd153, %rd152, %rd151;
	mul.lo.s64 	%rd154, %rd153, -2960836687051489901;
	shr.u64 	%rd155, %rd154, 32;
	xor.b64  	%rd156, %rd155, %rd154;
	mul.lo.s64 	%rd157, %rd156, -2960836687051489901;
	shr.u64 	%rd158, %rd157, 32;
	cvt.u32.u64 	%r151, %rd158;
	and.b32  	%r152, %r151, -2147483648;
	ld.u32 	%r153, [%rd147];
	xor.b32  	%r27, %r152, %r153;
	setp.eq.s64 	%p24, %rd341, 0;
	@%p24 bra 	$L__BB9_32;
	shl.b64 	%rd159, %rd51, 2;
	add.s64 	%rd160, %rd341, %rd159;
	ld.u32 	%r154, [%rd160];
	xor.b32  	%r155, %r154, %r27;
	or.b32  	%r319, %r155, %r319;
$L__BB9_32:
	cvt.s64.s32 	%rd336, %r341;
	shl.b64 	%rd161, %rd336, 2;
	add.s64 	%rd52, %rd47, %rd161;
	ld.f32 	%f7, [%rd52];
	cvt.f64.f32 	%fd80, %f7;
	mov.b32 	%f8, %r27;
	cvt.f64.f32 	%fd81, %f8;
	mul.f64 	%fd82, %fd81, %fd80;
	add.f64 	%fd4, %fd211, %fd82;
	fma.rn.f64 	%fd5, %fd82, %fd82, %fd212;
	abs.f64 	%fd83, %fd82;
	add.f64 	%fd6, %fd213, %fd83;
	setp.neu.f64 	%p25, %fd82, 0d0000000000000000;
	selp.u32 	%r156, 1, 0, %p25;
	add.s32 	%r30, %r348, %r156;
	ld.u32 	%rd162, [%rd50+128];
	mul.lo.s64 	%rd163, %rd17, %rd162;
	add.s64 	%rd53, %rd163, %rd349;
	add.s64 	%rd164, %rd12, %rd53;
	shl.b64 	%rd165, %rd164, 2;
	add.s64 	%rd166, %rd9, %rd165;
	add.s64 	%rd167, %rd53, %rd11;
	mul.lo.s64 	%rd168, %rd167, -7046029254386353131;
	add.s64 	%rd169, %rd168, %rd48;
	add.s64 	%rd170, %rd169, -7046029254386353131;
	shr.u64 	%rd171, %rd170, 32;
	xor.b64  	%rd172, %rd171, %rd170;
	mul.lo.s64 	%rd173, %rd172, -2960836687051489901;
	shr.u64 	%rd174, %rd173, 32;
	xor.b64  	%rd175, %rd174, %rd173;
	mul.lo.s64 	%rd176, %rd175, -2960836687051489901;
	shr.u64 	%rd177, %rd176, 32;
	cvt.u32.u64 	%r157, %rd177;
	and.b32  	%r158, %r157, -2147483648;
	ld.u32 	%r159, [%rd166];
	xor.b32  	%r31, %r158, %r159;
	@%p24 bra 	$L__BB9_34;
	shl.b64 	%rd178, %rd53, 2;
	add.s64 	%rd179, %rd341, %rd178;
	ld.u32 	%r160, [%rd179];
	xor.b32  	%r161, %r160, %r31;
	or.b32  	%r319, %r161, %r319;
$L__BB9_34:
	ld.f32 	%f9, [%rd52+128];
	cvt.f64.f32 	%fd84, %f9;
	mov.b32 	%f10, %r31;
	cvt.f64.f32 	%fd85, %f10;
	mul.f64 	%fd86, %fd85, %fd84;
	add.f64 	%fd7, %fd4, %fd86;
	fma.rn.f64 	%fd8, %fd86, %fd86, %fd5;
	abs.f64 	%fd87, %fd86;
	add.f64 	%fd9, %fd6, %fd87;
	setp.neu.f64 	%p27, %fd86, 0d0000000000000000;
	selp.u32 	%r162, 1, 0, %p27;
	add.s32 	%r34, %r30, %r162;
	ld.u32 	%rd180, [%rd50+256];
	mul.lo.s64 	%rd181, %rd17, %rd180;
	add.s64 	%rd54, %rd181, %rd349;
	add.s64 	%rd182, %rd12, %rd54;
	shl.b64 	%rd183, %rd182, 2;
	add.s64 	%rd184, %rd9, %rd183;
	add.s64 	%rd185, %rd54, %rd11;
	mul.lo.s64 	%rd186, %rd185, -7046029254386353131;
	add.s64 	%rd187, %rd186, %rd48;
	add.s64 	%rd188, %rd187, -7046029254386353131;
	shr.u64 	%rd189, %rd188, 32;
	xor.b64  	%rd190, %rd189, %rd188;
	mul.lo.s64 	%rd191, %rd190, -2960836687051489901;
	shr.u64 	%rd192, %rd191, 32;
	xor.b64  	%rd193, %rd192, %rd191;
	mul.lo.s64 	%rd194, %rd193, -2960836687051489901;
	shr.u64 	%rd195, %rd194, 32;
	cvt.u32.u64 	%r163, %rd195;
	and.b32  	%r164, %r163, -2147483648;
	ld.u32 	%r165, [%rd184];
	xor.b32  	%r35, %r164, %r165;
	@%p24 bra 	$L__BB9_36;
	shl.b64 	%rd196, %rd54, 2;
	add.s64 	%rd197, %rd341, %rd196;
	ld.u32 	%r166, [%rd197];
	xor.b32  	%r167, %r166, %r35;
	or.b32  	%r319, %r167, %r319;
$L__BB9_36:
	ld.f32 	%f11, [%rd52+256];
	cvt.f64.f32 	%fd88, %f11;
	mov.b32 	%f12, %r35;
	cvt.f64.f32 	%fd89, %f12;
	mul.f64 	%fd90, %fd89, %fd88;
	add.f64 	%fd10, %fd7, %fd90;
	fma.rn.f64 	%fd11, %fd90, %fd90, %fd8;
	abs.f64 	%fd91, %fd90;
	add.f64 	%fd12, %fd9, %fd91;
	setp.neu.f64 	%p29, %fd90, 0d0000000000000000;
	selp.u32 	%r168, 1, 0, %p29;
	add.s32 	%r38, %r34, %r168;
	ld.u32 	%rd198, [%rd50+384];
	mul.lo.s64 	%rd199, %rd17, %rd198;
	add.s64 	%rd55, %rd199, %rd349;
	add.s64 	%rd200, %rd12, %rd55;
	shl.b64 	%rd201, %rd200, 2;
	add.s64 	%rd202, %rd9, %rd201;
	add.s64 	%rd203, %rd55, %rd11;
	mul.lo.s64 	%rd204, %rd203, -7046029254386353131;
	add.s64 	%rd205, %rd204, %rd48;
	add.s64 	%rd206, %rd205, -7046029254386353131;
	shr.u64 	%rd207, %rd206, 32;
	xor.b64  	%rd208, %rd207, %rd206;
	mul.lo.s64 	%rd209, %rd208, -2960836687051489901;
	shr.u64 	%rd210, %rd209, 32;
	xor.b64  	%rd211, %rd210, %rd209;
	mul.lo.s64 	%rd212, %rd211, -2960836687051489901;
	shr.u64 	%rd213, %rd212, 32;
	cvt.u32.u64 	%r169, %rd213;
	and.b32  	%r170, %r169, -2147483648;
	ld.u32 	%r171, [%rd202];
	xor.b32  	%r39, %r170, %r171;
	@%p24 bra 	$L__BB9_38;
	shl.b64 	%rd214, %rd55, 2;
	add.s64 	%rd215, %rd341, %rd214;
	ld.u32 	%r172, [%rd215];
	xor.b32  	%r173, %r172, %r39;
	or.b32  	%r319, %r173, %r319;
$L__BB9_38:
	cvt.s64.s32 	%rd337, %r341;
	ld.f32 	%f13, [%rd52+384];
	cvt.f64.f32 	%fd92, %f13;
	mov.b32 	%f14, %r39;
	cvt.f64.f32 	%fd93, %f14;
	mul.f64 	%fd94, %fd93, %fd92;
	add.f64 	%fd211, %fd10, %fd94;
	fma.rn.f64 	%fd212, %fd94, %fd94, %fd11;
	abs.f64 	%fd95, %fd94;
	add.f64 	%fd213, %fd12, %fd95;
	setp.neu.f64 	%p31, %fd94, 0d0000000000000000;
	selp.u32 	%r174, 1, 0, %p31;
	add.s32 	%r348, %r38, %r174;
	cvt.u32.u64 	%r175, %rd337;
	add.s32 	%r341, %r175, 128;
	add.s32 	%r318, %r318, -4;
	setp.ne.s32 	%p32, %r318, 0;
	@%p32 bra 	$L__BB9_30;
$L__BB9_39:
	setp.eq.s32 	%p33, %r21, 0;
	@%p33 bra 	$L__BB9_70;
	setp.eq.s64 	%p34, %rd341, 0;
	cvt.s64.s32 	%rd56, %r341;
	mul.wide.s32 	%rd216, %r341, 4;
	add.s64 	%rd57, %rd46, %rd216;
	ld.u32 	%rd217, [%rd57];
	mul.lo.s64 	%rd218, %rd17, %rd217;
	add.s64 	%rd58, %rd218, %rd349;
	add.s64 	%rd219, %rd12, %rd58;
	shl.b64 	%rd220, %rd219, 2;
	add.s64 	%rd221, %rd9, %rd220;
	add.s64 	%rd222, %rd58, %rd11;
	ld.global.nc.u64 	%rd223, [%rd4+-32];
	xor.b64  	%rd59, %rd18, %rd223;
	mul.lo.s64 	%rd224, %rd222, -7046029254386353131;
	add.s64 	%rd225, %rd224, %rd59;
	add.s64 	%rd226, %rd225, -7046029254386353131;
	shr.u64 	%rd227, %rd226, 32;
	xor.b64  	%rd228, %rd227, %rd226;
	mul.lo.s64 	%rd229, %rd228, -2960836687051489901;
	shr.u64 	%rd230, %rd229, 32;
	xor.b64  	%rd231, %rd230, %rd229;
	mul.lo.s64 	%rd232, %rd231, -2960836687051489901;
	shr.u64 	%rd233, %rd232, 32;
	cvt.u32.u64 	%r176, %rd233;
	and.b32  	%r177, %r176, -2147483648;
	ld.u32 	%r178, [%rd221];
	xor.b32  	%r50, %r177, %r178;
	@%p34 bra 	$L__BB9_42;
	shl.b64 	%rd234, %rd58, 2;
	add.s64 	%rd235, %rd341, %rd234;
	ld.u32 	%r179, [%rd235];
	xor.b32  	%r180, %r179, %r50;
	or.b32  	%r319, %r180, %r319;
$L__BB9_42:
	shl.b64 	%rd236, %rd56, 2;
	add.s64 	%rd60, %rd47, %rd236;
	ld.f32 	%f15, [%rd60];
	cvt.f64.f32 	%fd96, %f15;
	mov.b32 	%f16, %r50;
	cvt.f64.f32 	%fd97, %f16;
	mul.f64 	%fd98, %fd97, %fd96;
	add.f64 	%fd211, %fd211, %fd98;
	fma.rn.f64 	%fd212, %fd98, %fd98, %fd212;
	abs.f64 	%fd99, %fd98;
	add.f64 	%fd213, %fd213, %fd99;
	setp.neu.f64 	%p35, %fd98, 0d0000000000000000;
	selp.u32 	%r181, 1, 0, %p35;
	add.s32 	%r348, %r348, %r181;
	setp.eq.s32 	%p36, %r21, 1;
	@%p36 bra 	$L__BB9_70;
	setp.eq.s64 	%p115, %rd341, 0;
	ld.u32 	%rd237, [%rd57+128];
	mul.lo.s64 	%rd238, %rd17, %rd237;
	add.s64 	%rd61, %rd238, %rd349;
	add.s64 	%rd239, %rd12, %rd61;
	shl.b64 	%rd240, %rd239, 2;
	add.s64 	%rd241, %rd9, %rd240;
	add.s64 	%rd242, %rd61, %rd11;
	mul.lo.s64 	%rd243, %rd242, -7046029254386353131;
	add.s64 	%rd244, %rd243, %rd59;
	add.s64 	%rd245, %rd244, -7046029254386353131;
	shr.u64 	%rd246, %rd245, 32;
	xor.b64  	%rd247, %rd246, %rd245;
	mul.lo.s64 	%rd248, %rd247, -2960836687051489901;
	shr.u64 	%rd249, %rd248, 32;
	xor.b64  	%rd250, %rd249, %rd248;
	mul.lo.s64 	%rd251, %rd250, -2960836687051489901;
	shr.u64 	%rd252, %rd251, 32;
	cvt.u32.u64 	%r182, %rd252;
	and.b32  	%r183, %r182, -2147483648;
	ld.u32 	%r184, [%rd241];
	xor.b32  	%r54, %r183, %r184;
	@%p115 bra 	$L__BB9_45;
	shl.b64 	%rd253, %rd61, 2;
	add.s64 	%rd254, %rd341, %rd253;
	ld.u32 	%r185, [%rd254];
	xor.b32  	%r186, %r185, %r54;
	or.b32  	%r319, %r186, %r319;
$L__BB9_45:
	ld.f32 	%f17, [%rd60+128];
	cvt.f64.f32 	%fd100, %f17;
	mov.b32 	%f18, %r54;
	cvt.f64.f32 	%fd101, %f18;
	mul.f64 	%fd102, %fd101, %fd100;
	add.f64 	%fd211, %fd211, %fd102;
	fma.rn.f64 	%fd212, %fd102, %fd102, %fd212;
	abs.f64 	%fd103, %fd102;
	add.f64 	%fd213, %fd213, %fd103;
	setp.neu.f64 	%p38, %fd102, 0d0000000000000000;
	selp.u32 	%r187, 1, 0, %p38;
	add.s32 	%r348, %r348, %r187;
	setp.eq.s32 	%p39, %r21, 2;
	@%p39 bra 	$L__BB9_70;
	setp.eq.s64 	%p116, %rd341, 0;
	ld.u32 	%rd255, [%rd57+256];
	mul.lo.s64 	%rd256, %rd17, %rd255;
	add.s64 	%rd62, %rd256, %rd349;
	add.s64 	%rd257, %rd12, %rd62;
	shl.b64 	%rd258, %rd257, 2;
	add.s64 	%rd259, %rd9, %rd258;
	add.s64 	%rd260, %rd62, %rd11;
	mul.lo.s64 	%rd261, %rd260, -7046029254386353131;
	add.s64 	%rd262, %rd261, %rd59;
	add.s64 	%rd263, %rd262, -7046029254386353131;
	shr.u64 	%rd264, %rd263, 32;
	xor.b64  	%rd265, %rd264, %rd263;
	mul.lo.s64 	%rd266, %rd265, -2960836687051489901;
	shr.u64 	%rd267, %rd266, 32;
	xor.b64  	%rd268, %rd267, %rd266;
	mul.lo.s64 	%rd269, %rd268, -2960836687051489901;
	shr.u64 	%rd270, %rd269, 32;
	cvt.u32.u64 	%r188, %rd270;
	and.b32  	%r189, %r188, -2147483648;
	ld.u32 	%r190, [%rd259];
	xor.b32  	%r58, %r189, %r190;
	@%p116 bra 	$L__BB9_48;
	shl.b64 	%rd271, %rd62, 2;
	add.s64 	%rd272, %rd341, %rd271;
	ld.u32 	%r191, [%rd272];
	xor.b32  	%r192, %r191, %r58;
	or.b32  	%r319, %r192, %r319;
$L__BB9_48:
	ld.f32 	%f19, [%rd60+256];
	cvt.f64.f32 	%fd104, %f19;
	mov.b32 	%f20, %r58;
	cvt.f64.f32 	%fd105, %f20;
	mul.f64 	%fd106, %fd105, %fd104;
	add.f64 	%fd211, %fd211, %fd106;
	fma.rn.f64 	%fd212, %fd106, %fd106, %fd212;
	abs.f64 	%fd107, %fd106;
	add.f64 	%fd213, %fd213, %fd107;
	setp.neu.f64 	%p41, %fd106, 0d0000000000000000;
	selp.u32 	%r193, 1, 0, %p41;
	add.s32 	%r348, %r348, %r193;
	bra.uni 	$L__BB9_70;
$L__BB9_49:
	setp.lt.u32 	%p42, %r19, 96;
	mov.f64 	%fd213, 0d0000000000000000;
	mov.u32 	%r348, 0;
	mov.u32 	%r319, %r348;
	mov.f64 	%fd212, %fd213;
	mov.f64 	%fd211, %fd213;
	@%p42 bra 	$L__BB9_60;
	sub.s32 	%r334, %r20, %r21;
	mov.f64 	%fd213, 0d0000000000000000;
	mov.u32 	%r348, 0;
$L__BB9_51:
	.pragma "nounroll";
	mul.wide.s32 	%rd273, %r341, 4;
	add.s64 	%rd64, %rd46, %rd273;
	ld.u32 	%rd274, [%rd64];
	mul.lo.s64 	%rd275, %rd17, %rd274;
	add.s64 	%rd65, %rd275, %rd349;
	add.s64 	%rd276, %rd12, %rd65;
	shl.b64 	%rd277, %rd276, 2;
	add.s64 	%rd278, %rd9, %rd277;
	ld.u32 	%r67, [%rd278];
	setp.eq.s64 	%p43, %rd341, 0;
	@%p43 bra 	$L__BB9_53;
	shl.b64 	%rd279, %rd65, 2;
	add.s64 	%rd280, %rd341, %rd279;
	ld.u32 	%r199, [%rd280];
	xor.b32  	%r200, %r199, %r67;
	or.b32  	%r319, %r200, %r319;
$L__BB9_53:
	cvt.s64.s32 	%rd338, %r341;
	shl.b64 	%rd281, %rd338, 2;
	add.s64 	%rd66, %rd47, %rd281;
	ld.f32 	%f21, [%rd66];
	cvt.f64.f32 	%fd115, %f21;
	mov.b32 	%f22, %r67;
	cvt.f64.f32 	%fd116, %f22;
	mul.f64 	%fd117, %fd116, %fd115;
	add.f64 	%fd34, %fd211, %fd117;
	fma.rn.f64 	%fd35, %fd117, %fd117, %fd212;
	abs.f64 	%fd118, %fd117;
	add.f64 	%fd36, %fd213, %fd118;
	setp.neu.f64 	%p44, %fd117, 0d0000000000000000;
	selp.u32 	%r201, 1, 0, %p44;
	add.s32 	%r70, %r348, %r201;
	ld.u32 	%rd282, [%rd64+128];
	mul.lo.s64 	%rd283, %rd17, %rd282;
	add.s64 	%rd67, %rd283, %rd349;
	add.s64 	%rd284, %rd12, %rd67;
	shl.b64 	%rd285, %rd284, 2;
	add.s64 	%rd286, %rd9, %rd285;
	ld.u32 	%r71, [%rd286];
	@%p43 bra 	$L__BB9_55;
	shl.b64 	%rd287, %rd67, 2;
	add.s64 	%rd288, %rd341, %rd287;
	ld.u32 	%r202, [%rd288];
	xor.b32  	%r203, %r202, %r71;
	or.b32  	%r319, %r203, %r319;
$L__BB9_55:
	ld.f32 	%f23, [%rd66+128];
	cvt.f64.f32 	%fd119, %f23;
	mov.b32 	%f24, %r71;
	cvt.f64.f32 	%fd120, %f24;
	mul.f64 	%fd121, %fd120, %fd119;
	add.f64 	%fd37, %fd34, %fd121;
	fma.rn.f64 	%fd38, %fd121, %fd121, %fd35;
	abs.f64 	%fd122, %fd121;
	add.f64 	%fd39, %fd36, %fd122;
	setp.neu.f64 	%p46, %fd121, 0d0000000000000000;
	selp.u32 	%r204, 1, 0, %p46;
	add.s32 	%r74, %r70, %r204;
	ld.u32 	%rd289, [%rd64+256];
	mul.lo.s64 	%rd290, %rd17, %rd289;
	add.s64 	%rd68, %rd290, %rd349;
	add.s64 	%rd291, %rd12, %rd68;
	shl.b64 	%rd292, %rd291, 2;
	add.s64 	%rd293, %rd9, %rd292;
	ld.u32 	%r75, [%rd293];
	@%p43 bra 	$L__BB9_57;
	shl.b64 	%rd294, %rd68, 2;
	add.s64 	%rd295, %rd341, %rd294;
	ld.u32 	%r205, [%rd295];
	xor.b32  	%r206, %r205, %r75;
	or.b32  	%r319, %r206, %r319;
$L__BB9_57:
	ld.f32 	%f25, [%rd66+256];
	cvt.f64.f32 	%fd123, %f25;
	mov.b32 	%f26, %r75;
	cvt.f64.f32 	%fd124, %f26;
	mul.f64 	%fd125, %fd124, %fd123;
	add.f64 	%fd40, %fd37, %fd125;
	fma.rn.f64 	%fd41, %fd125, %fd125, %fd38;
	abs.f64 	%fd126, %fd125;
	add.f64 	%fd42, %fd39, %fd126;
	setp.neu.f64 	%p48, %fd125, 0d0000000000000000;
	selp.u32 	%r207, 1, 0, %p48;
	add.s32 	%r78, %r74, %r207;
	ld.u32 	%rd296, [%rd64+384];
	mul.lo.s64 	%rd297, %rd17, %rd296;
	add.s64 	%rd69, %rd297, %rd349;
	add.s64 	%rd298, %rd12, %rd69;
	shl.b64 	%rd299, %rd298, 2;
	add.s64 	%rd300, %rd9, %rd299;
	ld.u32 	%r79, [%rd300];
	@%p43 bra 	$L__BB9_59;
	shl.b64 	%rd301, %rd69, 2;
	add.s64 	%rd302, %rd341, %rd301;
	ld.u32 	%r208, [%rd302];
	xor.b32  	%r209, %r208, %r79;
	or.b32  	%r319, %r209, %r319;
$L__BB9_59:
	cvt.s64.s32 	%rd339, %r341;
	ld.f32 	%f27, [%rd66+384];
	cvt.f64.f32 	%fd127, %f27;
	mov.b32 	%f28, %r79;
	cvt.f64.f32 	%fd128, %f28;
	mul.f64 	%fd129, %fd128, %fd127;
	add.f64 	%fd211, %fd40, %fd129;
	fma.rn.f64 	%fd212, %fd129, %fd129, %fd41;
	abs.f64 	%fd130, %fd129;
	add.f64 	%fd213, %fd42, %fd130;
	setp.neu.f64 	%p50, %fd129, 0d0000000000000000;
	selp.u32 	%r210, 1, 0, %p50;
	add.s32 	%r348, %r78, %r210;
	cvt.u32.u64 	%r211, %rd339;
	add.s32 	%r341, %r211, 128;
	add.s32 	%r334, %r334, -4;
	setp.ne.s32 	%p51, %r334, 0;
	@%p51 bra 	$L__BB9_51;
$L__BB9_60:
	setp.eq.s32 	%p52, %r21, 0;
	@%p52 bra 	$L__BB9_70;
	setp.eq.s64 	%p53, %rd341, 0;
	cvt.s64.s32 	%rd70, %r341;
	mul.wide.s32 	%rd303, %r341, 4;
	add.s64 	%rd71, %rd46, %rd303;
	ld.u32 	%rd304, [%rd71];
	mul.lo.s64 	%rd305, %rd17, %rd304;
	add.s64 	%rd72, %rd305, %rd349;
	add.s64 	%rd306, %rd12, %rd72;
	shl.b64 	%rd307, %rd306, 2;
	add.s64 	%rd308, %rd9, %rd307;
	ld.u32 	%r90, [%rd308];
	@%p53 bra 	$L__BB9_63;
	shl.b64 	%rd309, %rd72, 2;
	add.s64 	%rd310, %rd341, %rd309;
	ld.u32 	%r212, [%rd310];
	xor.b32  	%r213, %r212, %r90;
	or.b32  	%r319, %r213, %r319;
$L__BB9_63:
	shl.b64 	%rd311, %rd70, 2;
	add.s64 	%rd73, %rd47, %rd311;
	ld.f32 	%f29, [%rd73];
	cvt.f64.f32 	%fd131, %f29;
	mov.b32 	%f30, %r90;
	cvt.f64.f32 	%fd132, %f30;
	mul.f64 	%fd133, %fd132, %fd131;
	add.f64 	%fd211, %fd211, %fd133;
	fma.rn.f64 	%fd212, %fd133, %fd133, %fd212;
	abs.f64 	%fd134, %fd133;
	add.f64 	%fd213, %fd213, %fd134;
	setp.neu.f64 	%p54, %fd133, 0d0000000000000000;
	selp.u32 	%r214, 1, 0, %p54;
	add.s32 	%r348, %r348, %r214;
	setp.eq.s32 	%p55, %r21, 1;
	@%p55 bra 	$L__BB9_70;
	ld.u32 	%rd312, [%rd71+128];
	mul.lo.s64 	%rd313, %rd17, %rd312;
	add.s64 	%rd74, %rd313, %rd349;
	add.s64 	%rd314, %rd12, %rd74;
	shl.b64 	%rd315, %rd314, 2;
	add.s64 	%rd316, %rd9, %rd315;
	ld.u32 	%r94, [%rd316];
	@%p53 bra 	$L__BB9_66;
	shl.b64 	%rd317, %rd74, 2;
	add.s64 	%rd318, %rd341, %rd317;
	ld.u32 	%r215, [%rd318];
	xor.b32  	%r216, %r215, %r94;
	or.b32  	%r319, %r216, %r319;
$L__BB9_66:
	ld.f32 	%f31, [%rd73+128];
	cvt.f64.f32 	%fd135, %f31;
	mov.b32 	%f32, %r94;
	cvt.f64.f32 	%fd136, %f32;
	mul.f64 	%fd137, %fd136, %fd135;
	add.f64 	%fd211, %fd211, %fd137;
	fma.rn.f64 	%fd212, %fd137, %fd137, %fd212;
	abs.f64 	%fd138, %fd137;
	add.f64 	%fd213, %fd213, %fd138;
	setp.neu.f64 	%p57, %fd137, 0d0000000000000000;
	selp.u32 	%r217, 1, 0, %p57;
	add.s32 	%r348, %r348, %r217;
	setp.eq.s32 	%p58, %r21, 2;
	@%p58 bra 	$L__BB9_70;
	ld.u32 	%rd319, [%rd71+256];
	mul.lo.s64 	%rd320, %rd17, %rd319;
	add.s64 	%rd75, %rd320, %rd349;
	add.s64 	%rd321, %rd12, %rd75;
	shl.b64 	%rd322, %rd321, 2;
	add.s64 	%rd323, %rd9, %rd322;
	ld.u32 	%r98, [%rd323];
	@%p53 bra 	$L__BB9_69;
	shl.b64 	%rd324, %rd75, 2;
	add.s64 	%rd325, %rd341, %rd324;
	ld.u32 	%r218, [%rd325];
	xor.b32  	%r219, %r218, %r98;
	or.b32  	%r319, %r219, %r319;
$L__BB9_69:
	ld.f32 	%f33, [%rd73+256];
	cvt.f64.f32 	%fd139, %f33;
	mov.b32 	%f34, %r98;
	cvt.f64.f32 	%fd140, %f34;
	mul.f64 	%fd141, %fd140, %fd139;
	add.f64 	%fd211, %fd211, %fd141;
	fma.rn.f64 	%fd212, %fd141, %fd141, %fd212;
	abs.f64 	%fd142, %fd141;
	add.f64 	%fd213, %fd213, %fd142;
	setp.neu.f64 	%p60, %fd141, 0d0000000000000000;
	selp.u32 	%r220, 1, 0, %p60;
	add.s32 	%r348, %r348, %r220;
$L__BB9_70:
	mov.b64 {%r221,%r222}, %fd211;
	mov.u32 	%r281, 31;
	mov.u32 	%r282, 16;
	mov.u32 	%r283, -1;
	shfl.sync.bfly.b32 	%r224|%p61, %r222, %r282, %r281, %r283;
	shfl.sync.bfly.b32 	%r223|%p62, %r221, %r282, %r281, %r283;
	mov.b64 %fd144, {%r223,%r224};
	add.f64 	%fd149, %fd211, %fd144;
	mov.b64 {%r225,%r226}, %fd212;
	shfl.sync.bfly.b32 	%r228|%p63, %r226, %r282, %r281, %r283;
	shfl.sync.bfly.b32 	%r227|%p64, %r225, %r282, %r281, %r283;
	mov.b64 %fd146, {%r227,%r228};
	add.f64 	%fd151, %fd212, %fd146;
	mov.b64 {%r229,%r230}, %fd213;
	shfl.sync.bfly.b32 	%r232|%p65, %r230, %r282, %r281, %r283;
	shfl.sync.bfly.b32 	%r231|%p66, %r229, %r282, %r281, %r283;
	mov.b64 %fd148, {%r231,%r232};
	add.f64 	%fd153, %fd213, %fd148;
	shfl.sync.bfly.b32 	%r284|%p67, %r319, %r282, %r281, %r283;
	or.b32  	%r285, %r284, %r319;
	shfl.sync.bfly.b32 	%r286|%p68, %r348, %r282, %r281, %r283;
	add.s32 	%r287, %r286, %r348;
	mov.b64 {%r233,%r234}, %fd149;
	mov.u32 	%r288, 8;
	shfl.sync.bfly.b32 	%r236|%p69, %r234, %r288, %r281, %r283;
	shfl.sync.bfly.b32 	%r235|%p70, %r233, %r288, %r281, %r283;
	mov.b64 %fd150, {%r235,%r236};
	add.f64 	%fd155, %fd149, %fd150;
	mov.b64 {%r237,%r238}, %fd151;
	shfl.sync.bfly.b32 	%r240|%p71, %r238, %r288, %r281, %r283;
	shfl.sync.bfly.b32 	%r239|%p72, %r237, %r288, %r281, %r283;
	mov.b64 %fd152, {%r239,%r240};
	add.f64 	%fd157, %fd151, %fd152;
	mov.b64 {%r241,%r242}, %fd153;
	shfl.sync.bfly.b32 	%r244|%p73, %r242, %r288, %r281, %r283;
	shfl.sync.bfly.b32 	%r243|%p74, %r241, %r288, %r281, %r283;
	mov.b64 %fd154, {%r243,%r244};
	add.f64 	%fd159, %fd153, %fd154;
	shfl.sync.bfly.b32 	%r289|%p75, %r285, %r288, %r281, %r283;
	or.b32  	%r290, %r289, %r285;
	shfl.sync.bfly.b32 	%r291|%p76, %r287, %r288, %r281, %r283;
	add.s32 	%r292, %r291, %r287;
	mov.b64 {%r245,%r246}, %fd155;
	mov.u32 	%r293, 4;
	shfl.sync.bfly.b32 	%r248|%p77, %r246, %r293, %r281, %r283;
	shfl.sync.bfly.b32 	%r247|%p78, %r245, %r293, %r281, %r283;
	mov.b64 %fd156, {%r247,%r248};
	add.f64 	%fd161, %fd155, %fd156;
	mov.b64 {%r249,%r250}, %fd157;
	shfl.sync.bfly.b32 	%r252|%p79, %r250, %r293, %r281, %r283;
	shfl.sync.bfly.b32 	%r251|%p80, %r249, %r293, %r281, %r283;
	mov.b64 %fd158, {%r251,%r252};
	add.f64 	%fd163, %fd157, %fd158;
	mov.b64 {%r253,%r254}, %fd159;
	shfl.sync.bfly.b32 	%r256|%p81, %r254, %r293, %r281, %r283;
	shfl.sync.bfly.b32 	%r255|%p82, %r253, %r293, %r281, %r283;
	mov.b64 %fd160, {%r255,%r256};
	add.f64 	%fd165, %fd159, %fd160;
	shfl.sync.bfly.b32 	%r294|%p83, %r290, %r293, %r281, %r283;
	or.b32  	%r295, %r294, %r290;
	shfl.sync.bfly.b32 	%r296|%p84, %r292, %r293, %r281, %r283;
	add.s32 	%r297, %r296, %r292;
	mov.b64 {%r257,%r258}, %fd161;
	mov.u32 	%r298, 2;
	shfl.sync.bfly.b32 	%r260|%p85, %r258, %r298, %r281, %r283;
	shfl.sync.bfly.b32 	%r259|%p86, %r257, %r298, %r281, %r283;
	mov.b64 %fd162, {%r259,%r260};
	add.f64 	%fd167, %fd161, %fd162;
	mov.b64 {%r261,%r262}, %fd163;
	shfl.sync.bfly.b32 	%r264|%p87, %r262, %r298, %r281, %r283;
	shfl.sync.bfly.b32 	%r263|%p88, %r261, %r298, %r281, %r283;
	mov.b64 %fd164, {%r263,%r264};
	add.f64 	%fd169, %fd163, %fd164;
	mov.b64 {%r265,%r266}, %fd165;
	shfl.sync.bfly.b32 	%r268|%p89, %r266, %r298, %r281, %r283;
	shfl.sync.bfly.b32 	%r267|%p90, %r265, %r298, %r281, %r283;
	mov.b64 %fd166, {%r267,%r268};
	add.f64 	%fd171, %fd165, %fd166;
	shfl.sync.bfly.b32 	%r299|%p91, %r295, %r298, %r281, %r283;
	or.b32  	%r300, %r299, %r295;
	shfl.sync.bfly.b32 	%r301|%p92, %r297, %r298, %r281, %r283;
	add.s32 	%r302, %r301, %r297;
	mov.b64 {%r269,%r270}, %fd167;
	mov.u32 	%r303, 1;
	shfl.sync.bfly.b32 	%r272|%p93, %r270, %r303, %r281, %r283;
	shfl.sync.bfly.b32 	%r271|%p94, %r269, %r303, %r281, %r283;
	mov.b64 %fd168, {%r271,%r272};
	add.f64 	%fd64, %fd167, %fd168;
	mov.b64 {%r273,%r274}, %fd169;
	shfl.sync.bfly.b32 	%r276|%p95, %r274, %r303, %r281, %r283;
	shfl.sync.bfly.b32 	%r275|%p96, %r273, %r303, %r281, %r283;
	mov.b64 %fd170, {%r275,%r276};
	add.f64 	%fd173, %fd169, %fd170;
	mov.b64 {%r277,%r278}, %fd171;
	shfl.sync.bfly.b32 	%r280|%p97, %r278, %r303, %r281, %r283;
	shfl.sync.bfly.b32 	%r279|%p98, %r277, %r303, %r281, %r283;
	mov.b64 %fd172, {%r279,%r280};
	add.f64 	%fd65, %fd171, %fd172;
	shfl.sync.bfly.b32 	%r304|%p99, %r300, %r303, %r281, %r283;
	or.b32  	%r104, %r304, %r300;
	shfl.sync.bfly.b32 	%r305|%p100, %r302, %r303, %r281, %r283;
	add.s32 	%r306, %r305, %r302;
	mul.lo.s64 	%rd326, %rd348, %rd17;
	add.s64 	%rd76, %rd326, %rd349;
	shl.b64 	%rd327, %rd76, 2;
	add.s64 	%rd328, %rd2, %rd327;
	ld.f32 	%f35, [%rd328];
	cvt.f64.f32 	%fd66, %f35;
	sub.f64 	%fd174, %fd66, %fd64;
	abs.f64 	%fd67, %fd174;
	cvt.rn.f64.u32 	%fd175, %r306;
	add.f64 	%fd176, %fd175, 0d4010000000000000;
	ld.global.nc.f64 	%fd177, [%rd4+-24];
	mul.f64 	%fd178, %fd176, %fd177;
	mul.f64 	%fd179, %fd65, %fd178;
	mul.f64 	%fd180, %fd177, 0d4018000000000000;
	sqrt.rn.f64 	%fd181, %fd175;
	add.f64 	%fd182, %fd181, 0d4000000000000000;
	mul.f64 	%fd183, %fd180, %fd182;
	sqrt.rn.f64 	%fd184, %fd173;
	mul.f64 	%fd185, %fd184, %fd183;
	min.f64 	%fd186, %fd179, %fd185;
	ld.global.nc.f64 	%fd187, [%rd4+-16];
	fma.rn.f64 	%fd68, %fd187, %fd175, %fd186;
	ld.global.nc.f64 	%fd69, [%rd4+-8];
	setp.gt.f64 	%p101, %fd65, %fd69;
	setp.eq.s32 	%p102, %r104, 0;
	setp.le.f64 	%p103, %fd67, %fd68;
	or.pred  	%p104, %p101, %p103;
	and.pred  	%p105, %p102, %p104;
	@%p105 bra 	$L__BB9_74;
	bra.uni 	$L__BB9_71;
$L__BB9_74:
	add.s64 	%rd350, %rd350, 1;
	setp.leu.f64 	%p109, %fd68, 0d0000000000000000;
	or.pred  	%p110, %p109, %p101;
	@%p110 bra 	$L__BB9_76;
	cvt.f64.f32 	%fd192, %f35;
	sub.f64 	%fd191, %fd192, %fd64;
	abs.f64 	%fd190, %fd191;
	div.rn.f64 	%fd188, %fd190, %fd68;
	cvt.rn.f32.f64 	%f36, %fd188;
	max.f32 	%f38, %f38, %f36;
	bra.uni 	$L__BB9_76;
$L__BB9_71:
	setp.ne.s32 	%p106, %r4, 0;
	@%p106 bra 	$L__BB9_76;
	ld.global.nc.u64 	%rd77, [%rd4+-56];
	add.s64 	%rd329, %rd77, 32;
	atom.exch.b32 	%r307, [%rd329], 1;
	setp.ne.s32 	%p107, %r307, 0;
	@%p107 bra 	$L__BB9_76;
	cvt.f64.f32 	%fd189, %f35;
	st.u64 	[%rd77], %rd76;
	st.f64 	[%rd77+8], %fd64;
	st.f64 	[%rd77+16], %fd189;
	st.f64 	[%rd77+24], %fd68;
	st.u32 	[%rd77+36], %r104;
	bra.uni 	$L__BB9_76;
$L__BB9_25:
	add.s64 	%rd350, %rd350, 1;
$L__BB9_76:
	add.s64 	%rd342, %rd342, %rd19;
	setp.lt.u64 	%p111, %rd342, %rd340;
	@%p111 bra 	$L__BB9_6;
$L__BB9_77:
	setp.eq.s64 	%p112, %rd350, 0;
	setp.ne.s32 	%p113, %r4, 0;
	or.pred  	%p114, %p113, %p112;
	@%p114 bra 	$L__BB9_79;
	ld.param.u64 	%rd335, [sparserl_compare_param_4];
	ld.param.u64 	%rd334, [sparserl_compare_param_3];
	mul.lo.s64 	%rd330, %rd350, %rd334;
	cvta.to.global.u64 	%rd331, %rd335;
	atom.global.add.u64 	%rd332, [%rd331], %rd330;
	ld.global.nc.u64 	%rd333, [%rd4+-48];
	mov.b32 	%r308, %f38;
	atom.max.u32 	%r309, [%rd333], %r308;
$L__BB9_79:
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
	@%p1 bra 	$L__BB10_2;
	bra.uni 	$L__BB10_1;
$L__BB10_2:
	and.b32  	%r20, %r2, 524286;
	or.b32  	%r21, %r20, 2146959361;
	bra.uni 	$L__BB10_3;
$L__BB10_1:
	mul.wide.u32 	%rd15, %r12, -1431655765;
	shr.u64 	%rd16, %rd15, 34;
	cvt.u32.u64 	%r14, %rd16;
	mul.lo.s32 	%r15, %r14, 6;
	sub.s32 	%r16, %r12, %r15;
	shl.b32 	%r17, %r16, 23;
	add.s32 	%r18, %r17, 1048576000;
	and.b32  	%r19, %r2, -2139095041;
	or.b32  	%r21, %r18, %r19;
$L__BB10_3:
	setp.ge.u32 	%p2, %r22, %r9;
	@%p2 bra 	$L__BB10_6;
	mov.u32 	%r6, %ntid.x;
	mov.u64 	%rd18, shared;
$L__BB10_5:
	.pragma "nounroll";
	mul.wide.u32 	%rd17, %r22, 4;
	add.s64 	%rd19, %rd18, %rd17;
	st.volatile.shared.u32 	[%rd19], %r21;
	add.s32 	%r22, %r22, %r6;
	setp.lt.u32 	%p3, %r22, %r9;
	@%p3 bra 	$L__BB10_5;
$L__BB10_6:
	ret;
}
)ptx";

} // namespace sparserl::cuda
