// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/baselines.h"
#include "device/cuda/graph_timer.h"
#include "device/cuda/renewal.h"
#include "device/cuda/vendor_libraries.h"
#include "matrix/csr.h"
#include "target/numbers.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sparserl::cuda {

/// One library routine with what it is called with.
struct RoutineSpec
{
    enum class Storage
    {
        Csr,
        Coo,
        Sell,
        Bsr,
        Dense ///< cuBLAS
    };
    Storage storage = Storage::Csr;
    int algorithm = 0;
    bool preprocess = false;
    bool operation = false; ///< By SpMVOp: the algorithm is one of its.
    bool rowMajor = true;   ///< B and C of SpMM.
    bool csr = true;        ///< Belongs to BaselineSet::Csr.
    std::string name;       ///< "CSR_ALG2, preprocessed"
};
/// y = factor A x + other y as cuSPARSE is asked for it: 1 and 0, in the type of the sums.
struct Factors
{
    const void *one, *zero;
};
Factors factorsOf(ElementType type);
/// Device addresses are pointers to the libraries.
void* pointer(CUdeviceptr address);
inline constexpr double preprocessSeconds = 30; ///< In which analysing a matrix has to end.

/// Those of a set, in the order in which they are timed: likely winners first.
std::vector<RoutineSpec> routines(BaselineSet set, bool spmm, double density,
                                  ElementType type = ElementType::F32);

/// One routine ready to be timed. Its matrix outlives it.
class LibraryRoutine
{
public:
    explicit LibraryRoutine(const Gpu& gpu)
        : m_gpu(&gpu)
    {
    }
    ~LibraryRoutine();
    LibraryRoutine(const LibraryRoutine&) = delete;
    LibraryRoutine& operator=(const LibraryRoutine&) = delete;
    TimedWork work();
    double setupMicroseconds = 0; ///< Preprocess, descriptor and plan.
    std::string library;

private:
    friend class LibraryMatrix;
    const Gpu* m_gpu;
    std::function<Status(int)> m_call;
    std::function<Status()> m_renew;
    std::vector<std::function<void()>> m_cleanUp;
    DeviceMemory m_buffer;
};

/// A matrix on the GPU in the storage formats of the libraries, with a ring of vectors of its type.
class LibraryMatrix
{
public:
    static Result<std::unique_ptr<LibraryMatrix>> make(Gpu& gpu, Libraries& libraries, const Csr& matrix,
                                                       std::int64_t denseColumns, std::uint64_t seed);
    /// Nothing: the library or the format does not do this here.
    Result<std::unique_ptr<LibraryRoutine>> open(const RoutineSpec& spec);
    /// Compares some rows of what the timed calls of the routine left with a product of ours: are we calling
    /// it right, and did each of them run? `everySlot`: the last graph called them all; else only the first.
    Status checkOutput(const RoutineSpec& spec, bool everySlot);

private:
    LibraryMatrix(Gpu& gpu, Libraries& libraries, const Csr& matrix, std::int64_t denseColumns)
        : m_gpu(gpu)
        , m_libraries(libraries)
        , m_matrix(matrix)
        , m_columns(denseColumns)
    {
    }
    struct Stored
    {
        DeviceMemory memory;
        std::vector<CUdeviceptr> arrays;
        std::int64_t blocks = 0, blockRows = 0, blockCols = 0, values = 0;
        bool impossible = false;
    };
    Result<const Stored*> stored(RoutineSpec::Storage storage);
    Status store(Stored& to, const std::vector<std::pair<const void*, std::size_t>>& arrays);
    Status buildStored(RoutineSpec::Storage storage, Stored& to);
    Result<CusparseMatrix> descriptor(const Cusparse& api, RoutineSpec::Storage storage,
                                      const Stored& arrays);
    /// What cuSPARSE knows the slots of the ring by; the routine destroys them.
    struct Vectors
    {
        std::array<void*, ringSlots> xs{}, ys{};
    };
    Result<Vectors> describeVectors(const Cusparse& api, LibraryRoutine& routine, std::int64_t rows,
                                    std::int64_t cols, bool rowMajor) const;
    Result<std::unique_ptr<LibraryRoutine>> openSparse(const RoutineSpec& spec);
    Result<std::unique_ptr<LibraryRoutine>> openOperation(const RoutineSpec& spec);
    Result<std::unique_ptr<LibraryRoutine>> openDense();
    Status checkSlot(const RoutineSpec& spec, const std::vector<std::byte>& bytes, std::size_t slot) const;
    /// What cuSPARSE calls the type of the values, the vectors and the sums.
    int realType() const { return m_matrix.type == ElementType::F64 ? cusparse::real64 : cusparse::real32; }

    Gpu& m_gpu;
    Libraries& m_libraries;
    const Csr& m_matrix;
    std::int64_t m_columns;
    Numbers m_x; ///< In the type of the matrix. What every slot of the ring holds.
    DeviceMemory m_ring;
    std::optional<Renewal> m_renewal;
    std::array<CUdeviceptr, ringSlots> m_xs{}, m_ys{};
    std::int64_t m_paddedRows = 0, m_paddedCols = 0;
    std::array<Stored, 5> m_stored;
    std::array<bool, 5> m_built{};
};

/// CudaDevice::measureBaselines.
Result<std::vector<BaselineTiming>> measureLibraries(Gpu& gpu, Libraries& libraries, const Csr& matrix,
                                                     std::int64_t denseColumns,
                                                     const BaselineOptions& options);

} // namespace sparserl::cuda
