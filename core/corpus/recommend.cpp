// SPDX-License-Identifier: Apache-2.0
#include "corpus/corpus.h"
#include "corpus/estimate_device.h"
#include "corpus/recommend_spmv.h"
#include "corpus/spmm_portfolio.h"
#include "matrix/features.h"

namespace sparserl {

std::vector<Candidate> recommend(Task task, const MatrixFeatures& features, const DeviceModel& device,
                                 std::int64_t denseColumns)
{
    if (task == Task::SpMV)
        return recommendSpmv(features, spmvDevice(device));
    const std::int64_t columns = denseColumns > 0 ? denseColumns : features.denseColumns;
    return SpmmPortfolio(features, columns, spmmDevice(device)).candidates();
}

ReferenceProgram referenceProgram(Task task)
{
    if (task == Task::SpMM) {
        const auto program = derive("M1", {{"block", 128}, {"merge", 1}, {"unroll", 1}}, Style{});
        return {"reference CSR row-split (thread per element of C)", program ? program->text : std::string()};
    }
    const auto program = derive("S3", {{"block", 128}, {"accumulators", 1}}, Style{});
    return {"reference CSR-vector (warp per row)", program ? program->text : std::string()};
}

} // namespace sparserl
