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

/// One library routine with its arguments.
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
    bool operation = false; ///< True for SpMVOp, with one of its algorithms.
    bool rowMajor = true;   ///< SpMM: B and C are row-major (otherwise column-major).
    bool csr = true;        ///< True for the routines of BaselineSet::Csr that compete.
    std::string name;       ///< "CSR_ALG2, preprocessed"
};
/// The factors that cuSPARSE gets for y = A x: 1 for A x and 0 for the old y, in the type of the sums.
struct Factors
{
    const void *one, *zero;
};
Factors factorsOf(ElementType type);
/// Converts a device address to a pointer for the libraries.
void* pointer(CUdeviceptr address);
inline constexpr double preprocessSeconds = 30; ///< Time limit for analysing a matrix.

/// Returns the routines of a set in the order of timing, likely winners first.
std::vector<RoutineSpec> routines(BaselineSet set, bool spmm, double density,
                                  ElementType type = ElementType::F32);

/// A routine that is ready for timing. Its LibraryMatrix must outlive it.
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
    double setupMicroseconds = 0; ///< Time of preprocessing, descriptor and plan.
    std::string library;

private:
    friend class LibraryMatrix;
    const Gpu* m_gpu;
    std::function<Status(int)> m_call;
    std::function<Status()> m_renew;
    std::vector<std::function<void()>> m_cleanUp;
    DeviceMemory m_buffer;
};

/// A matrix on the GPU in the libraries' storage formats, with a ring of vectors of the same element type.
class LibraryMatrix
{
public:
    static Result<std::unique_ptr<LibraryMatrix>> make(Gpu& gpu, Libraries& libraries, const Csr& matrix,
                                                       std::int64_t denseColumns, std::uint64_t seed);
    /// Prepares a routine. Returns nullptr if the library or the format does not support it.
    Result<std::unique_ptr<LibraryRoutine>> open(const RoutineSpec& spec);
    /// Compares some rows of the routine's timed results with our own product, to check that the routine is
    /// called correctly and that every call ran. `everySlot`: the last graph used all slots; otherwise, only
    /// the first slot is checked.
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
    /// cuSPARSE descriptors of the ring's slots. The routine destroys them.
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
    /// Returns cuSPARSE's constant for the type of values, vectors and sums.
    int realType() const { return m_matrix.type == ElementType::F64 ? cusparse::real64 : cusparse::real32; }

    Gpu& m_gpu;
    Libraries& m_libraries;
    const Csr& m_matrix;
    std::int64_t m_columns;
    Numbers m_x; ///< The contents of each slot of the ring, in the matrix's type.
    DeviceMemory m_ring;
    std::optional<Renewal> m_renewal;
    std::array<CUdeviceptr, ringSlots> m_xs{}, m_ys{};
    std::int64_t m_paddedRows = 0, m_paddedCols = 0;
    std::array<Stored, 5> m_stored;
    std::array<bool, 5> m_built{};
};

/// Implements CudaDevice::measureBaselines.
Result<std::vector<BaselineTiming>> measureLibraries(Gpu& gpu, Libraries& libraries, const Csr& matrix,
                                                     std::int64_t denseColumns,
                                                     const BaselineOptions& options);

} // namespace sparserl::cuda
