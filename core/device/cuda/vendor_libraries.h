// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/gpu.h"
#include "machine/cuda_libraries.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace sparserl::cuda {

// The declarations that we need of cuSPARSE 12 and cuBLAS 13. The wheels do not contain the headers.
using CusparseHandle = void*;
using CusparseMatrix = void*; ///< cusparseSpMatDescr_t
using CusparseVector = void*; ///< cusparseDnVecDescr_t
using CusparseDense = void*;  ///< cusparseDnMatDescr_t
using CublasHandle = void*;

namespace cusparse {
constexpr int nonTranspose = 0;
constexpr int notSupported = 10, allocFailed = 2, insufficientResources = 11;
constexpr int index32 = 2, baseZero = 0, columnOrder = 1, rowOrder = 2;
constexpr int real32 = 0, real64 = 1; ///< CUDA_R_32F, CUDA_R_64F
constexpr int spmvDefault = 0, spmvCoo1 = 1, spmvCsr1 = 2, spmvCsr2 = 3, spmvCoo2 = 4, spmvSell1 = 5,
              spmvBsr1 = 6;
constexpr int spmvOp1 = 1, spmvOp2 = 2;
constexpr int spmmDefault = 0, spmmCoo1 = 1, spmmCoo2 = 2, spmmCoo3 = 3, spmmCsr1 = 4, spmmCoo4 = 5,
              spmmCsr2 = 6, spmmCsr3 = 12, spmmBsr1 = 14;
} // namespace cusparse

/// cuSPARSE's newer product z = alpha A x + beta y, which analyses the matrix once and runs a plan. Its
/// arguments changed until version 12.9, which also added float32.
struct CusparseSpmvOp
{
    static constexpr int firstVersion = 12'900; ///< As reported by cusparseGetVersion.
    using Descriptor = void*;                   ///< cusparseSpMVOpDescr_t
    using Plan = void*;                         ///< cusparseSpMVOpPlan_t
    int (*size)(CusparseHandle, int, CusparseMatrix, CusparseVector, CusparseVector, CusparseVector, int, int,
                std::size_t*) = nullptr;
    int (*createDescriptor)(CusparseHandle, Descriptor*, int, CusparseMatrix, CusparseVector, CusparseVector,
                            CusparseVector, int, int, void*) = nullptr;
    int (*destroyDescriptor)(Descriptor) = nullptr;
    int (*createPlan)(CusparseHandle, Descriptor, Plan*, const void*, std::size_t) = nullptr;
    int (*destroyPlan)(Plan) = nullptr;
    int (*run)(CusparseHandle, Plan, const void*, const void*, CusparseVector, CusparseVector,
               CusparseVector) = nullptr;
};

/// cuSPARSE, which is opened at run time, with a handle on the GPU's stream.
struct Cusparse
{
    using Spmv = int(CusparseHandle, int, const void*, CusparseMatrix, CusparseVector, const void*,
                     CusparseVector, int, int, void*);
    using SpmvSize = int(CusparseHandle, int, const void*, CusparseMatrix, CusparseVector, const void*,
                         CusparseVector, int, int, std::size_t*);
    using Spmm = int(CusparseHandle, int, int, const void*, CusparseMatrix, CusparseDense, const void*,
                     CusparseDense, int, int, void*);
    using SpmmSize = int(CusparseHandle, int, int, const void*, CusparseMatrix, CusparseDense, const void*,
                         CusparseDense, int, int, std::size_t*);
    Spmv *spmv = nullptr, *spmvPreprocess = nullptr;
    SpmvSize* spmvSize = nullptr;
    Spmm *spmm = nullptr, *spmmPreprocess = nullptr;
    SpmmSize* spmmSize = nullptr;
    int (*createCsr)(CusparseMatrix*, std::int64_t, std::int64_t, std::int64_t, void*, void*, void*, int, int,
                     int, int) = nullptr;
    int (*createCoo)(CusparseMatrix*, std::int64_t, std::int64_t, std::int64_t, void*, void*, void*, int, int,
                     int) = nullptr;
    int (*createSlicedEll)(CusparseMatrix*, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                           std::int64_t, void*, void*, void*, int, int, int, int) = nullptr;
    int (*createBsr)(CusparseMatrix*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                     void*, void*, void*, int, int, int, int, int) = nullptr;
    int (*createDnVec)(CusparseVector*, std::int64_t, void*, int) = nullptr;
    int (*createDnMat)(CusparseDense*, std::int64_t, std::int64_t, std::int64_t, void*, int, int) = nullptr;
    int (*destroySpMat)(CusparseMatrix) = nullptr;
    int (*destroyDnVec)(CusparseVector) = nullptr;
    int (*destroyDnMat)(CusparseDense) = nullptr;
    int (*create)(CusparseHandle*) = nullptr;
    int (*destroy)(CusparseHandle) = nullptr;
    int (*setStream)(CusparseHandle, CUstream) = nullptr;
    int (*getVersion)(CusparseHandle, int*) = nullptr;
    const char* (*getErrorString)(int) = nullptr;
    std::optional<CusparseSpmvOp> spmvOp; ///< Set if the library has this product.

    CusparseHandle handle = nullptr;
    std::string name; ///< "cuSPARSE 12.9.4"
    /// Returns an Error for a failure: "cuSPARSE failed while DOING".
    Status check(int code, std::string_view doing) const;
};

/// cuBLAS, which is opened in the same way. By default, it computes with plain arithmetic in the type of the
/// elements.
struct Cublas
{
    int (*sgemv)(CublasHandle, int, int, int, const float*, const float*, int, const float*, int,
                 const float*, float*, int) = nullptr;
    int (*sgemm)(CublasHandle, int, int, int, int, int, const float*, const float*, int, const float*, int,
                 const float*, float*, int) = nullptr;
    int (*dgemv)(CublasHandle, int, int, int, const double*, const double*, int, const double*, int,
                 const double*, double*, int) = nullptr;
    int (*dgemm)(CublasHandle, int, int, int, int, int, const double*, const double*, int, const double*, int,
                 const double*, double*, int) = nullptr;
    int (*create)(CublasHandle*) = nullptr;
    int (*destroy)(CublasHandle) = nullptr;
    int (*setStream)(CublasHandle, CUstream) = nullptr;
    int (*setWorkspace)(CublasHandle, void*, std::size_t) = nullptr;
    int (*getVersion)(CublasHandle, int*) = nullptr;

    CublasHandle handle = nullptr;
    std::string name; ///< "cuBLAS 13.1.0"
    Status check(int code, std::string_view doing) const;
};

/// The vendor's libraries for one GPU. Each is opened when it is first needed.
class Libraries
{
public:
    explicit Libraries(Gpu& gpu)
        : m_gpu(&gpu)
    {
    }
    ~Libraries();
    Libraries(const Libraries&) = delete;
    Libraries& operator=(const Libraries&) = delete;
    Result<const Cusparse*> cusparse();
    Result<const Cublas*> cublas();

private:
    Gpu* m_gpu;
    std::optional<Cusparse> m_cusparse;
    std::optional<Cublas> m_cublas;
    DeviceMemory m_workspace;
};

/// Opens the library and binds its symbols. Needs no GPU, because Libraries creates the handle.
Result<Cusparse> openCusparse();
Result<Cublas> openCublas();

} // namespace sparserl::cuda
