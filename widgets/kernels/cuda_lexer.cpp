// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/cuda_lexer.h"

namespace sparserl {

CudaLexer::CudaLexer(QObject* parent)
    : QsciLexerCPP(parent)
{
    setFoldComments(false);
    setFoldPreprocessor(false);
}

const char* CudaLexer::keywords(int set) const
{
    if (set == 2)
        return "__global__ __device__ __host__ __shared__ __constant__ __restrict__ __launch_bounds__ "
               "__forceinline__ "
               "__noinline__ threadIdx blockIdx blockDim gridDim warpSize dim3 float2 float4 int2 int4 uint2 "
               "uint4 "
               "double2 __syncthreads __syncwarp __threadfence __threadfence_block __shfl_sync "
               "__shfl_up_sync "
               "__shfl_down_sync __shfl_xor_sync __ballot_sync __all_sync __any_sync __activemask "
               "__match_any_sync "
               "__reduce_add_sync __ldg __ldcs __ldcg __stcs __stcg atomicAdd atomicMax atomicMin atomicCAS "
               "atomicExch "
               "atomicInc __popc __ffs __clz __fmaf_rn fmaf __int_as_float __float_as_int __half2float";
    return QsciLexerCPP::keywords(set);
}

void CudaLexer::applyTheme(const Theme& theme, const QFont& font)
{
    const QColor keyword = theme.dark ? QColor(0x8a, 0xb8, 0xff) : QColor(0x1f, 0x4f, 0xb0);
    const QColor cuda = theme.dark ? QColor(0xd9, 0x9b, 0xea) : QColor(0x86, 0x2b, 0x9d);
    const QColor number = theme.dark ? QColor(0xf0, 0xb2, 0x78) : QColor(0xa3, 0x52, 0x05);
    const QColor string = theme.dark ? QColor(0x8f, 0xd1, 0x8f) : QColor(0x1d, 0x73, 0x3d);
    const QColor comment = theme.dark ? QColor(0x83, 0x92, 0xa4) : QColor(0x6a, 0x76, 0x85);
    const QColor plan = theme.dark ? QColor(0x5f, 0xcd, 0xc4) : QColor(0x0c, 0x70, 0x74);
    setDefaultFont(font);
    setDefaultPaper(theme.base);
    setDefaultColor(theme.text);
    for (int style = 0; style < 128; ++style) {
        setPaper(theme.base, style);
        setColor(theme.text, style);
        setFont(font, style);
        setEolFill(false, style);
    }
    for (const int style : {Comment, CommentLine, CommentDoc})
        setColor(comment, style);
    // "//!" is the lexer's doc comment: a plan line here.
    setColor(plan, CommentLineDoc);
    for (const int style : {Keyword, PreProcessor})
        setColor(keyword, style);
    setColor(cuda, KeywordSet2);
    setColor(number, Number);
    for (const int style : {DoubleQuotedString, SingleQuotedString, RawString, UnclosedString})
        setColor(string, style);
    QFont bold = font;
    bold.setWeight(QFont::DemiBold);
    setFont(bold, Keyword);
    setFont(bold, KeywordSet2);
}

} // namespace sparserl
