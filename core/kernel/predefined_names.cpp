// SPDX-License-Identifier: Apache-2.0
// The rows are by tests/tools/predefined_names.py, which asks NVRTC 13.0 for every name in its libraries and
// headers.
#include "kernel/predefined_names.h"

#include <algorithm>
#include <array>
#include <vector>

namespace sparserl {

namespace {

struct Group
{
    Predefined::Kind kind;
    unsigned arities; ///< Bit n: can be called with n arguments.
    std::string_view names;
};

// clang-format off
constexpr Group groups[] = {
    {Predefined::Kind::Function, 0x00,
     "__wgmma_mma_async_bf16 __wgmma_mma_async_f16 __wgmma_mma_async_f8 "},
    {Predefined::Kind::Function, 0x01,
     "__activemask __brkpt __pm0 __pm1 __pm2 __pm3 __syncthreads __threadfence __threadfence_block "
     "__threadfence_system __trap clock clock64 "},
    {Predefined::Kind::Function, 0x02,
     "__all __any __ballot __barrier_sync __brev __brevll __ceilf __clz __clzll __cosf __cu_va_end "
     "__cvta_constant_to_generic __cvta_generic_to_constant __cvta_generic_to_global "
     "__cvta_generic_to_grid_constant __cvta_generic_to_local __cvta_generic_to_shared "
     "__cvta_global_to_generic __cvta_grid_constant_to_generic __cvta_local_to_generic "
     "__cvta_shared_to_generic __double2float_rd __double2float_rn __double2float_ru "
     "__double2float_rz __double2hiint __double2int_rd __double2int_rn __double2int_ru "
     "__double2int_rz __double2ll_rd __double2ll_rn __double2ll_ru __double2ll_rz __double2loint "
     "__double2uint_rd __double2uint_rn __double2uint_ru __double2uint_rz __double2ull_rd "
     "__double2ull_rn __double2ull_ru __double2ull_rz __double_as_longlong __drcp_rd __drcp_rn "
     "__drcp_ru __drcp_rz __dsqrt_rd __dsqrt_rn __dsqrt_ru __dsqrt_rz __exp10f __expf __ffs __ffsll "
     "__finite __finitef __finitel __float2int_rd __float2int_rn __float2int_ru __float2int_rz "
     "__float2ll_rd __float2ll_rn __float2ll_ru __float2ll_rz __float2uint_rd __float2uint_rn "
     "__float2uint_ru __float2uint_rz __float2ull_rd __float2ull_rn __float2ull_ru __float2ull_rz "
     "__float_as_int __float_as_uint __floorf __frcp_rd __frcp_rn __frcp_ru __frcp_rz __frsqrt_rn "
     "__fsqrt_rd __fsqrt_rn __fsqrt_ru __fsqrt_rz __int2double_rn __int2float_rd __int2float_rn "
     "__int2float_ru __int2float_rz __int_as_float __isConstant __isGlobal __isGridConstant __isLocal "
     "__isShared __isinf __isinff __isinfl __isnan __isnanf __isnanl __ldca __ldcg __ldcs __ldcv "
     "__ldg __ldlu __ll2double_rd __ll2double_rn __ll2double_ru __ll2double_rz __ll2float_rd "
     "__ll2float_rn __ll2float_ru __ll2float_rz __log10f __log2f __logf __longlong_as_double "
     "__nanosleep __popc __popcll __prof_trigger __roundf __saturatef __signbit __signbitf __signbitl "
     "__sinf __syncthreads_and __syncthreads_count __syncthreads_or __tanf __tanhf __truncf "
     "__uint2double_rn __uint2float_rd __uint2float_rn __uint2float_ru __uint2float_rz "
     "__uint_as_float __ull2double_rd __ull2double_rn __ull2double_ru __ull2double_rz __ull2float_rd "
     "__ull2float_rn __ull2float_ru __ull2float_rz __vabs2 __vabs4 __vabsss2 __vabsss4 __vneg2 "
     "__vneg4 __vnegss2 __vnegss4 abs acos acosf acosh acoshf all any asin asinf asinh asinhf atan "
     "atanf atanh atanhf ballot cbrt cbrtf ceil ceilf cos cosf cosh coshf cospi cospif cyl_bessel_i0 "
     "cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f erf erfc erfcf erfcinv erfcinvf erfcx erfcxf erff "
     "erfinv erfinvf exp exp10 exp10f exp2 exp2f expf expm1 expm1f fabs fabsf floor floorf free ilogb "
     "ilogbf isfinite isinf isnan j0 j0f j1 j1f labs lgamma lgammaf llabs llrint llrintf llround "
     "llroundf log log10 log10f log1p log1pf log2 log2f logb logbf logf lrint lrintf lround lroundf "
     "make_char1 make_double1 make_float1 make_int1 make_long1 make_longlong1 make_short1 make_uchar1 "
     "make_uint1 make_ulong1 make_ulonglong1 make_ushort1 malloc nan nanf nearbyint nearbyintf "
     "normcdf normcdff normcdfinv normcdfinvf rcbrt rcbrtf rint rintf round roundf rsqrt rsqrtf "
     "signbit sin sinf sinh sinhf sinpi sinpif sqrt sqrtf syncthreads_and syncthreads_count "
     "syncthreads_or tan tanf tanh tanhf tgamma tgammaf trunc truncf y0 y0f y1 y1f "},
    {Predefined::Kind::Function, 0x03,
     "__syncwarp "},
    {Predefined::Kind::Function, 0x04,
     "__all_sync __any_sync __ballot_sync __barrier_sync_count __cu_va_copy __dadd_rd __dadd_rn "
     "__dadd_ru __dadd_rz __ddiv_rd __ddiv_rn __ddiv_ru __ddiv_rz __dmul_rd __dmul_rn __dmul_ru "
     "__dmul_rz __dsub_rd __dsub_rn __dsub_ru __dsub_rz __fadd_rd __fadd_rn __fadd_ru __fadd_rz "
     "__fdiv_rd __fdiv_rn __fdiv_ru __fdiv_rz __fdividef __fmul_rd __fmul_rn __fmul_ru __fmul_rz "
     "__fsub_rd __fsub_rn __fsub_ru __fsub_rz __hadd __hiloint2double __match32_any_sync "
     "__match64_any_sync __match_any_sync __mul24 __mul64hi __mulhi __powf __reduce_add_sync "
     "__reduce_and_sync __reduce_max_sync __reduce_min_sync __reduce_or_sync __reduce_xor_sync "
     "__rhadd __stcg __stcs __stwb __stwt __uhadd __umul24 __umul64hi __umulhi __uni_sync __urhadd "
     "__vabsdiffs2 __vabsdiffs4 __vabsdiffu2 __vabsdiffu4 __vadd2 __vadd4 __vaddss2 __vaddss4 "
     "__vaddus2 __vaddus4 __vavgs2 __vavgs4 __vavgu2 __vavgu4 __vcmpeq2 __vcmpeq4 __vcmpges2 "
     "__vcmpges4 __vcmpgeu2 __vcmpgeu4 __vcmpgts2 __vcmpgts4 __vcmpgtu2 __vcmpgtu4 __vcmples2 "
     "__vcmples4 __vcmpleu2 __vcmpleu4 __vcmplts2 __vcmplts4 __vcmpltu2 __vcmpltu4 __vcmpne2 "
     "__vcmpne4 __vhaddu2 __vhaddu4 __vimax_s16x2_relu __vimax_s32_relu __vimin_s16x2_relu "
     "__vimin_s32_relu __vmaxs2 __vmaxs4 __vmaxu2 __vmaxu4 __vmins2 __vmins4 __vminu2 __vminu4 "
     "__vsads2 __vsads4 __vsadu2 __vsadu4 __vseteq2 __vseteq4 __vsetges2 __vsetges4 __vsetgeu2 "
     "__vsetgeu4 __vsetgts2 __vsetgts4 __vsetgtu2 __vsetgtu4 __vsetles2 __vsetles4 __vsetleu2 "
     "__vsetleu4 __vsetlts2 __vsetlts4 __vsetltu2 __vsetltu4 __vsetne2 __vsetne4 __vsub2 __vsub4 "
     "__vsubss2 __vsubss4 __vsubus2 __vsubus4 atan2 atan2f atomicAdd atomicAdd_block atomicAdd_system "
     "atomicAnd atomicAnd_block atomicAnd_system atomicDec atomicDec_block atomicDec_system "
     "atomicExch atomicExch_block atomicExch_system atomicInc atomicInc_block atomicInc_system "
     "atomicMax atomicMax_block atomicMax_system atomicMin atomicMin_block atomicMin_system atomicOr "
     "atomicOr_block atomicOr_system atomicSub atomicSub_block atomicSub_system atomicXor "
     "atomicXor_block atomicXor_system copysign copysignf fdim fdimf fdivide fdividef fmax fmaxf fmin "
     "fminf fmod fmodf frexp frexpf hypot hypotf jn jnf ldexp ldexpf llmax llmin make_char2 "
     "make_double2 make_float2 make_int2 make_long2 make_longlong2 make_short2 make_uchar2 make_uint2 "
     "make_ulong2 make_ulonglong2 make_ushort2 max min modf modff nextafter nextafterf norm normf pow "
     "powf remainder remainderf rhypot rhypotf rnorm rnormf scalbln scalblnf scalbn scalbnf ullmax "
     "ullmin umax umin yn ynf "},
    {Predefined::Kind::Function, 0x06,
     "double2int double2ll double2uint double2ull float2double int2double ll2double uint2double "
     "ull2double "},
    {Predefined::Kind::Function, 0x08,
     "__byte_perm __dp2a_hi __dp2a_lo __dp4a __fma_rd __fma_rn __fma_ru __fma_rz __fmaf_ieee_rd "
     "__fmaf_ieee_rn __fmaf_ieee_ru __fmaf_ieee_rz __fmaf_rd __fmaf_rn __fmaf_ru __fmaf_rz __fns "
     "__funnelshift_l __funnelshift_lc __funnelshift_r __funnelshift_rc __gen_nvvm_memcpy "
     "__gen_nvvm_memcpy_aligned1 __gen_nvvm_memcpy_aligned16 __gen_nvvm_memcpy_aligned2 "
     "__gen_nvvm_memcpy_aligned4 __gen_nvvm_memcpy_aligned8 __gen_nvvm_memset __match32_all_sync "
     "__match64_all_sync __match_all_sync __sad __sincosf __usad __viaddmax_s16x2 "
     "__viaddmax_s16x2_relu __viaddmax_s32 __viaddmax_s32_relu __viaddmax_u16x2 __viaddmax_u32 "
     "__viaddmin_s16x2 __viaddmin_s16x2_relu __viaddmin_s32 __viaddmin_s32_relu __viaddmin_u16x2 "
     "__viaddmin_u32 __vibmax_s32 __vibmax_u32 __vibmin_s32 __vibmin_u32 __vimax3_s16x2 "
     "__vimax3_s16x2_relu __vimax3_s32 __vimax3_s32_relu __vimax3_u16x2 __vimax3_u32 __vimin3_s16x2 "
     "__vimin3_s16x2_relu __vimin3_s32 __vimin3_s32_relu __vimin3_u16x2 __vimin3_u32 atomicCAS "
     "atomicCAS_block atomicCAS_system fmaf make_char3 make_double3 make_float3 make_int3 make_long3 "
     "make_longlong3 make_short3 make_uchar3 make_uint3 make_ulong3 make_ulonglong3 make_ushort3 "
     "memcpy memset norm3d norm3df remquo remquof rnorm3d rnorm3df sincos sincosf sincospi sincospif "},
    {Predefined::Kind::Function, 0x0c,
     "dadd dmul dsub "},
    {Predefined::Kind::Function, 0x10,
     "__bmma_m8n8k128_ld_a_b1 __bmma_m8n8k128_ld_b_b1 __bmma_m8n8k128_ld_c __bmma_m8n8k128_st_c_i32 "
     "__cxa_vec_delete __cxa_vec_dtor __dmma_m8n8k4_ld_a __dmma_m8n8k4_ld_b __dmma_m8n8k4_ld_c "
     "__dmma_m8n8k4_st_c_f64 __hmma_m16n16k16_ld_a __hmma_m16n16k16_ld_b __hmma_m16n16k16_ld_c_f16 "
     "__hmma_m16n16k16_ld_c_f32 __hmma_m16n16k16_st_c_f16 __hmma_m16n16k16_st_c_f32 "
     "__hmma_m32n8k16_ld_a __hmma_m32n8k16_ld_b __hmma_m32n8k16_ld_c_f16 __hmma_m32n8k16_ld_c_f32 "
     "__hmma_m32n8k16_st_c_f16 __hmma_m32n8k16_st_c_f32 __hmma_m8n32k16_ld_a __hmma_m8n32k16_ld_b "
     "__hmma_m8n32k16_ld_c_f16 __hmma_m8n32k16_ld_c_f32 __hmma_m8n32k16_st_c_f16 "
     "__hmma_m8n32k16_st_c_f32 __imma_m16n16k16_ld_a_s8 __imma_m16n16k16_ld_a_u8 "
     "__imma_m16n16k16_ld_b_s8 __imma_m16n16k16_ld_b_u8 __imma_m16n16k16_ld_c "
     "__imma_m16n16k16_st_c_i32 __imma_m32n8k16_ld_a_s8 __imma_m32n8k16_ld_a_u8 "
     "__imma_m32n8k16_ld_b_s8 __imma_m32n8k16_ld_b_u8 __imma_m32n8k16_ld_c __imma_m32n8k16_st_c_i32 "
     "__imma_m8n32k16_ld_a_s8 __imma_m8n32k16_ld_a_u8 __imma_m8n32k16_ld_b_s8 __imma_m8n32k16_ld_b_u8 "
     "__imma_m8n32k16_ld_c __imma_m8n32k16_st_c_i32 __imma_m8n8k32_ld_a_s4 __imma_m8n8k32_ld_a_u4 "
     "__imma_m8n8k32_ld_b_s4 __imma_m8n8k32_ld_b_u4 __imma_m8n8k32_ld_c __imma_m8n8k32_st_c_i32 "
     "__mma_bf16_m16n16k16_ld_a __mma_bf16_m16n16k16_ld_b __mma_bf16_m32n8k16_ld_a "
     "__mma_bf16_m32n8k16_ld_b __mma_bf16_m8n32k16_ld_a __mma_bf16_m8n32k16_ld_b "
     "__mma_m16n16k8_st_c_f32 __mma_tf32_m16n16k8_ld_a __mma_tf32_m16n16k8_ld_b "
     "__mma_tf32_m16n16k8_ld_c __vibmax_s16x2 __vibmax_u16x2 __vibmin_s16x2 __vibmin_u16x2 make_char4 "
     "make_double4 make_double4_16a make_double4_32a make_float4 make_int4 make_long4 make_longlong4 "
     "make_longlong4_16a make_longlong4_32a make_short4 make_uchar4 make_uint4 make_ulong4 "
     "make_ulonglong4 make_ulonglong4_16a make_ulonglong4_32a make_ushort4 norm4d norm4df rnorm4d "
     "rnorm4df "},
    {Predefined::Kind::Function, 0x18,
     "__shfl_down_sync __shfl_sync __shfl_up_sync __shfl_xor_sync fma "},
    {Predefined::Kind::Function, 0x1e,
     "__cudaPushCallConfiguration "},
    {Predefined::Kind::Function, 0x20,
     "__assertfail __bmma_m8n8k128_mma_and_popc_b1 __bmma_m8n8k128_mma_xor_popc_b1 __cxa_vec_ctor "
     "__cxa_vec_delete2 __cxa_vec_delete3 __cxa_vec_new "},
    {Predefined::Kind::Function, 0x40,
     "__cxa_vec_cctor __dmma_m8n8k4_mma_f64 __hmma_m16n16k16_mma_f16f16 __hmma_m16n16k16_mma_f16f32 "
     "__hmma_m16n16k16_mma_f32f16 __hmma_m16n16k16_mma_f32f32 __hmma_m32n8k16_mma_f16f16 "
     "__hmma_m32n8k16_mma_f16f32 __hmma_m32n8k16_mma_f32f16 __hmma_m32n8k16_mma_f32f32 "
     "__hmma_m8n32k16_mma_f16f16 __hmma_m8n32k16_mma_f16f32 __hmma_m8n32k16_mma_f32f16 "
     "__hmma_m8n32k16_mma_f32f32 __imma_m16n16k16_mma_s8 __imma_m16n16k16_mma_u8 "
     "__imma_m32n8k16_mma_s8 __imma_m32n8k16_mma_u8 __imma_m8n32k16_mma_s8 __imma_m8n32k16_mma_u8 "
     "__imma_m8n8k32_mma_s4 __imma_m8n8k32_mma_u4 __mma_bf16_m16n16k16_mma_f32 "
     "__mma_bf16_m32n8k16_mma_f32 __mma_bf16_m8n32k16_mma_f32 __mma_tf32_m16n16k8_mma_f32 "},
    {Predefined::Kind::Function, 0x80,
     "__cxa_vec_new2 __cxa_vec_new3 __wgmma_mma_async_tf32 "},
    {Predefined::Kind::Function, 0xfe,
     "__cu_va_arg __cu_va_start printf "},
    {Predefined::Kind::Function, 0xff,
     "__ALIGNOF__ __INTADDR__ __alignof__ __attribute __attribute__ __inline __inline__ __restrict "
     "__restrict__ __underlying_type std "},
    {Predefined::Kind::Macro, 0x00,
     "CUDARTAPI CUDARTAPI_CDECL CUDART_DEVICE CUDART_VERSION NDEBUG NULL __ARRAY_OPERATORS "
     "__BASE_FILE__ __CHAR16_T_AND_CHAR32_T __CUDACC_RTC_BUILTIN_CRT_HELPERS__ "
     "__CUDACC_RTC_BUILTIN_VECTOR_TYPES__ __CUDACC_RTC_MINIMAL__ __CUDACC_RTC__ __CUDACC_VER_BUILD__ "
     "__CUDACC_VER_MAJOR__ __CUDACC_VER_MINOR__ __CUDACC_VER__ __CUDACC__ __CUDANVVM__ "
     "__CUDART_API_VERSION __CUDA_API_VER_MAJOR__ __CUDA_API_VER_MINOR__ __CUDA_ARCH_HAS_FEATURE__ "
     "__CUDA_ARCH__ __CUDA_FTZ __CUDA_HAS_ARCH_FAMILY_SPECIFIC __CUDA_HAS_ARCH_SPECIFIC "
     "__CUDA_MINIMUM_ARCH__ __CUDA_PREC_DIV __CUDA_PREC_SQRT __DATE__ __EDG_CONSTEXPR_ENABLED__ "
     "__EDG_IA64_ABI __EDG_PTRDIFF_TYPE__ __EDG_RUNTIME_USES_NAMESPACES __EDG_SIZE_TYPE__ "
     "__EDG_TYPE_TRAITS_ENABLED __EDG_VERSION__ __EDG__ __EXCEPTIONS __FILE__ __INCLUDE_LEVEL__ "
     "__LINE__ __LP64__ __PLACEMENT_DELETE __PRAGMA_REDEFINE_EXTNAME __RTTI __SIGNED_CHARS__ "
     "__STDCPP_DEFAULT_NEW_ALIGNMENT__ __STDC_HOSTED__ __STDC__ __THROW __TIME__ __VARIADIC_TEMPLATES "
     "__align__ __annotate__ __block_size__ __cdecl __cluster_dims__ __constant__ __cplusplus "
     "__cudaGet_blockDim __cudaGet_blockIdx __cudaGet_gridDim __cudaGet_threadIdx __cudaGet_warpSize "
     "__cudart_builtin__ __device__ __device_builtin__ __device_builtin_surface_type__ "
     "__device_builtin_texture_type__ __export__ __forceinline__ __global__ __grid_constant__ "
     "__host__ __import__ __inline_hint__ __launch_bounds__ __local_maxnreg__ __location__ "
     "__managed__ __maxnreg__ __no_return__ __noinline__ __shared__ __specialization_static "
     "__thread__ __tile__ __tile_builtin__ __tile_global__ __volatile__ assert va_arg va_copy va_end "
     "va_start "},
    {Predefined::Kind::Type, 0x00,
     "CUstream_st __float128 __float80 __int128 __int128_t __uint128_t char1 char2 char3 char4 "
     "clock_t cudaRoundMode dim3 double1 double2 double3 double4 double4_16a double4_32a float1 "
     "float2 float3 float4 int1 int2 int3 int4 long1 long2 long3 long4 long4_16a long4_32a longlong1 "
     "longlong2 longlong3 longlong4 longlong4_16a longlong4_32a ptrdiff_t short1 short2 short3 short4 "
     "size_t uchar1 uchar2 uchar3 uchar4 uint1 uint2 uint3 uint4 ulong1 ulong2 ulong3 ulong4 "
     "ulong4_16a ulong4_32a ulonglong1 ulonglong2 ulonglong3 ulonglong4 ulonglong4_16a ulonglong4_32a "
     "ushort1 ushort2 ushort3 ushort4 va_list "},
    {Predefined::Kind::Variable, 0x00,
     "__FUNCTION__ __INFINITY__ __NAN__ __PRETTY_FUNCTION__ __func__ blockDim blockIdx "
     "cudaRoundMinInf cudaRoundNearest cudaRoundPosInf cudaRoundZero gridDim threadIdx warpSize "},
};
// clang-format on

std::vector<Predefined> sortedNames()
{
    std::vector<Predefined> all;
    for (const Group& group : groups) {
        for (std::size_t at = 0; at < group.names.size();) {
            const std::size_t end = group.names.find(' ', at);
            all.push_back({group.names.substr(at, end - at), group.kind, group.arities});
            at = end + 1;
        }
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return all;
}

} // namespace

const Predefined* findPredefined(std::string_view name)
{
    static const std::vector<Predefined> all = sortedNames();
    const auto found = std::lower_bound(all.begin(), all.end(), name,
                                        [](const Predefined& p, std::string_view n) { return p.name < n; });
    return found != all.end() && found->name == name ? &*found : nullptr;
}

bool mayBePredefined(std::string_view name)
{
    if (findPredefined(name))
        return true;
    // Families whose members are too many to list, or that only compilers use among themselves.
    static constexpr std::array<std::string_view, 9> families{"__nv",  "__cpp", "__builtin", "__edg", "__is_",
                                                              "__has", "__NV",  "_NV_",      "NV_"};
    return std::any_of(families.begin(), families.end(),
                       [&](std::string_view family) { return name.substr(0, family.size()) == family; });
}

} // namespace sparserl
