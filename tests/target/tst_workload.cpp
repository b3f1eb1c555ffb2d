// SPDX-License-Identifier: Apache-2.0
// What a target asks of a call, against counts by hand.
#include "kernel/plan_names.h"
#include "matrix/sizes.h"
#include "matrix/target.h"

#include <QtTest>

#include <string>

using namespace sparserl;

namespace {

/// 3 x 5 with rows of 3, 0 and 2 entries, and nothing in columns 2 and 4.
Csr handMade()
{
    Csr m;
    m.rows = 3;
    m.cols = 5;
    m.rowPtr = {0, 3, 3, 5};
    m.col = {0, 1, 3, 0, 3};
    m.val = {1, 2, 3, 4, 5};
    return m;
}

} // namespace

class TestWorkload : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sizesOfAMatrix()
    {
        const SparseSizes sizes = allSizesOf(handMade());
        QVERIFY(sizes.rows == 3 && sizes.cols == 5 && sizes.nnz == 5);
        QCOMPARE(sizes.longestRow, std::int64_t(3));
        QCOMPARE(sizes.usedColumns, std::int64_t(3));
        QCOMPARE(sizesOf(handMade()).longestRow, std::int64_t(3));
        Csr empty;
        empty.rowPtr = {0};
        QVERIFY(allSizesOf(empty).longestRow == 0 && allSizesOf(empty).usedColumns == 0);
    }

    void tensorsOfATask()
    {
        const SparseSizes sizes = allSizesOf(handMade());
        const auto vector = Workload({}, sizes).tensors(), wide = Workload({8}, sizes).tensors();
        QCOMPARE(vector.size(), std::size_t(2));
        QVERIFY(vector[0].name == "x" && vector[0].role == TensorRole::Input);
        QVERIFY(vector[1].name == "y" && vector[1].role == TensorRole::Output);
        QVERIFY((vector[0].shape == std::vector<std::int64_t>{5}) &&
                (vector[1].shape == std::vector<std::int64_t>{3}));
        QVERIFY(wide[0].name == "B" && wide[1].name == "C");
        QVERIFY((wide[0].shape == std::vector<std::int64_t>{5, 8}) &&
                (wide[1].shape == std::vector<std::int64_t>{3, 8}));
        QVERIFY(wide[0].count() == 40 && wide[0].bytes() == 160);
        const WorkTensor exact = Workload({8, ElementType::F64}, sizes).tensor(TensorRole::Output);
        QVERIFY(exact.type == ElementType::F64 && exact.bytes() == 192);
    }

    /// Two operations an entry and column; bytes of 5 values, 3 columns that are read and 3 rows.
    void operationsAndBytes()
    {
        const SparseSizes sizes = allSizesOf(handMade());
        QCOMPARE(Workload({}, sizes).flops(), 10.0);
        QCOMPARE(Workload({8}, sizes).flops(), 80.0);
        QCOMPARE(Workload({8, ElementType::F64}, sizes).flops(), 80.0);
        QCOMPARE(Workload({8}, sizes).gflops(4), 0.02);
        QCOMPARE(Workload({8}, sizes).gflops(0), 0.0);
        QCOMPARE(Workload({}, sizes).compulsoryBytes(), std::int64_t(4 * (5 + 3 + 3)));
        QCOMPARE(Workload({8}, sizes).compulsoryBytes(), std::int64_t(4 * (5 + 8 * 6)));
        QCOMPARE(Workload({8, ElementType::F64}, sizes).compulsoryBytes(), std::int64_t(8 * (5 + 8 * 6)));
        QCOMPARE(Workload({}, sizes).csrBytes(), std::int64_t(44 + 4 * 5 + 4 * 4)); // columns, row pointers
        QCOMPARE(Workload({8, ElementType::F64}, sizes).csrBytes(), std::int64_t(424 + 36));
    }

    /// A plan gets its tensors and numbers from the workload, in the target's element type.
    void plansBindToIt()
    {
        const auto program = parseProgram(
            "//! task spmm\n//! launch k<<<rows, 32>>>(B, C, rows, cols, nnz, max_length, mean_length, "
            "sm_count, dense_cols)\nextern \"C\" __global__ void k() {}\n");
        QVERIFY(program);
        const Csr matrix = handMade();
        DeviceLimits limits;
        limits.smCount = 7;
        for (const ElementType type : {ElementType::F32, ElementType::F64}) {
            Plan plan = program->plan;
            plan.type = type;
            const Csr typed = inType(matrix, type);
            const auto bound = bindPlan(plan, {typed, {8, type}}, limits);
            QVERIFY(bound);
            // Numbers of another type than the plan's are never read as such.
            plan.type = type == ElementType::F32 ? ElementType::F64 : ElementType::F32;
            const auto refused = bindPlan(plan, {typed, {8, type}}, limits);
            QVERIFY(!refused && refused.error().kind == BindFailure::Kind::PlanError);
            QCOMPARE(bound->buffers.size(), std::size_t(2));
            const auto wanted = Workload({8, type}, sizesOf(matrix)).tensors();
            for (std::size_t i = 0; i < 2; ++i) {
                QCOMPARE(bound->buffers[i].name, std::string(wanted[i].name));
                QVERIFY(bound->buffers[i].role == bufferRoleOf(wanted[i].role));
                QVERIFY(bound->buffers[i].type == type);
                QCOMPARE(bound->buffers[i].bytes(), wanted[i].bytes());
            }
            std::vector<std::int64_t> numbers;
            for (std::size_t i = 2; i < bound->launches[0].arguments.size(); ++i)
                numbers.push_back(std::get<std::int64_t>(bound->launches[0].arguments[i]));
            QCOMPARE(numbers, (std::vector<std::int64_t>{3, 5, 5, 3, 1, 7, 8}));
        }
    }
};

QTEST_GUILESS_MAIN(TestWorkload)
#include "tst_workload.moc"
